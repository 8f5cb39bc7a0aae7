import type { BoardState, Color, Evaluation, LegalMove } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import { t } from "../messages/messages.ts";
import { kindName, sideName } from "../pieces/names.ts";
import type { Variant } from "../pieces/names.ts";

export { passed } from "../game/passing.ts";

/** What a hint asks first. Each has a fact behind it that a search has found. */
export type Question = "check" | "mate" | "threat" | "take" | "checking" | "improve";

/** Help that comes in steps: a question, then a piece, then its move. */
export interface Hint {
  readonly step: 1 | 2 | 3;
  readonly question: Question;
  readonly move: LegalMove;
  readonly text: string;
}

/** Expected points of a hundred that a pass would cost: then there is something to see. */
const THREAT = 15;
/** A mate that one can be asked to see. */
const SHORT_MATE = 3;

/** What to ask about a position: its best move and score, and what the other side has if one passes; both from the mover's side. */
export function questionOf(state: BoardState, move: LegalMove, score: Evaluation, theirs: Evaluation | null): Question {
  const points = (value: Evaluation) => rules().chances(state.variant, value).expectation;
  if (state.check) return "check";
  if ("mate" in score && score.mate > 0 && score.mate <= SHORT_MATE) return "mate";
  const threatened = theirs !== null && points(score) - (100 - points(theirs)) >= THREAT;
  // Whoever takes for nothing would lose as much by a pass.
  if (move.capture && !(threatened && "mate" in theirs)) return "take";
  if (threatened) return "threat";
  return move.check ? "checking" : "improve";
}

/** The words of a hint. */
export function hintText({ step, question, move }: Omit<Hint, "text">, variant: Variant, human: Color): string {
  const other = sideName(human === "white" ? "black" : "white");
  const piece = kindName({ kind: move.piece[0]!.toLowerCase(), promoted: move.piece.endsWith("~") }, variant);
  if (step === 2) return t("Look at the {piece} on {square}.", { piece, square: move.from });
  if (step === 3) return t("Hint: {move}", { move: move.san });
  switch (question) {
    case "check":
      return t("You are in check. Which reply gives the least away?");
    case "mate":
      return t("{side}’s king is in danger. Can you mate?", { side: other });
    case "threat":
      return t("What does {side} threaten?", { side: other });
    case "take":
      return t("What can you capture?");
    case "checking":
      return t("Is there a strong check?");
    case "improve":
      return t("Which of your pieces could be better placed?");
  }
}
