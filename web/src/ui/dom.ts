/** Small helpers to make elements; text always goes in as text. */

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

/** Makes an element. `on…` are listeners, `class`, `html` and `dataset` are special, booleans toggle attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | null = null,
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on") && typeof value === "function")
      element.addEventListener(name.slice(2).toLowerCase(), value as EventListener);
    else if (name === "class") element.className = String(value);
    else if (name === "html") element.innerHTML = String(value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden")
      Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children
      .flat()
      .filter((child): child is Node | string | number => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
  return element;
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: (Child | Child[])[]): void {
  element.replaceChildren(
    ...children
      .flat()
      .filter((child): child is Node | string | number => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
}

/** Writes a text only when it differs, so that screen readers and layout stay calm. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** An icon of the page's own small set. */
export function icon(name: keyof typeof ICONS): SVGSVGElement {
  const holder = document.createElement("template");
  holder.innerHTML = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${ICONS[name]}</svg>`;
  return holder.content.firstElementChild as SVGSVGElement;
}

/** A button with an icon and, visible or not, a label. */
export function button(
  label: string,
  onClick: (event: MouseEvent) => void,
  options: {
    icon?: keyof typeof ICONS;
    class?: string;
    hideLabel?: boolean;
    title?: string;
    pressed?: boolean;
    key?: string;
  } = {},
): HTMLButtonElement {
  const element = h("button", {
    type: "button",
    class: `button ${options.class ?? ""}`,
    title: options.title ?? (options.hideLabel ? label : undefined),
    onClick,
  });
  if (options.icon) element.append(icon(options.icon));
  if (options.hideLabel) element.setAttribute("aria-label", label);
  else element.append(h("span", null, label));
  if (options.pressed !== undefined) element.setAttribute("aria-pressed", String(options.pressed));
  if (options.key) element.setAttribute("aria-keyshortcuts", options.key);
  return element;
}

const ICONS = {
  play: `<path d="M7 4.5v15l12-7.5z"/>`,
  pause: `<path d="M8 5v14M16 5v14"/>`,
  analyse: `<circle cx="10.5" cy="10.5" r="6.5"/><path d="M15.5 15.5L21 21"/>`,
  review: `<path d="M3 19h18M5 15l4-5 4 3 6-8"/>`,
  explore: `<path d="M4 5h16M4 12h10M4 19h6"/>`,
  learn: `<path d="M12 6C9 4 6 4 3 5v14c3-1 6-1 9 1 3-2 6-2 9-1V5c-3-1-6-1-9 1zM12 6v14"/>`,
  library: `<path d="M4 4.5h4v15H4zM10 4.5h4v15h-4zM16.2 5.4l3.9-1 3.2 14.5-3.9 1z" transform="translate(-1.5 0)"/>`,
  coach: `<path d="M4 20V10M10 20V4M16 20v-7M22 20H2M13 9l3-3 5 4"/>`,
  flip: `<path d="M7 20V5m0 0L3.5 8.5M7 5l3.5 3.5M17 4v15m0 0l3.5-3.5M17 19l-3.5-3.5"/>`,
  undo: `<path d="M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 12" transform="translate(0 -3)"/>`,
  bulb: `<path d="M9 18h6M10 21h4M8.5 15A6.5 6.5 0 1 1 15.5 15V18h-7z"/>`,
  flag: `<path d="M6 21V4m0 1c4-2 7 2 12 0v9c-5 2-8-2-12 0"/>`,
  half: `<path d="M6 7v5h3M9 7v0M8 17h0M14 17l4-10M5 19h14" opacity="0"/><path d="M4 8l3-2v7M20 19h-5l4-4a2 2 0 1 0-4-1M18 4L7 20"/>`,
  gear: `<path d="M4 7h8.5M17.5 7H20M4 17h2.5M11.5 17H20"/><circle cx="15" cy="7" r="2.5"/><circle cx="9" cy="17" r="2.5"/>`,
  sun: `<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4"/>`,
  moon: `<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"/>`,
  help: `<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.7M12 16.8v.2"/>`,
  copy: `<path d="M9 9h11v11H9zM5 15H4V4h11v1"/>`,
  share: `<path d="M12 15V3m0 0L8 7m4-4l4 4M5 12v8h14v-8"/>`,
  download: `<path d="M12 3v12m0 0l-4-4m4 4l4-4M5 19v1h14v-1"/>`,
  upload: `<path d="M12 15V4m0 0L8 8m4-4l4 4M5 19v1h14v-1"/>`,
  first: `<path d="M18 5l-8 7 8 7M6 5v14"/>`,
  up: `<path d="M12 20V5m0 0l-6 6m6-6l6 6"/>`,
  prev: `<path d="M15 5l-8 7 8 7"/>`,
  next: `<path d="M9 5l8 7-8 7"/>`,
  last: `<path d="M6 5l8 7-8 7M18 5v14"/>`,
  edit: `<path d="M4 20l1-4L16 5l3 3L8 19zM14 7l3 3"/>`,
  trash: `<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13"/>`,
  threat: `<path d="M12 3l9.5 17h-19zM12 10v4.5M12 17v.3"/>`,
  sound: `<path d="M4 9.5v5h4l5 4v-13l-5 4zM16.5 9a4 4 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11"/>`,
  mute: `<path d="M4 9.5v5h4l5 4v-13l-5 4zM16.5 9.5l5 5M21.5 9.5l-5 5"/>`,
  plus: `<path d="M12 5v14M5 12h14"/>`,
  close: `<path d="M6 6l12 12M18 6L6 18"/>`,
  check: `<path d="M5 12.5l4.5 4.5L19 7"/>`,
  computer: `<path d="M4 5h16v11H4zM9 20h6M12 16v4"/>`,
  browser: `<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18"/>`,
  menu: `<path d="M4 7h16M4 12h16M4 17h16"/>`,
} as const;
