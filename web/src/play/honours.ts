import type { MakrukCount } from "rukh-engine";
import { thaiNumber } from "../board/geometry.ts";
import { t } from "../messages/messages.ts";

/** The count as it is written, `5 / 44`, in both scripts. */
export function countTexts({ spoken, last }: MakrukCount): [english: string, thai: string] {
  return [`${spoken} / ${last}`, `${thaiNumber(spoken)} / ${thaiNumber(last)}`];
}

/** Which of the two counts runs, in both languages. */
export function honourName(count: MakrukCount): string {
  return count.honour === "board" ? t("Board’s honour ศักดิ์กระดาน") : t("Pieces’ honour ศักดิ์หมาก");
}

/** The count as a screen reader says it. */
export function countSpoken(count: MakrukCount): string {
  return t("Count {spoken} of {last}.", { spoken: count.spoken, last: count.last });
}
