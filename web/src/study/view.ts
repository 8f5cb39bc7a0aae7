import type { LegalMove } from "rukh-engine";
import { type Route, type View, href, navigate, replaceAddress } from "../app/router.ts";
import { load, onSetting, save, set, settings } from "../app/settings.ts";
import { type MoveEvent, createBoard } from "../board/board.ts";
import { parseSquare, squareName } from "../board/geometry.ts";
import { rules } from "../engine/rules.ts";
import { spokenMove } from "../game/notation.ts";
import { moveSound, playSound } from "../game/sound.ts";
import { spokenPosition } from "../game/speech.ts";
import { TypedMove, moveExamples } from "../game/typed.ts";
import { GameTree, type TreeNode } from "../game/tree.ts";
import { countBadge } from "../play/counting.ts";
import { button, fill, h } from "../ui/dom.ts";
import { announce, notice } from "../ui/notice.ts";
import { AnalysisCard } from "./analysis.ts";
import { Annotations } from "./annotations.ts";
import { PositionEditor } from "./editor.ts";
import { EvalBar } from "./evalbar.ts";
import { ExploreCard } from "./explore.ts";
import { takeOver } from "./handover.ts";
import { Portal, copy } from "./portal.ts";
import { ReviewCard } from "./reviewcard.ts";
import { follow, readShare, shareQuery } from "./share.ts";
import { TreePanel } from "./treepanel.ts";

type Part = "analyse" | "review" | "explore";
const KEY = "rukh.study";

/** One table for Analyse, Review and Explore: board, tree and engine are the same, the card on top differs. */
export class StudyView implements View {
  readonly element = h("div", { class: "table study" });
  #part: Part = "analyse";
  /** A move of the explorer under the pointer. */
  #pointed: string | null = null;
  #tree!: GameTree;
  #node!: TreeNode;
  #board = createBoard("Analysis board");
  #bar = new EvalBar();
  #status = h("p", { class: "study-status small" });
  #moves = new TreePanel(
    (node) => this.#go(node),
    (tree) => this.#open(tree, tree.root),
  );
  #analysis: AnalysisCard;
  #review: ReviewCard;
  #explore: ExploreCard;
  #annotations: Annotations;
  #portal: Portal;
  #editor: PositionEditor | null = null;
  #top = h("div", { class: "stack" });
  #movesCard = h("div", { class: "card flush move-card" });
  #panel = h("aside", { class: "panel", "aria-label": "Analysis" });
  #typed = new TypedMove(
    () => ({ variant: this.#tree.variant, fen: this.#tree.start, moves: this.#tree.path(this.#node) }),
    (move) => this.#play(move),
  );
  #onPaste = (event: ClipboardEvent) => {
    if (!(event.target as HTMLElement).closest("input, textarea, dialog"))
      this.#portal.take(event.clipboardData?.getData("text") ?? "");
  };
  #saving = 0;
  #onHide = () => this.#storeNow();
  #offSetting: () => void;

  constructor(route: Route) {
    this.#analysis = new AnalysisCard(
      (moves) => this.#go(this.#tree.playLine(this.#node, moves), true),
      ({ share, text }) => {
        this.#bar.draw(share, text, this.#board.orientation);
        this.#drawArrows();
      },
    );
    this.#review = new ReviewCard({
      tree: () => this.#tree,
      node: () => this.#node,
      go: (node) => this.#go(node),
      changed: () => this.#treeChanged(),
      quiet: (on) => this.#analysis.suspend(on),
      turn: (side) => {
        if (side !== this.#board.orientation) this.#flip();
      },
      hideAnswers: (on) => this.element.classList.toggle("asking", on),
      load: (pgn) => (pgn === undefined ? this.#portal.open() : this.#portal.take(pgn)),
      board: this.#board,
    });
    this.#explore = new ExploreCard(
      (uci) => this.#playUci(uci),
      (uci) => {
        this.#pointed = uci;
        this.#drawArrows();
      },
    );
    this.#annotations = new Annotations(
      () => this.#treeChanged(),
      () => {
        this.#tree.promote(this.#node);
        this.#treeChanged();
      },
      () => this.#remove(),
    );
    this.#portal = new Portal(
      () => ({ tree: this.#tree, node: this.#node }),
      (tree) => {
        this.#open(tree, tree.root);
        if (this.#part === "analyse") announce("Game loaded");
      },
    );
    this.#build();
    this.#offSetting = onSetting((name) => {
      this.#look();
      if (name === "engine" || name === "hash" || name === "threads" || name === "browserThreads")
        this.#analysis.restart();
      if (name === "figurines" || name === "makrukNotation" || name === "westernMakruk")
        this.#moves.draw(this.#tree, this.#node);
    });
    this.#load(route);
  }

  update(route: Route): void {
    const part = (route.path[0] ?? "analyse") as Part;
    const shared = readShare(route.query);
    const handed = takeOver();
    if (handed) this.#portal.take(handed);
    else if (shared) {
      const same =
        this.#tree.variant === shared.tree.variant && this.#tree.start === shared.tree.start
          ? follow(this.#tree, shared.tree.path(shared.node))
          : null;
      if (shared.error) notice(shared.error, "warn", 10);
      if (same) this.#go(same);
      else this.#open(shared.tree, shared.node);
    }
    if (part !== this.#part) this.#setPart(part);
  }

  leave(): void {
    this.#editor?.cancel();
    this.#offSetting();
    document.removeEventListener("paste", this.#onPaste);
    this.#review.leave();
    this.#analysis.leave();
    removeEventListener("pagehide", this.#onHide);
    this.#storeNow();
  }

  key(event: KeyboardEvent): boolean {
    if (this.#editor) return false;
    const siblings = this.#node.parent?.children ?? [];
    switch (event.key) {
      case "ArrowLeft":
        this.#go(this.#node.parent ?? this.#node);
        return true;
      case "ArrowRight":
        this.#go(this.#node.children[0] ?? this.#node);
        return true;
      case "ArrowUp":
        this.#go(this.#tree.root);
        return true;
      case "ArrowDown":
        this.#go(endOf(this.#node));
        return true;
      case " ":
        this.#playBest();
        return true;
      case "e":
        this.#analysis.toggle();
        return true;
      case "x":
        this.#analysis.toggleThreat();
        return true;
      case "a":
        set("arrows", !settings.arrows);
        return true;
      case "f":
        this.#flip();
        return true;
      case "+":
      case "=":
        this.#analysis.moreLines(1);
        return true;
      case "-":
        this.#analysis.moreLines(-1);
        return true;
      case "m":
        this.#typed.focus();
        return true;
      case "v":
        this.#go(siblings[(siblings.indexOf(this.#node) + 1) % siblings.length] ?? this.#node);
        return true;
      case "s":
        announce(spokenPosition(this.#tree.state(this.#node), this.#tree.variant));
        return true;
      case "i":
        announce(this.#analysis.spoken());
        return true;
      case "l":
        void copy(this.#link());
        return true;
      case "Delete":
        this.#remove();
        return true;
      default:
        return false;
    }
  }

  #build(): void {
    const walk = h(
      "div",
      { class: "walk" },
      button("To the start", () => this.#go(this.#tree.root), { icon: "first", hideLabel: true, class: "quiet" }),
      button("Back", () => this.#go(this.#node.parent ?? this.#node), {
        icon: "prev",
        hideLabel: true,
        class: "quiet",
      }),
      button("Forward", () => this.#go(this.#node.children[0] ?? this.#node), {
        icon: "next",
        hideLabel: true,
        class: "quiet",
      }),
      button("To the end", () => this.#go(endOf(this.#node)), { icon: "last", hideLabel: true, class: "quiet" }),
    );
    const tools = h(
      "div",
      { class: "row study-tools" },
      button("Import / export", () => this.#portal.open(), { icon: "upload" }),
      button("Edit position", () => this.#edit(), { icon: "edit" }),
      button("Turn", () => this.#flip(), { icon: "flip", key: "f" }),
      button("Copy link", () => void copy(this.#link()), { icon: "share", key: "l" }),
      button("Play from here", () => this.#playFromHere(), { icon: "play" }),
    );
    this.element.append(
      h("h1", { class: "visually-hidden" }, "Analysis"),
      h(
        "div",
        { class: "board-column" },
        h("div", { class: "board-frame" }, this.#bar.element, this.#board),
        h("div", { class: "under-board" }, this.#status, this.#typed.element),
      ),
      this.#panel,
    );
    this.#movesCard.append(this.#moves.element, this.#annotations.element, walk);
    fill(this.#panel, this.#top, this.#movesCard, tools);
    this.#board.addEventListener("move", (event) => this.#play((event as CustomEvent<MoveEvent>).detail.move));
    this.#board.addEventListener("drawn", () => this.#keepDrawn());
    this.#portal.acceptDrops(this.element);
    document.addEventListener("paste", this.#onPaste);
    addEventListener("pagehide", this.#onHide);
  }

  #setPart(part: Part): void {
    this.#part = part;
    this.#review.shown = part === "review";
    fill(this.#top, part === "review" ? this.#review.element : null, part === "explore" ? this.#explore.element : null);
    this.#top.hidden = part === "analyse";
    // In a review the moves come first, elsewhere the engine.
    if (part === "review") this.#movesCard.after(this.#analysis.element);
    else this.#movesCard.before(this.#analysis.element);
    if (part === "review") this.#review.open();
    if (part === "explore") this.#explore.show(this.#tree, this.#node);
    this.#address();
  }

  /** Address, game handed over, or what was on the board last time. */
  #load(route: Route): void {
    const handed = takeOver();
    const shared = readShare(route.query);
    const stored = load<{ pgn: string; path: string[] }>(KEY);
    let tree: GameTree | null = null;
    let node: TreeNode | null = null;
    if (handed) {
      tree = firstGame(handed);
      node = tree?.root ?? null;
    } else if (stored && typeof stored.pgn === "string") {
      tree = firstGame(stored.pgn);
      node = tree && Array.isArray(stored.path) ? follow(tree, stored.path) : null;
    }
    if (shared && !handed) {
      if (shared.error) notice(shared.error, "warn", 10);
      const same =
        tree && tree.variant === shared.tree.variant && tree.start === shared.tree.start
          ? follow(tree, shared.tree.path(shared.node))
          : null;
      if (same) node = same;
      else [tree, node] = [shared.tree, shared.node];
    }
    tree ??= GameTree.fresh("chess");
    this.#open(tree, node ?? tree.root);
    this.#setPart((route.path[0] ?? "analyse") as Part);
  }

  #open(tree: GameTree, node: TreeNode): void {
    const other = this.#tree !== undefined && tree.variant !== this.#tree.variant;
    this.#tree = tree;
    this.#node = node;
    if (other) this.#board.orientation = "white";
    this.#review.reset();
    this.#look();
    this.#moves.draw(tree, node);
    this.#go(node);
    if (this.#part === "review") this.#review.open();
  }

  /* -------------------------------------------------------------------------------------------------------- moves */

  #go(node: TreeNode, grown = false): void {
    const stepped = node.parent === this.#node || this.#node.parent === node;
    const before = this.#node;
    this.#node = node;
    const state = this.#tree.state(node);
    this.#pointed = null;
    this.#board.setFen(node.fen, stepped || grown);
    this.#board.lastMove = state.last ? [parseSquare(state.last.from)!, parseSquare(state.last.to)!] : [];
    this.#board.check = state.check ? parseSquare(state.check) : null;
    this.#board.mode = "play";
    this.#board.moves = state.moves;
    this.#showDrawn();
    if (grown) this.#moves.draw(this.#tree, node);
    else this.#moves.select(node);
    this.#annotations.show(node);
    this.#drawStatus();
    this.#analysis.show(this.#tree, node);
    if (this.#part === "explore") this.#explore.show(this.#tree, node);
    this.#review.moved(node);
    this.#drawArrows();
    this.#address();
    this.#store();
    if (node !== before && node.parent === before) {
      const move = this.#tree.state(before).moves.find((candidate) => candidate.uci === node.uci);
      if (move) {
        playSound(moveSound(move));
        announce(spokenMove(move, this.#tree.variant));
      }
    }
  }

  #play(move: LegalMove): void {
    if (this.#review.tries(move)) return;
    const known = this.#node.children.some((child) => child.uci === move.uci);
    this.#go(this.#tree.play(this.#node, move), !known);
  }

  #playUci(uci: string): void {
    const move = this.#tree.state(this.#node).moves.find((candidate) => candidate.uci === uci);
    if (move) this.#play(move);
  }

  #playBest(): void {
    const best = this.#analysis.lines.best?.pv[0];
    if (best && !this.#analysis.threat) this.#playUci(best);
  }

  #remove(): void {
    const { parent } = this.#node;
    if (!parent) return;
    this.#tree.remove(this.#node);
    this.#go(parent, true);
  }

  #treeChanged(): void {
    this.#moves.draw(this.#tree, this.#node);
    this.#annotations.show(this.#node);
    this.#store();
  }

  #edit(): void {
    if (this.#editor) return;
    this.#analysis.suspend(true);
    this.#bar.element.hidden = true;
    this.element.classList.add("editing");
    this.#editor = new PositionEditor(this.#board, this.#tree.variant, this.#node.fen, (result) => {
      this.#editor = null;
      this.element.classList.remove("editing");
      this.#bar.element.hidden = !settings.evalBar;
      fill(this.#panel, ...parts);
      this.#board.variant = this.#tree.variant;
      if (result) {
        const tree = new GameTree(result.variant, result.fen);
        this.#open(tree, tree.root);
      } else this.#go(this.#node);
      this.#analysis.suspend(false);
    });
    const parts = [...this.#panel.children] as HTMLElement[];
    fill(this.#panel, this.#editor.element);
  }

  #playFromHere(): void {
    save("rukh.playfrom", { variant: this.#tree.variant, fen: this.#node.fen });
    navigate("play");
  }

  /* ------------------------------------------------------------------------------------------------------ drawing */

  #look(): void {
    this.#board.variant = this.#tree.variant;
    this.#typed.example = moveExamples(this.#tree.variant);
    this.#board.setLook({
      westernPieces: settings.westernMakruk,
      thai: settings.makrukNotation === "thai",
      coordinates: settings.coordinates,
    });
    this.#bar.element.hidden = !settings.evalBar;
    this.#drawArrows();
  }

  #flip(): void {
    this.#board.orientation = this.#board.orientation === "white" ? "black" : "white";
    this.#bar.element.classList.toggle("turned", this.#board.orientation === "black");
    this.#drawArrows();
  }

  #drawArrows(): void {
    if (this.#editor) return;
    const arrows =
      settings.arrows && settings.engineOn && !this.#review.hidesArrows ? this.#analysis.lines.arrows() : [];
    const [from, to] = [this.#pointed?.slice(0, 2), this.#pointed?.slice(2, 4)].map((name) => parseSquare(name ?? ""));
    if (this.#part === "explore" && typeof from === "number" && typeof to === "number")
      this.#board.arrows = [{ from, to, tone: "user" }];
    else
      this.#board.arrows = this.#analysis.threat
        ? arrows.map((arrow) => ({ ...arrow, tone: "threat" as const }))
        : arrows;
    this.#board.marks = this.#review.marks(this.#node);
  }

  #drawStatus(): void {
    const state = this.#tree.state(this.#node);
    const names = [this.#tree.tag("White"), this.#tree.tag("Black")].filter((name) => name && name !== "?").join(" – ");
    const opening = rules().opening({
      variant: this.#tree.variant,
      fen: this.#tree.start,
      moves: this.#tree.path(this.#node),
    });
    const words = [
      names,
      opening ? `${opening.eco} ${opening.name}` : "",
      state.outcome ? state.outcome.text : `${state.turn === "white" ? "White" : "Black"} to move`,
    ];
    fill(this.#status, h("span", { class: "grow" }, words.filter(Boolean).join("  ·  ")), countBadge(state.count));
  }

  /** Arrows drawn by hand belong to the move, as in PGN. */
  #keepDrawn(): void {
    const { arrows, marks } = this.#board.drawn;
    this.#node.shapes = [
      ...arrows.map((arrow) => ({ color: "green" as const, from: squareName(arrow.from), to: squareName(arrow.to) })),
      ...marks.map((mark) => ({ color: "green" as const, from: squareName(mark.square) })),
    ];
    this.#store();
  }

  #showDrawn(): void {
    const tone = { green: "user", red: "threat", blue: "second", yellow: "warn" } as const;
    const shapes = this.#node.shapes;
    this.#board.setDrawn(
      shapes
        .filter((shape) => shape.to)
        .map((shape) => ({ from: parseSquare(shape.from)!, to: parseSquare(shape.to!)!, tone: tone[shape.color] })),
      shapes
        .filter((shape) => !shape.to)
        .map((shape) => ({ square: parseSquare(shape.from)!, kind: "circle" as const, tone: tone[shape.color] })),
    );
  }

  #link(): string {
    return new URL(href("analyse", shareQuery(this.#tree, this.#node)), location.href).href;
  }

  #address(): void {
    replaceAddress(this.#part, shareQuery(this.#tree, this.#node));
  }

  /** Keeps the game for the next visit, at most twice a second. */
  #store(): void {
    this.#saving ||= window.setTimeout(() => this.#storeNow(), 500);
  }

  #storeNow(): void {
    clearTimeout(this.#saving);
    this.#saving = 0;
    save(KEY, { pgn: this.#tree.toPgn(), path: this.#tree.path(this.#node) });
  }
}

function firstGame(pgn: string): GameTree | null {
  const game = rules().parsePgn(pgn).games[0];
  return game ? GameTree.fromPgn(game) : null;
}

function endOf(node: TreeNode): TreeNode {
  let at = node;
  while (at.children[0]) at = at.children[0];
  return at;
}
