import { createRules } from "rukh-engine";
import "rukh-engine/learn";
import type { CoachChoice, Fact, Rules } from "rukh-engine";
import { parseSquare } from "../board/geometry.ts";
import type { Arrow, Mark } from "../board/layers.ts";
import { moveText } from "../game/movetext.ts";
import type { GameTree } from "../game/tree.ts";
import { type Key, type Messages, addMessages, language, said, t } from "../messages/messages.ts";
import type { Variant } from "../pieces/names.ts";
import type { ReviewResult } from "../study/review.ts";
import { h } from "../ui/dom.ts";

let loading: Promise<Rules> | null = null;

/** The module that knows reasons, and its words; loaded with the first mistake that somebody looks at. */
function learned(): Promise<Rules> {
  loading ??= Promise.all([createRules({ module: "learn" }), addMessages("coach")])
    .then(([rules]) => rules)
    .catch((error: unknown) => {
      loading = null;
      throw error;
    });
  return loading;
}

/** Why the move behind position `index` of a reviewed game was bad. */
export async function reasonsFor(tree: GameTree, result: ReviewResult, index: number): Promise<Fact[]> {
  const [before, after] = [result.found[index]!, result.found[index + 1]!];
  const sign = tree.state(before.node).turn === "white" ? 1 : -1;
  const choice = ({ score }: typeof before, line: readonly string[]): CoachChoice => ({
    score: "mate" in score ? { mate: sign * score.mate } : { cp: sign * score.cp },
    line,
  });
  const played = choice(after, [after.node.uci, ...after.pv]);
  const rules = await learned();
  return rules.ask({ ask: "explain", ...tree.spec(before.node), played, best: choice(before, before.pv) }).facts;
}

/** What the board shows of a mistake, after it: the answer, what that does, and the move that was better. */
export function shapesOf(
  facts: readonly Fact[],
  best: string | undefined,
  answer: string | undefined,
): { arrows: Arrow[]; marks: Mark[] } {
  const arrows: Arrow[] = [];
  const marks: Mark[] = [];
  const arrow = (from: string | null | undefined, to: string | null | undefined, tone: Arrow["tone"]) => {
    const [a, b] = [parseSquare(from ?? ""), parseSquare(to ?? "")];
    if (typeof a === "number" && typeof b === "number" && a !== b) arrows.push({ from: a, to: b, tone, width: 0.12 });
  };
  arrow(answer?.slice(0, 2), answer?.slice(2, 4), "threat");
  for (const fact of facts) {
    // Later in the line the pieces stand elsewhere: only what the very next move does is drawn.
    if (!["against", "allows"].includes(fact.kind) || fact.ply !== 1) continue;
    for (const name of fact.squares) {
      if (fact.squares[0] === fact.to && name !== fact.to) arrow(fact.to, name, "threat");
      const square = parseSquare(name);
      if (square !== null && name !== fact.to) marks.push({ square, kind: "circle", tone: "threat" });
    }
  }
  arrow(best?.slice(0, 2), best?.slice(2, 4), "good");
  return { arrows, marks };
}

/** Names of pieces as facts have them, with and without an article, one or several. */
const KINDS: Readonly<Record<string, Key>> = {
  pawn: "pawn",
  knight: "knight",
  bishop: "bishop",
  rook: "rook",
  queen: "queen",
  king: "king",
};
const THAI: Messages = {
  Bia: "เบี้ย",
  Met: "เม็ด",
  Khon: "โคน",
  Ma: "ม้า",
  Rua: "เรือ",
  Khun: "ขุน",
  "Bia-ngai": "เบี้ยหงาย",
};
const MAN = /^(?:(the|an?|two|three|four|five|six|seven|eight) )?([A-Z]?[a-z-]+?)s?(?: on ([a-h][1-8]))?$/;
const COUNTS = ["", "", "two", "three", "four", "five", "six", "seven", "eight"];

/** `the rook on f1`, `a rook and two pawns for a bishop` in the page's language. */
function phrase(text: string): string {
  const direct = said(text);
  if (direct !== text) return direct;
  const [won, given] = text.split(" for ");
  if (given !== undefined) return t("{won} for {given}", { won: phrase(won!), given: phrase(given) });
  return text
    .split(/, | and /)
    .map((part) => {
      const [, count, name = "", square] = MAN.exec(part) ?? [];
      const kind = KINDS[name] ? t(KINDS[name]) : (THAI[name] as string | undefined);
      if (!kind) return part;
      const number = COUNTS.indexOf(count ?? "");
      return [kind, number > 1 ? ` ${number}` : "", square ? ` ${square}` : ""].join("");
    })
    .join(", ");
}

/** A fact as a sentence in the page's language. */
export function sentenceOf(fact: Fact): string {
  if (language === "en") return fact.text;
  const values = Object.entries(fact.values).map(([name, value]) => [name, phrase(value)]);
  const text = t(fact.template as Key, Object.fromEntries(values));
  return fact.kind === "missed" || fact.kind === "misses" ? t("Missed: {what}", { what: text }) : text;
}

/** A move of a piece or castling within a sentence, its number, and what follows it. Pawn moves have no letter to draw. */
const PIECE_MOVE = /^(\d+\.+\u00a0)?((?:[KQRBNMS][a-h]?[1-8]?x?[a-h][1-8](?:=\w)?|O-O(?:-O)?)[+#]?)([.,:;]*)$/;

/** The same with its moves drawn as they are in lists; numbers stay with what they count. */
export function drawnSentence(fact: Fact, variant: Variant): (Node | string)[] {
  return sentenceOf(fact)
    .replace(/(\d\.+) /g, "$1\u00a0")
    .replace(/(\d) %/g, "$1\u00a0%")
    .split(/( +)/)
    .map((word) => {
      const [, number = "", san, rest = ""] = PIECE_MOVE.exec(word) ?? [];
      return san ? h("span", { class: "numbered" }, number, moveText({ san }, variant), rest) : word;
    });
}
