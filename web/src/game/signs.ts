/** NAGs with a sign of their own; the others are written `$n`. */
export const NAG_SIGNS: Readonly<Record<number, string>> = {
  1: "!",
  2: "?",
  3: "!!",
  4: "??",
  5: "!?",
  6: "?!",
  7: "□",
  10: "=",
  13: "∞",
  14: "⩲",
  15: "⩱",
  16: "±",
  17: "∓",
  18: "+−",
  19: "−+",
  22: "⨀",
  32: "⟳",
  36: "→",
  40: "↑",
  132: "⇆",
  138: "⊕",
  146: "N",
};
/** How a sign colours its move. */
export const JUDGED: Readonly<Record<number, string>> = {
  2: "mistake",
  4: "blunder",
  6: "inaccuracy",
  1: "good",
  3: "good",
};
