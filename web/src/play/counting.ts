import type { MakrukCount } from "../../engine/src/types.ts";
import { thaiNumber } from "../board/geometry.ts";

/** The count as it stands on the counting side's bar: `5 / 44`, in both scripts. */
export function countLine(count: MakrukCount): { text: string; thai: string; title: string } {
  const { spoken, last } = count;
  return {
    text: `${spoken} / ${last}`,
    thai: `${thaiNumber(spoken)} / ${thaiNumber(last)}`,
    title: `${honourName(count)}: number ${spoken} of ${last}`,
  };
}

/** Which of the two counts runs, in both languages. */
export function honourName(count: MakrukCount): string {
  return count.honour === "board" ? "Board’s honour ศักดิ์กระดาน" : "Pieces’ honour ศักดิ์หมาก";
}

/** The count as a screen reader says it. */
export function countSpoken(count: MakrukCount): string {
  return `Count ${count.spoken} of ${count.last}.`;
}
