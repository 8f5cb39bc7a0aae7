import type { RepertoireGap } from "rukh-engine";
import { figure, t } from "../messages/messages.ts";

/** `5. Nc3 (62 %), 5. c4 (30 %)` */
function movesText({ kind, ply, ask, answers, answered }: RepertoireGap): string {
  const at = ply + (kind === "unmet" ? 1 : 0);
  return answers.map(({ san, games }) => `${numbered(ask, at, san)} (${percent(games, answered)} %)`).join(", ");
}

const percent = (part: number, all: number): number => Math.round((100 * part) / Math.max(1, all));

/** The number comes from the way to the position: one in an index has none. */
const numbered = (fen: string, ply: number, san: string): string =>
  `${Math.floor(ply / 2) + 1}${fen.split(" ")[1] === "w" ? "." : "…"} ${san}`;

/** A gap in a sentence or two. */
export function gapText(gap: RepertoireGap): string {
  const { kind, fen, ply, san, games, masters } = gap;
  const values = { move: numbered(fen, ply, san), n: games, answers: movesText(gap) };
  return kind === "unusual"
    ? t("You played {move} in {n} games. Masters play {answers}, and your move in {with} of {all} games.", {
        ...values,
        with: figure(gap.with),
        all: figure(masters),
      })
    : t("Masters play {move} in {share} % of their games, and you have not met it in {n}. They answer {answers}.", {
        ...values,
        share: percent(gap.with, masters),
      });
}
