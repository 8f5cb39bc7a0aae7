import { load, save } from "../app/settings.ts";
import { h } from "./dom.ts";

let serial = 0;

/** A row of exclusive choices, each with a text or a picture and its text. */
export function choice<T extends string>(
  label: string,
  options: readonly (readonly [T, string | Node])[],
  value: T,
  onChange: (value: T) => void,
): HTMLElement {
  const name = `choice-${(serial += 1)}`;
  return h(
    "fieldset",
    { class: "field choice" },
    h("legend", { class: "label" }, label),
    h(
      "div",
      { class: "segmented" },
      ...options.map(([key, text]) =>
        h(
          "label",
          null,
          h("input", { type: "radio", name, value: key, checked: key === value, onChange: () => onChange(key) }),
          h("span", null, text),
        ),
      ),
    ),
  );
}

/** A switch. */
export function toggle(label: string, on: boolean, onChange: (on: boolean) => void): HTMLLabelElement {
  const box = h("input", { type: "checkbox", checked: on, onChange: () => onChange(box.checked) });
  return h("label", { class: "check" }, box, h("span", null, label));
}

/** A number within limits; what is outside is brought inside. */
export function number(
  label: string,
  value: number,
  min: number,
  max: number,
  onChange: (value: number) => void,
): HTMLElement {
  const field = h("input", {
    class: "input",
    type: "number",
    min,
    max,
    value,
    onChange: () => {
      const wanted = Math.round(Number(field.value));
      const next = Number.isFinite(wanted) ? Math.min(max, Math.max(min, wanted)) : value;
      field.value = String(next);
      onChange(next);
    },
  });
  return h("label", { class: "field number" }, h("span", null, label), field);
}

/** A drop-down list. */
export function select<T extends string>(
  label: string,
  options: readonly (readonly [T, string])[],
  value: T,
  onChange: (value: T) => void,
): HTMLElement {
  const field = h(
    "select",
    { class: "input", onChange: () => onChange(field.value as T) },
    ...options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
  return h("label", { class: "field" }, h("span", null, label), field);
}

/** A part that folds; the page remembers which ones are open. */
export function fold(title: string, name: string, ...content: HTMLElement[]): HTMLDetailsElement {
  const key = `rukh.fold.${name}`;
  const element = h(
    "details",
    { class: "fold", open: load<boolean>(key) !== false, onToggle: () => save(key, element.open ? null : false) },
    h("summary", null, title),
    ...content,
  );
  return element;
}
