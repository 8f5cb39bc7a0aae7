import type { MakrukCount } from "rukh-engine";
import { thaiNumber } from "../board/geometry.ts";
import { h } from "../ui/dom.ts";

/** The count as it is written, `5 / 44`, in both scripts. */
export function countTexts({ spoken, last }: MakrukCount): [english: string, thai: string] {
  return [`${spoken} / ${last}`, `${thaiNumber(spoken)} / ${thaiNumber(last)}`];
}

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

/** Which of the two counts runs, in both languages. */
export function honourName(count: MakrukCount): string {
  return count.honour === "board" ? "Board’s honour ศักดิ์กระดาน" : "Pieces’ honour ศักดิ์หมาก";
}

/** The count as a screen reader says it. */
export function countSpoken(count: MakrukCount): string {
  return `Count ${count.spoken} of ${count.last}.`;
}
