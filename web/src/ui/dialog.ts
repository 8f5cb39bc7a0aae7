import { button, h } from "./dom.ts";
import { t } from "../messages/messages.ts";

/** Opens a modal dialog; the browser keeps the focus inside. Returns the element and a function that closes it. */
export function openDialog(
  title: string,
  content: (Node | string)[],
  options: { class?: string; onClose?: () => void } = {},
): { element: HTMLDialogElement; close: () => void } {
  const id = `dialog-${Math.random().toString(36).slice(2)}`;
  const element = h("dialog", { class: `dialog ${options.class ?? ""}`, "aria-labelledby": id });
  // At once: the browser's own word that it has closed comes a moment later, when the next key may have been pressed.
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    element.close();
    element.remove();
    options.onClose?.();
  };
  element.append(
    h(
      "header",
      { class: "dialog-head" },
      h("h2", { id }, title),
      button(t("Close"), close, { icon: "close", hideLabel: true, class: "quiet" }),
    ),
    h("div", { class: "dialog-body" }, ...content),
  );
  // A field for files has a `cancel` of its own, which comes by here.
  for (const name of ["cancel", "close"])
    element.addEventListener(name, ({ target }) => {
      if (target === element) close();
    });
  element.addEventListener("pointerdown", (event) => {
    if (event.target === element) close();
  });
  document.body.append(element);
  element.showModal();
  return { element, close };
}

/** Asks yes or no. */
export function confirm(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const { close } = openDialog(
      title,
      [
        h("p", null, text),
        h(
          "div",
          { class: "row end" },
          button(t("Cancel"), () => close()),
          button(
            yes,
            () => {
              answer = true;
              close();
            },
            { class: "primary" },
          ),
        ),
      ],
      { onClose: () => resolve(answer) },
    );
  });
}
