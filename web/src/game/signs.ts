import type { Key } from "../messages/messages.ts";

/** NAGs with a sign of their own, of those that the fonts of most systems have; the others are written `$n`. */
export const NAG_SIGNS: Readonly<Record<number, string>> = {
  1: "!",
  2: "?",
  3: "!!",
  4: "??",
  5: "!?",
  6: "?!",
  7: "□",
  8: "□",
  10: "=",
  11: "=",
  12: "=",
  13: "∞",
  14: "+/=",
  15: "=/+",
  16: "±",
  17: "∓",
  18: "+−",
  19: "−+",
  20: "+−",
  21: "−+",
  22: "⊙",
  23: "⊙",
  26: "○",
  27: "○",
  32: "⟳",
  33: "⟳",
  36: "→",
  37: "→",
  40: "↑",
  41: "↑",
  44: "=∞",
  45: "=∞",
  132: "⇆",
  133: "⇆",
  138: "⊕",
  139: "⊕",
  140: "∆",
  142: "⌓",
  145: "RR",
  146: "N",
  239: "⇔",
  240: "⇗",
  242: "⟫",
  243: "⟪",
  244: "✕",
  245: "⊥",
};
/** How a sign colours its move. */
export const JUDGED: Readonly<Record<number, string>> = {
  2: "mistake",
  4: "blunder",
  6: "inaccuracy",
  1: "good",
  3: "good",
};

/** What the engine calls a move. */
export type Verdict = "book" | "brilliant" | "great" | "only" | "inaccuracy" | "mistake" | "blunder" | "missedWin";

export const VERDICT_NAMES: Readonly<Record<Verdict, Key>> = {
  book: "Book move",
  brilliant: "Brilliant",
  great: "Great move",
  only: "Only move",
  inaccuracy: "Inaccuracy",
  mistake: "Mistake",
  blunder: "Blunder",
  missedWin: "Missed win",
};

/** The sign that other programs know; a book move has none. */
export const NAG_OF: Readonly<Record<Verdict, number | null>> = {
  book: null,
  brilliant: 3,
  great: 1,
  only: 7,
  inaccuracy: 6,
  mistake: 2,
  blunder: 4,
  missedWin: 4,
};

/** `??` */
export const verdictSign = (verdict: Verdict): string => NAG_SIGNS[NAG_OF[verdict] ?? -1] ?? "";

/** The marks that say a move was bad. */
export const isBad = (verdict: Verdict | null): boolean =>
  verdict === "inaccuracy" || verdict === "mistake" || verdict === "blunder" || verdict === "missedWin";

/** The engine's word about a move, apart from what people said. */
export interface EngineWord {
  readonly verdict: Verdict;
  readonly text: string;
}

// A person gives a move one of these.
const MOVE_SIGNS = 7;
const BY_NAME = new Map<string, Verdict>(
  Object.entries(VERDICT_NAMES).map(([verdict, name]) => [name, verdict as Verdict]),
);

/** Signs and comments of a move for a file: the engine's sign only where no person has given one, its words always. */
export function withEngineWord(
  nags: readonly number[],
  comments: readonly string[],
  engine: EngineWord | null,
): { nags: number[]; comments: string[] } {
  if (!engine) return { nags: [...nags], comments: [...comments] };
  const own = nags.some((nag) => nag <= MOVE_SIGNS);
  const nag = own ? null : NAG_OF[engine.verdict];
  const sign = own ? `${verdictSign(engine.verdict)} ` : "";
  return { nags: nag === null ? [...nags] : [nag, ...nags], comments: [...comments, `Rukh: ${sign}${engine.text}`] };
}

/** The reverse. Comments that reviews wrote before the engine signed them are its too. */
export function splitEngineWord(
  nags: readonly number[],
  comments: readonly string[],
): { nags: number[]; comments: string[]; engine: EngineWord | null } {
  for (const [i, comment] of comments.entries()) {
    const [, signed, sign, text, name] =
      /^(Rukh: )?([!?□]+ )?((\p{Lu}\p{Ll}+(?: \p{Ll}+)?)\..*)$/su.exec(comment) ?? [];
    const verdict = name ? BY_NAME.get(name) : undefined;
    if (!text || !verdict || (!signed && !/^\w+\. Better was \S+\.$/.test(comment))) continue;
    const nag = sign ? null : NAG_OF[verdict];
    const at = nag === null ? -1 : nags.indexOf(nag);
    return {
      nags: nags.filter((_, j) => j !== at),
      comments: comments.filter((_, j) => j !== i),
      engine: { verdict, text },
    };
  }
  return { nags: [...nags], comments: [...comments], engine: null };
}
