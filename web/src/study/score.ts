import type { Evaluation, Info } from "rukh-engine";

/** A score from White's side. */
export function whiteScore(info: Pick<Info, "score" | "turn">): Evaluation {
  const sign = info.turn === "white" ? 1 : -1;
  return info.score.mate !== undefined ? { mate: sign * info.score.mate } : { cp: sign * (info.score.cp ?? 0) };
}

/** White's expected points of a hundred. */
export function whiteShare(info: Pick<Info, "wdl" | "turn">): number {
  const own = (info.wdl.win + info.wdl.draw / 2) / 10;
  return info.turn === "white" ? own : 100 - own;
}
