import type { Color, Evaluation, GameReview, Uci } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import type { Searcher } from "../engine/service.ts";
import { NAG_OF, type Verdict, VERDICT_NAMES, isBad } from "../game/signs.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";
import { t } from "../messages/messages.ts";
import { isSacrifice } from "./sacrifice.ts";
import { whiteScore } from "./score.ts";

/** What the engine found at one position of the main line. */
export interface Found {
  readonly node: TreeNode;
  /** From White's side. */
  readonly score: Evaluation;
  /** The best line from here; empty at the end of the game. */
  readonly pv: readonly Uci[];
}

/** A game looked through move by move. */
export interface ReviewResult {
  readonly line: readonly TreeNode[];
  readonly found: readonly Found[];
  readonly review: GameReview;
  /** What each move of the line is called; the first is the first move's. */
  readonly verdicts: readonly (Verdict | null)[];
}

/**
 * How much is searched at every position. Where a mark would appear both moves are searched with `CLOSER` times as much, and what
 * is still marked with `DEEPER` times as much.
 */
export interface Effort {
  readonly nodes: number;
  /** In how many games of a database a move was played. */
  readonly timesPlayed?: (variant: GameTree["variant"], fen: string, move: Uci) => Promise<number>;
}

const CLOSER = 5;
const DEEPER = 20;
/**
 * What may be spent until the marks are settled, in first looks a position: 40 moves take about 20 s on two cores. The
 * marks nearest to none are settled first; where it does not suffice, the plainest rest on the closer look.
 */
const BUDGET = 4;
/** A game of so few positions may take what it needs. */
const SHORT = 30;
/** Moves of a better line that are worth showing. */
const LINE_LENGTH = 8;
// Expected points of a hundred. Every other move gives away so much: it was the only one.
const ONLY_GAP = 15;
// So much more makes it a great one, if it was no recapture.
const GREAT_GAP = 25;
// A sacrifice is brilliant only where the game is not won without it, and is not lost with it.
const WON_ANYHOW = 90;
const STILL_FINE = 50;
// A move of the openings that loses so much and leaves so little is no book move. (1.f3 is only a bad opening.)
const NO_BOOK = 15;
const LOST = 15;
// A move that so many games of the database have is a book move, one after the other from the start.
const OFTEN = 10;
// Won before, and no longer.
const WINNING = 85;
const NOT_WINNING = 65;

/**
 * Reviews the main line: every position with the same small effort, then every move that would be marked, and the move that
 * would be called better, with larger ones, until no mark rests on a shallow look. Ends early when `cancelled` says so.
 */
export async function reviewGame(
  tree: GameTree,
  engine: Searcher,
  effort: Effort,
  onProgress: (found: readonly Found[], done: number, total: number) => void,
  cancelled: () => boolean,
  /** What an earlier review of the same moves has found from the start on. */
  known: readonly Found[] = [],
): Promise<ReviewResult | null> {
  const reviewer = new Reviewer(tree, engine, effort, cancelled);
  await engine.newGame();
  const { line, found } = reviewer;
  found.push(...known);
  for (let i = found.length; i < line.length; i += 1) {
    if (cancelled()) return null;
    found.push(await reviewer.look(line[i]!, effort.nodes));
    onProgress(found, found.length, line.length);
  }
  await reviewer.openBook();
  await reviewer.closeBook();
  for (let at = 0, next = reviewer.next(); next !== null; at += 1, next = reviewer.next()) {
    if (cancelled()) return null;
    const left = reviewer.marked().length;
    await reviewer.confirm(next);
    onProgress(found, line.length + at + 1, line.length + at + 1 + left);
  }
  const praised = await reviewer.praise();
  return cancelled() ? null : reviewer.result(praised);
}

class Reviewer {
  readonly line: readonly TreeNode[];
  readonly found: Found[] = [];
  /** Plies that the table of openings names, and those that were often played after them, up to the first blunder among them. */
  #book: number;
  /** Those of the table. */
  #named: number;
  /** How closely a move was looked at, in first looks. */
  readonly #looked = new Map<number, number>();
  #spent = 0;

  constructor(
    private readonly tree: GameTree,
    private readonly engine: Searcher,
    private readonly effort: Effort,
    private readonly cancelled: () => boolean,
  ) {
    this.line = tree.mainLine();
    const spec = tree.spec(this.line.at(-1)!);
    // Behind a pass nothing is book.
    this.#named = this.#book = spec.fen === tree.start ? (rules().opening(spec)?.ply ?? 0) : 0;
  }

  async look(node: TreeNode, nodes: number, only?: readonly Uci[]): Promise<Found> {
    const { tree } = this;
    const state = tree.state(node);
    if (state.ended) return { node, score: finalScore(state.ended.winner), pv: [] };
    const go = only ? { nodes, searchmoves: only } : { nodes };
    const { variant, fen: start, moves } = tree.spec(node);
    const job = { variant, start, moves, elo: null, go, everyCore: true };
    this.#spent += nodes;
    const info = (await this.engine.run(job, () => undefined))?.lines[0];
    if (!info) throw new Error(t("The review was interrupted."));
    return { node, score: whiteScore(info), pv: info.pv };
  }

  mover(index: number): Color {
    const first = this.tree.turnAtStart;
    return index % 2 === 0 ? first : first === "white" ? "black" : "white";
  }

  /** Expected points of a side. */
  points(score: Evaluation, side: Color): number {
    const white = rules().chances(this.tree.variant, score).expectation;
    return side === "white" ? white : 100 - white;
  }

  /** The engine's own move, or one of the openings. */
  #sound(index: number): boolean {
    return index < this.#book || this.found[index]?.pv[0] === this.line[index + 1]?.uci;
  }

  /**
   * Evaluations that do not contradict each other: a position is worth at least what the move played in it is worth, and exactly
   * that where it was the engine's own move. Later knowledge counts, so it goes from the end to the start.
   */
  evaluations(): Evaluation[] {
    const scores = this.found.map(({ score }) => score);
    for (let i = scores.length - 2; i >= 0; i -= 1) {
      const side = this.mover(i);
      const [before, after] = [scores[i]!, scores[i + 1]!];
      if (this.#sound(i) || this.points(after, side) > this.points(before, side)) scores[i] = after;
    }
    return scores;
  }

  review(): GameReview {
    return rules().review(this.tree.variant, this.tree.turnAtStart, this.evaluations());
  }

  /** The games of a database know more of the openings than their names. */
  async openBook(): Promise<void> {
    const { tree, line } = this;
    const played = this.effort.timesPlayed;
    while (played && this.#book < line.length - 1 && !this.cancelled()) {
      const [before, after] = [line[this.#book]!, line[this.#book + 1]!];
      if ((await played(tree.variant, before.fen, after.uci)) < OFTEN) return;
      this.#book += 1;
    }
  }

  /**
   * The table of openings names blunders, too (2.g4 of the fool's mate), and everybody falls into the same traps: the book ends
   * before one that a closer look confirms.
   */
  async closeBook(): Promise<void> {
    const blunders = (index: number) => {
      const [before, after] = [index, index + 1].map((at) => this.points(this.found[at]!.score, this.mover(index)));
      return (after! < LOST || index >= this.#named) && before! - after! >= NO_BOOK;
    };
    const book = this.#book;
    for (let i = 0; i < book && !this.cancelled(); i += 1) {
      if (!blunders(i)) continue;
      this.#book = i;
      await this.confirm(i);
      if (!this.#sound(i) && blunders(i)) return;
      this.#book = book;
    }
  }

  /** Moves that would be marked and whose marks are not settled, with what they lose. */
  marked(): { index: number; loss: number }[] {
    return this.review().moves.flatMap(({ judgement, loss }, index) =>
      judgement && this.#looked.get(index) !== DEEPER ? [{ index, loss }] : [],
    );
  }

  /** The next mark to look at: what nobody has looked at closely, the last first; then, while it can be afforded, the nearest. */
  next(): number | null {
    const marked = this.marked();
    const unseen = marked.filter(({ index }) => !this.#looked.has(index)).at(-1);
    if (unseen) return unseen.index;
    if (this.#spent > BUDGET * this.effort.nodes * this.line.length && this.line.length > SHORT) return null;
    return marked.sort((a, b) => a.loss - b.loss)[0]?.index ?? null;
  }

  /** Looks more closely at a position and at the move played in it. */
  async confirm(index: number): Promise<void> {
    const effort = this.#looked.has(index) ? DEEPER : CLOSER;
    this.#looked.set(index, effort);
    const nodes = this.effort.nodes * effort;
    const [before, after] = [this.line[index]!, this.line[index + 1]!];
    this.found[index] = await this.look(before, nodes);
    if (this.cancelled() || this.#sound(index)) return;
    const played = await this.look(before, nodes, [after.uci]);
    if (!this.tree.state(after).ended)
      this.found[index + 1] = { node: after, score: played.score, pv: played.pv.slice(1) };
    // The second search may have shown that the first was wrong about its own move.
    const side = this.mover(index);
    if (this.points(played.score, side) > this.points(this.found[index]!.score, side))
      this.found[index] = { node: before, score: played.score, pv: played.pv };
  }

  /** Moves that deserve a word: the engine's own where every other one is much worse. */
  async praise(): Promise<ReadonlyMap<number, Verdict>> {
    const praised = new Map<number, Verdict>();
    const scores = this.evaluations();
    for (let i = this.#book; i < this.line.length - 1; i += 1) {
      if (this.cancelled()) break;
      const played = this.line[i + 1]!;
      const state = this.tree.state(this.line[i]!);
      const move = state.moves.find(({ uci }) => uci === played.uci);
      const others = state.moves.filter(({ uci }) => uci !== played.uci).map(({ uci }) => uci);
      const recaptures = move?.capture && move.to === state.last?.to;
      if (!move || !others.length || recaptures || this.found[i]!.pv[0] !== played.uci) continue;
      const side = this.mover(i);
      const value = this.points(scores[i + 1]!, side);
      // Where everything loses, or a mate is on the board, there is nothing to choose.
      if (value < ONLY_GAP || move.mate) continue;
      const sacrifice = isSacrifice(this.tree, this.line[i]!, this.found[i]!.pv);
      const second = async (nodes: number) => {
        const found = await this.look(this.line[i]!, nodes, others);
        return this.points(found.score, side);
      };
      let other = await second(this.effort.nodes);
      const promising = value - other >= ONLY_GAP || (sacrifice && other < WON_ANYHOW && value - other >= 5);
      if (promising) other = await second(this.effort.nodes * CLOSER);
      const gap = value - other;
      if (sacrifice && value >= STILL_FINE && other < WON_ANYHOW && gap >= 5) praised.set(i, "brilliant");
      else if (gap >= GREAT_GAP && !state.check && !move.capture) praised.set(i, "great");
      else if (gap >= ONLY_GAP) praised.set(i, "only");
    }
    return praised;
  }

  result(praised: ReadonlyMap<number, Verdict>): ReviewResult {
    const review = this.review();
    const scores = this.evaluations();
    const verdicts = review.moves.map((move, i): Verdict | null => {
      if (i < this.#book) return "book";
      if (move.judgement && move.before >= WINNING && move.after <= NOT_WINNING) return "missedWin";
      return move.judgement ?? praised.get(i) ?? null;
    });
    const found = this.found.map((at, i) => ({ ...at, score: scores[i]! }));
    return { line: this.line, found, review, verdicts };
  }
}

// Mate on the board: no moves are left, but somebody has won.
const finalScore = (winner: "white" | "black" | null): Evaluation =>
  winner === null ? { cp: 0 } : { mate: winner === "white" ? 1 : -1 };

/** The best move at a position in letters; null where the line has none. */
export function bestMove(tree: GameTree, { node, pv }: Found) {
  return rules().line(tree.spec(node), pv.slice(0, 1)).moves[0] ?? null;
}

/** Writes the review into the tree: evaluations, the engine's words beside the author's, and the better line as a variation. */
export function annotate(tree: GameTree, result: ReviewResult): void {
  result.found.forEach(({ node, score }, i) => {
    // Before a book move the score is that of the end of the book.
    if (result.verdicts[i] !== "book") node.eval = score;
  });
  result.verdicts.forEach((verdict, i) => {
    const node = result.line[i + 1]!;
    const before = result.found[i]!;
    node.engine = null;
    if (!verdict || NAG_OF[verdict] === null) return;
    const best = isBad(verdict) ? bestMove(tree, before) : null;
    node.engine = { verdict, text: `${VERDICT_NAMES[verdict]}.${best ? ` Better was ${best.san}.` : ""}` };
    if (best) betterLine(tree, before);
  });
}

/** The better line as a variation of the move that was played; returns its first move. */
export function betterLine(tree: GameTree, before: Found): TreeNode | null {
  if (before.pv.length === 0) return null;
  tree.playLine(before.node, before.pv.slice(0, LINE_LENGTH));
  return before.node.children.find((child) => child.uci === before.pv[0]) ?? null;
}
