import type { Color, LegalMove } from "rukh-engine";
import type { RukhBoard } from "../board/board.ts";
import { parseSquare } from "../board/geometry.ts";
import type { Arrow, Mark, Tone } from "../board/layers.ts";
import { settings } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import { engineService } from "../engine/service.ts";
import { moveText } from "../game/movetext.ts";
import { moveNumber, scoreText } from "../game/notation.ts";
import { type Verdict, VERDICT_NAMES, isBad, verdictSign } from "../game/signs.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";
import { sideName } from "../pieces/names.ts";
import { fold } from "../ui/controls.ts";
import { button, fill, h } from "../ui/dom.ts";
import { announce, notice } from "../ui/notice.ts";
import { EvalGraph } from "./graph.ts";
import { timesPlayed } from "./database.ts";
import { keepFinished, keepUnfinished, readFinished, readUnfinished } from "./keptreview.ts";
import { Lesson } from "./lesson.ts";
import { download } from "./portal.ts";
import { timeGraph } from "./timegraph.ts";
import { type Found, type ReviewResult, annotate, bestMove, betterLine, reviewGame } from "./review.ts";
import { parts, reason, t } from "../messages/messages.ts";

/** What the card needs of the view around it. */
export interface ReviewHost {
  tree(): GameTree;
  node(): TreeNode;
  go(node: TreeNode): void;
  /** Signs and words of the tree were changed. */
  changed(): void;
  /** The analysis must leave the engine to the review. */
  quiet(on: boolean): void;
  /** Arrows or marks were changed. */
  redraw(): void;
  /** Turns the board. */
  turn(side: Color): void;
  /** While somebody looks for a move, moves, lines and evaluation must not tell it. */
  hideAnswers(on: boolean): void;
  /** The review that was kept with the game, and one to be kept. */
  kept(): unknown;
  keep(review: unknown): void;
  /** Loads a game, or asks for one. */
  load(pgn?: string): void;
  readonly board: RukhBoard;
}

/** What an unfinished review has found is kept so often. */
const KEEP_EVERY_MS = 2000;

/** For whoever has no game at hand. */
const OPERA = `[Event "Opera box"]
[Site "Paris"]
[Date "1858.??.??"]
[White "Morphy"]
[Black "Duke of Brunswick and Count Isouard"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5
11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
`;

const TONE: Readonly<Partial<Record<Verdict, Tone>>> = {
  brilliant: "best",
  great: "best",
  only: "second",
  inaccuracy: "warn",
  mistake: "accent",
  blunder: "threat",
  missedWin: "threat",
};
/** How a verdict colours a move in lists and the graph. */
const LOOK = (verdict: Verdict): string => (verdict === "missedWin" ? "blunder" : isBad(verdict) ? verdict : "good");

/** Review of a game: progress, graph, accuracy, the moves that cost something, and a lesson from them. */
export class ReviewCard {
  readonly element = h("section", { class: "card stack review-card", "aria-label": t("Review") });
  /** The course of the game, for the place under the board. */
  readonly strip = h("div", { class: "review-strip", hidden: true });
  /** How long the moves took, for the place after them. */
  readonly times = h("div");
  shown = false;
  #graph: EvalGraph;
  #result: ReviewResult | null = null;
  #running = 0;
  #serial = 0;
  #lesson: Lesson | null = null;
  #keptAt = 0;
  #found: readonly Found[] = [];
  /** Why the move that was looked at last was bad. */
  #why = h("div", { class: "reasons", role: "status" });
  /** The moves to look at, by their place in the list. */
  #listed = new Map<TreeNode, HTMLElement>();
  #shapes: { node: TreeNode; arrows: readonly Arrow[]; marks: readonly Mark[] } | null = null;
  #next = button(t("Next mistake"), () => this.nextMistake(), { icon: "next", class: "small", key: "n" });

  constructor(private readonly host: ReviewHost) {
    this.#graph = new EvalGraph((ply) => {
      const node = host.tree().mainLine()[ply];
      if (node) host.go(node);
    });
    this.strip.append(this.#graph.element, this.#next);
  }

  /** Goes to the next move that gave something away, from the first again after the last. */
  nextMistake(): void {
    const result = this.#result;
    if (!result || this.#lesson) return;
    const bad = result.verdicts.flatMap((verdict, i) => (isBad(verdict) ? [i + 1] : []));
    const here = this.host.tree().mainLine().indexOf(this.host.node());
    const next = bad.find((at) => at > here) ?? bad[0];
    if (next !== undefined) this.host.go(result.line[next]!);
  }

  /** Another game is on the board. */
  reset(): void {
    this.#stop();
    this.#result = readFinished(this.host.tree(), this.host.kept());
    if (this.#lesson) this.host.hideAnswers(false);
    this.#lesson = null;
    this.#draw();
  }

  /** The tab was opened. A review that was interrupted, and not by somebody, goes on. */
  open(): void {
    const begun = readUnfinished(this.host.tree(), this.host.kept());
    if (begun && !begun.stopped && !this.#running && !this.#result) void this.#start();
    else this.#draw();
  }

  leave(): void {
    this.#stop();
  }

  moved(node: TreeNode): void {
    if (!this.#result && !this.#running) return;
    this.#showListed(node);
    this.#graph.select(this.host.tree().mainLine().indexOf(node));
    void this.#explain(node);
  }

  /** Shows the place of a move in the list of those to look at. */
  #showListed(node: TreeNode): void {
    for (const [listed, item] of this.#listed) {
      item.querySelector("button")!.toggleAttribute("aria-current", listed === node);
      const list = item.parentElement!;
      if (listed !== node) continue;
      const top = item.offsetTop - list.offsetTop;
      list.scrollTop = Math.min(top, Math.max(list.scrollTop, top + item.offsetHeight - list.clientHeight));
    }
  }

  /** Says why a move was bad, if it was. */
  async #explain(node: TreeNode): Promise<void> {
    const result = this.#result;
    const at = result?.line.indexOf(node) ?? -1;
    if (this.#shapes?.node === node) return;
    this.#shapes = null;
    fill(this.#why);
    if (!result || at < 1 || !isBad(result.verdicts[at - 1]!) || this.#lesson) return;
    try {
      const { drawnSentence, reasonsFor, shapesOf } = await import("../coach/reasons.ts");
      const facts = await reasonsFor(this.host.tree(), result, at - 1);
      if (this.host.node() !== node || this.#result !== result || this.#lesson) return;
      const start = this.host.tree().state(this.host.tree().root);
      fill(
        this.#why,
        h(
          "h3",
          null,
          `${moveNumber(at - 1, start, true)} `,
          moveText(node, this.host.tree().variant),
          verdictSign(result.verdicts[at - 1]!),
        ),
        ...facts.map((fact) => h("p", { class: `reason ${fact.kind}` }, drawnSentence(fact, this.host.tree().variant))),
      );
      this.#showListed(node);
      this.#shapes = { node, ...shapesOf(facts, result.found[at - 1]!.pv[0], result.found[at]!.pv[0]) };
      this.host.redraw();
    } catch {
      // Without the module the marks remain.
    }
  }

  /** The refutation and the better move, while a mistake is on the board. */
  arrows(node: TreeNode): readonly Arrow[] {
    return this.shown && !this.#lesson && this.#shapes?.node === node ? this.#shapes.arrows : [];
  }

  /** A sign on the square where a judged move arrived. */
  marks(node: TreeNode): Mark[] {
    const at = this.#result?.line.indexOf(node) ?? -1;
    const verdict = at > 0 && !this.#lesson ? this.#result!.verdicts[at - 1] : null;
    const tone = verdict ? TONE[verdict] : undefined;
    const square = tone ? parseSquare(node.uci.slice(2, 4)) : null;
    if (!verdict || !tone || square === null || !this.shown) return [];
    const reasons = this.#shapes?.node === node ? this.#shapes.marks : [];
    return [...reasons, { square, kind: "badge", tone, text: verdictSign(verdict) }];
  }

  /** While somebody looks for a better move the engine must not show it. */
  get hidesArrows(): boolean {
    return this.#lesson !== null || this.#running > 0;
  }

  /** Takes a move as an answer, if a question is open. */
  tries(move: LegalMove): boolean {
    return this.#lesson?.answer(move) ?? false;
  }

  /** Somebody does not want the review to go on. */
  #giveUp(): void {
    this.host.keep(keepUnfinished(this.host.tree(), this.#found, true));
    this.#stop();
    this.#draw();
  }

  #stop(): void {
    this.#serial += 1;
    if (this.#running) this.host.quiet(false);
    this.#running = 0;
  }

  async #start(again = false): Promise<void> {
    const tree = this.host.tree();
    const serial = ++this.#serial;
    const known = again ? [] : (readUnfinished(tree, this.host.kept())?.found ?? []);
    this.#running = 1;
    this.#found = known;
    this.#result = null;
    this.#lesson = null;
    this.host.quiet(true);
    this.#draw();
    try {
      const result = await reviewGame(
        tree,
        engineService,
        { nodes: settings.reviewNodes, timesPlayed },
        (found, done, total) => this.#progress(found, done, total, serial),
        () => serial !== this.#serial,
        known,
      );
      if (!result || serial !== this.#serial) return;
      this.#running = 0;
      this.#result = result;
      annotate(tree, result);
      this.host.keep(keepFinished(tree, result));
      this.host.changed();
      this.#draw();
      this.host.quiet(false);
      this.host.go(this.host.node());
      announce(
        t("Review finished. Accuracy: White {white}, Black {black}.", {
          white: accuracy(result.review.white.accuracy),
          black: accuracy(result.review.black.accuracy),
        }),
      );
    } catch (error) {
      if (serial !== this.#serial) return;
      this.#stop();
      this.#draw();
      notice(reason(error), "warn");
    }
  }

  #progress(found: readonly Found[], done: number, total: number, serial: number): void {
    if (serial !== this.#serial) return;
    this.#running = found.length;
    this.#found = found;
    if (performance.now() - this.#keptAt > KEEP_EVERY_MS) {
      this.#keptAt = performance.now();
      this.host.keep(keepUnfinished(this.host.tree(), found, false));
    }
    const bar = this.element.querySelector("progress");
    if (bar) {
      bar.max = total;
      bar.value = done;
    }
    const positions = this.host.tree().mainLine().length;
    this.element.querySelector(".review-count")!.textContent =
      done < positions
        ? t("{done} of {n} positions", { done, n: positions })
        : t("Taking a closer look at possible mistakes");
    this.#drawGraph(found);
  }

  #drawGraph(found: readonly Found[]): void {
    const tree = this.host.tree();
    const line = tree.mainLine();
    const start = tree.state(tree.root);
    const points = line.map((node, i) => {
      const score = found[i]?.score;
      return {
        share: score ? rules().chances(tree.variant, score).expectation : null,
        label: `${i === 0 ? t("start") : `${moveNumber(i - 1, start, true)} ${node.san}`}${score && this.#result?.verdicts[i] !== "book" ? `, ${scoreText(score)}` : ""}`,
        judgement: this.#result && i > 0 ? (this.#result.review.moves[i - 1]?.judgement ?? null) : null,
      };
    });
    this.#graph.draw(points, line.indexOf(this.host.node()));
  }

  #draw(): void {
    const tree = this.host.tree();
    this.strip.hidden = (!this.#running && !this.#result) || this.#lesson !== null;
    this.#next.hidden = !this.#result?.verdicts.some(isBad);
    if (this.#lesson) {
      fill(this.element, this.#lesson.element);
      fill(this.times);
      return;
    }
    const moves = tree.mainLine().length - 1;
    if (this.#running) {
      const done = this.#found.length;
      fill(
        this.element,
        h(
          "div",
          { class: "row apart" },
          h("h2", null, t("Reviewing …")),
          button(t("Stop"), () => this.#giveUp(), { class: "small" }),
        ),
        h("progress", { max: moves + 1, value: done, "aria-label": t("Review progress") }),
        h("p", { class: "small muted review-count" }, t("{done} of {n} positions", { done, n: moves + 1 })),
      );
      this.#drawGraph(this.#found);
    } else if (this.#result) {
      fill(this.element, ...this.#summary(this.#result));
      void this.#explain(this.host.node());
      this.#drawGraph(this.#result.found);
    } else {
      const begun = readUnfinished(tree, this.host.kept());
      fill(
        this.element,
        h("h2", null, t("Game review")),
        h(
          "p",
          { class: "muted" },
          moves
            ? t("The engine checks every move of the main line and shows where winning chances were lost.")
            : t("Load one of your games, finish one in Play, or try a famous one: Morphy’s Opera Game, Paris 1858."),
        ),
        h(
          "div",
          { class: "row" },
          moves > 0 &&
            button(
              begun ? t("Resume ({done} of {n})", { done: begun.found.length, n: moves + 1 }) : t("Review this game"),
              () => void this.#start(),
              {
                class: "primary",
                icon: "review",
              },
            ),
          moves === 0 && button(t("Load a game"), () => this.host.load(), { class: "primary", icon: "upload" }),
          moves === 0 && button(t("The Opera Game"), () => this.host.load(OPERA)),
        ),
      );
    }
    const times = this.#running ? null : timeGraph(tree, (node) => this.host.go(node));
    fill(this.times, times && fold(t("Time per move"), "times", times));
  }

  #summary(result: ReviewResult): (HTMLElement | null)[] {
    const tree = this.host.tree();
    const { review } = result;
    const side = (color: Color) => {
      const sum = review[color];
      const name = tree.tag(color === "white" ? "White" : "Black");
      return h(
        "div",
        { class: "accuracy" },
        h("span", { class: `side-dot ${color}` }),
        h(
          "div",
          null,
          h("strong", null, accuracy(sum.accuracy)),
          h("span", { class: "small muted" }, ` ${t("accuracy")} · ${name && name !== "?" ? name : sideName(color)}`),
          h(
            "p",
            { class: "small judged" },
            h("span", { class: "inaccuracy" }, `${sum.inaccuracies} ?!`),
            h("span", { class: "mistake" }, `${sum.mistakes} ?`),
            h("span", { class: "blunder" }, `${sum.blunders} ??`),
          ),
        ),
      );
    };
    const start = tree.state(tree.root);
    const judged = result.verdicts.flatMap((verdict, i) =>
      verdict && verdict !== "book" ? [{ move: review.moves[i]!, verdict, i }] : [],
    );
    const bad = judged.filter(({ verdict }) => isBad(verdict));
    this.#listed.clear();
    const list = judged.map(({ move, verdict, i }) => {
      const node = result.line[i + 1]!;
      const before = result.found[i]!;
      const best = isBad(verdict) ? bestMove(tree, before) : null;
      const item = h(
        "li",
        null,
        h(
          "button",
          { type: "button", class: `move ${LOOK(verdict)}`, onClick: () => this.host.go(node) },
          `${moveNumber(i, start, true)} `,
          moveText(node, tree.variant),
          h("span", { class: "nag" }, verdictSign(verdict)),
        ),
        isBad(verdict)
          ? h("span", { class: "small muted", title: t("Winning chances lost") }, `−${Math.round(move.loss)} %`)
          : h("span"),
        best
          ? h(
              "button",
              {
                type: "button",
                class: "move better",
                onClick: () => {
                  const better = betterLine(tree, before);
                  if (better) this.host.go(better);
                },
              },
              ...parts<Node>("better {move}", { move: moveText(best, tree.variant) }),
              verdict === "missedWin" ? h("span", { class: "small" }, ` (${t("missed win")})`) : null,
            )
          : h("span", { class: "small muted" }, t(VERDICT_NAMES[verdict]).toLowerCase()),
      );
      this.#listed.set(node, item);
      return item;
    });
    const learn = (color: Color) => {
      const count = bad.filter(({ i }) => this.#mover(i) === color).length;
      return Object.assign(
        button(t("Learn: {side} ({count})", { side: sideName(color), count }), () => this.#learn(color), {
          icon: "bulb",
          class: "small",
        }),
        { disabled: count === 0 },
      );
    };
    const book = result.verdicts.filter((verdict) => verdict === "book").length;
    return [
      h("div", { class: "accuracies" }, side("white"), side("black")),
      this.#why,
      judged.length
        ? fold(
            t("Moves to look at"),
            "judged",
            h("ol", { class: "judged-list", "aria-label": t("Moves to look at") }, ...list),
          )
        : h("p", { class: "muted" }, t("There were no serious mistakes in this game.")),
      h(
        "div",
        { class: "row review-tools" },
        learn("white"),
        learn("black"),
        button(t("Annotated PGN"), () => download("review.pgn", tree.toPgn()), {
          icon: "download",
          hideLabel: true,
          class: "small",
        }),
        button(t("Again"), () => void this.#start(true), { class: "small quiet" }),
        book > 0 ? h("p", { class: "small muted" }, t("Book: the first {n} moves.", { n: Math.ceil(book / 2) })) : null,
      ),
    ];
  }

  #mover(index: number): Color {
    const first = this.host.tree().turnAtStart;
    return index % 2 === 0 ? first : first === "white" ? "black" : "white";
  }

  #learn(color: Color): void {
    const result = this.#result!;
    const places = result.verdicts.flatMap((verdict, i) =>
      isBad(verdict) && this.#mover(i) === color ? [{ found: result.found[i]!, played: result.line[i + 1]! }] : [],
    );
    this.host.turn(color);
    this.host.hideAnswers(true);
    this.host.quiet(true);
    this.#lesson = new Lesson(this.host, places, () => {
      this.#lesson = null;
      this.host.hideAnswers(false);
      this.host.quiet(false);
      this.#draw();
      this.host.go(this.host.node());
    });
    this.#draw();
  }
}

const accuracy = (value: number | null): string => (value === null ? "–" : `${value.toFixed(1)} %`);
