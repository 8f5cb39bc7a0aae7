import { h } from "../src/ui/dom.ts";
import "./wordview.css";
import { t } from "../src/messages/messages.ts";

/** A part of a 64-bit word; `from` is its lowest bit. */
export interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly value: string;
  readonly text: string;
}

/** 64 bits in eight bytes, coloured by field, highest bit first; with `onFlip` each bit is a button. */
export function wordView(bits: bigint, fields: readonly Field[], onFlip?: (bit: number) => void): HTMLElement {
  const fieldAt = (bit: number) => fields.findIndex((field) => bit >= field.from && bit <= field.to);
  const byte = (high: number) =>
    h(
      "div",
      { class: "bits-byte" },
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => {
        const bit = high - i;
        const one = (bits >> BigInt(bit)) & 1n ? "1" : "0";
        const at = fieldAt(bit);
        const props = {
          class: `bit field-${at < 0 ? "none" : at % 6}${one === "1" ? " one" : ""}`,
          title: `${t("bit {n}", { n: bit })}${at < 0 ? "" : `, ${fields[at]!.name}`}`,
        };
        return onFlip
          ? h(
              "button",
              {
                type: "button",
                ...props,
                "aria-label": t("Bit {n}: {value}", { n: bit, value: one }),
                onClick: () => onFlip(bit),
              },
              one,
            )
          : h("span", props, one);
      }),
      h("span", { class: "bits-label", "aria-hidden": "true" }, high - 7),
    );
  return h(
    "div",
    { class: "word-view" },
    h(
      "div",
      { class: "bits", role: "group", "aria-label": t("64 bits, highest first") },
      ...[63, 55, 47, 39, 31, 23, 15, 7].map(byte),
    ),
    h(
      "ul",
      { class: "fields" },
      ...fields.map((field, i) =>
        h(
          "li",
          null,
          h("i", { class: `swatch field-${i % 6} one` }),
          h("strong", null, field.name),
          h(
            "span",
            { class: "muted" },
            field.from === field.to
              ? t("bit {n}", { n: field.from })
              : t("bits {range}", { range: `${field.from}–${field.to}` }),
          ),
          h("code", null, field.value),
          h("span", null, field.text),
        ),
      ),
    ),
  );
}
