import type { CoachMistake, Color, Fact, RepertoireGap } from "rukh-engine";
import { rules } from "../../engine/rules.ts";
import type { Verdict } from "../../game/signs.ts";
import type { GameTree } from "../../game/tree.ts";
import type { ReviewResult } from "../../study/review.ts";
import type { Draft } from "./card.ts";

/** The code of a position, without clocks. */
export type Coder = (position: { variant: GameTree["variant"]; fen: string }) => Promise<string>;

// An inaccuracy is a matter of taste too often to be asked for again and again.
const WORTH: ReadonlySet<Verdict | null> = new Set(["mistake", "blunder", "missedWin"]);
const LINE_LENGTH = 8;
/** Sentences about a mistake; the first say most. */
const MOST_FACTS = 3;

/** Why a move of a reviewed game was bad, in words; the first is the first move's. */
export type Why = (tree: GameTree, review: ReviewResult, index: number) => Promise<string>;

/** The cards of a finished review: where a side that is `mine` went wrong. */
export async function draftsOf(
  tree: GameTree,
  result: ReviewResult,
  mine: (side: Color) => boolean,
  game: string,
  code: Coder,
  why: Why = async () => "",
): Promise<Draft[]> {
  const { line, found, review, verdicts } = result;
  const { variant } = tree;
  const drafts: Draft[] = [];
  for (const [i, verdict] of verdicts.entries()) {
    const [at, after, move] = [found[i], found[i + 1], review.moves[i]];
    if (!WORTH.has(verdict) || !at?.pv[0] || !move) continue;
    const { fen, turn } = tree.state(line[i]!);
    const played = line[i + 1]!;
    // A pass is no move, and a move that is the engine's own is no mistake.
    if (!mine(turn) || played.uci === "0000" || played.uci === at.pv[0]) continue;
    const white = rules().chances(variant, at.score).expectation;
    drafts.push({
      id: `${variant}:${await code({ variant, fen })}`,
      variant,
      fen,
      good: [at.pv[0]],
      line: at.pv.slice(0, LINE_LENGTH),
      points: turn === "white" ? white : 100 - white,
      mistakes: [
        {
          uci: played.uci,
          loss: move.loss,
          line: [...(after?.pv ?? [])].slice(0, LINE_LENGTH),
          games: [game],
          why: await why(tree, result, i),
        },
      ],
    });
  }
  return drafts;
}

/** What the background review says of a mistake stands in facts; as sentences of the page's language. */
export type Sentence = (fact: Fact) => string;

/** The cards of a player's report, whose games are joined by position already; `ids` are those of its games. */
export function draftsOfReport(mistakes: readonly CoachMistake[], ids: readonly string[], say: Sentence): Draft[] {
  return mistakes.flatMap((mistake): Draft[] => {
    const { variant, code, fen, played, best, judgement, before, after, facts, games } = mistake;
    if (judgement === "inaccuracy" || !best[0] || best[0] === played) return [];
    return [
      {
        id: `${variant}:${code}`,
        variant,
        fen,
        good: [best[0]],
        line: best.slice(0, LINE_LENGTH),
        points: before,
        mistakes: [
          {
            uci: played,
            loss: Math.max(0, before - after),
            line: [],
            games: games.flatMap((game) => ids[game] ?? []),
            why: facts.slice(0, MOST_FACTS).map(say).join(" "),
          },
        ],
      },
    ];
  });
}

/** Cards of what one's openings lack; `say` puts a gap into words. */
export function draftsOfGaps(gaps: readonly RepertoireGap[], say: (gap: RepertoireGap) => string): Draft[] {
  return gaps.map((gap): Draft => {
    const { kind, key, variant, ask, answers, expected, uci } = gap;
    const why = say(gap);
    return {
      id: key,
      variant,
      fen: ask,
      good: answers.map((answer) => answer.uci),
      line: [answers[0]!.uci],
      points: expected ?? 50,
      // One's own habit is no answer, however sound it may be.
      mistakes: kind === "unusual" ? [{ uci, loss: 0, line: [], games: [], why }] : [],
      gap: { kind, why },
    };
  });
}
