import type { MakrukCount } from "rukh-engine";
import { t } from "../messages/messages.ts";
import { h } from "../ui/dom.ts";
import { countTexts, honourName } from "./honours.ts";

/** The count as it is shown beside a board. */
export function countBadge(count: MakrukCount | null | undefined): HTMLElement | null {
  if (!count) return null;
  const [english, thai] = countTexts(count);
  return h(
    "span",
    {
      class: "count",
      title: t("{honour}: number {spoken} of {last}", {
        honour: honourName(count),
        spoken: count.spoken,
        last: count.last,
      }),
    },
    english,
    h("span", { class: "count-thai", lang: "th" }, thai),
  );
}
