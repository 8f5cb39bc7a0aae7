import type { MakrukCount } from "rukh-engine";
import { h } from "../ui/dom.ts";
import { countTexts, honourName } from "./honours.ts";

/** The count as it is shown beside a board. */
export function countBadge(count: MakrukCount | null | undefined): HTMLElement | null {
  if (!count) return null;
  const [english, thai] = countTexts(count);
  return h(
    "span",
    { class: "count", title: `${honourName(count)}: number ${count.spoken} of ${count.last}` },
    english,
    h("span", { class: "count-thai", lang: "th" }, thai),
  );
}
