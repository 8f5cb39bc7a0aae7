import "../styles/study.css";
import "../styles/review.css";
import type { Shape } from "rukh-engine";
import { type Route, type View, href, navigate, replaceAddress } from "../app/router.ts";
import { save, set, settings } from "../app/settings.ts";
import { effect, follow, watch } from "../app/store.ts";
import { type MoveEvent, createBoard } from "../board/board.ts";
import { parseSquare, squareName } from "../board/geometry.ts";
import type { Tone } from "../board/layers.ts";
import { rules } from "../engine/rules.ts";
import { codeHref, codeOf } from "../game/codes.ts";
import { clockText, spokenMove } from "../game/notation.ts";
import { moveSound, playSound } from "../game/sound.ts";
import { spokenPosition } from "../game/speech.ts";
import { GameTree } from "../game/tree.ts";
import { TypedMove, moveExamples } from "../game/typed.ts";
import { neighbours, playlist } from "../library/playlist.ts";
import { countBadge } from "../play/counting.ts";
import { PlayGame, opponent } from "../play/game.ts";
import { mayLeave } from "../play/leaving.ts";
import { materialRow } from "../play/material.ts";
import { PlayerBar } from "../play/playerbar.ts";
import { toMove } from "../pieces/names.ts";
import { pieceSetOf } from "../pieces/sprite.ts";
import { fold } from "../ui/controls.ts";
import { button, fill, h } from "../ui/dom.ts";
import { wheelSteps } from "../ui/wheel.ts";
import { announce, notice } from "../ui/notice.ts";
import { AnalysisCard } from "./analysis.ts";
import { Annotations } from "./annotations.ts";
import { CodeLine } from "./codeline.ts";
import { type Part, type Place, StudyController } from "./controller.ts";
import { PositionEditor } from "./editor.ts";
import { EvalBar } from "./evalbar.ts";
import { ExploreCard } from "./explore.ts";
import { Portal, copy } from "./portal.ts";
import { ReviewCard } from "./reviewcard.ts";
import { shareQuery } from "./share.ts";
import { TreePanel } from "./treepanel.ts";
import { said, t } from "../messages/messages.ts";

/** The colours of PGN and how the board paints them. */
const COLORS: readonly (readonly [Shape["color"], Tone])[] = [
  ["green", "user"],
  ["red", "threat"],
  ["blue", "second"],
  ["yellow", "warn"],
];

/** One table for Analyse, Review and Explore: board, tree and engine are the same, the card on top differs. */
export class StudyView implements View {
  readonly element = h("div", { class: "table study" });
  #study = new StudyController((text) => notice(text, "warn", 10));
  /** A move of the explorer under the pointer. */
  #pointed: string | null = null;
  #board = createBoard(t("Analysis board"));
  #bar = new EvalBar();
  #status = h("p", { class: "study-status small" });
  #moves = new TreePanel(
    (node) => this.#study.go(node),
    (tree) => this.#study.open(tree, tree.root, false),
  );
  #codeLine = new CodeLine();
  #steps = h("nav", { class: "game-steps", "aria-label": t("Games in the list") });
  #analysis = new AnalysisCard(
    (moves) => this.#study.playLine(moves),
    ({ share, text }) => {
      this.#bar.draw(share, text, this.#board.orientation);
      this.#drawArrows();
    },
  );
  #review: ReviewCard;
  #explore = new ExploreCard(
    (uci) => this.#study.playUci(uci),
    (uci) => {
      this.#pointed = uci;
      this.#drawArrows();
    },
  );
  #annotations = new Annotations(
    () => this.#study.edited(),
    () => this.#study.promote(),
    () => this.#study.remove(),
  );
  #portal = new Portal(
    () => ({ tree: this.#study.tree, node: this.#study.node }),
    (tree) => {
      this.#study.open(tree);
      if (this.#study.part.peek() === "analyse") announce(t("Game loaded"));
    },
    this.#board,
  );
  /** The game that was drawn last. */
  #shown: GameTree | null = null;
  #undo = button(t("Undo"), () => this.#study.undo(), {
    icon: "undo",
    key: "u",
    title: t("Undo: restore the previous game or moves (u)"),
  });
  /** In a review the engine's own lines can be put away. */
  #engineFold = fold(t("Engine"), "engine");
  /** Who plays: below and above the board, while a game is reviewed. */
  #players = [new PlayerBar(), new PlayerBar()] as const;
  #editor: PositionEditor | null = null;
  #top = h("div", { class: "stack" });
  #movesCard = h("div", { class: "card flush move-card" });
  #panel = h("aside", { class: "panel", "aria-label": t("Analysis") });
  #typed = new TypedMove(
    () => this.#study.tree.spec(this.#study.node),
    (move) => this.#study.play(move),
  );
  #onPaste = (event: ClipboardEvent) => {
    if (!(event.target as HTMLElement).closest("input, textarea, dialog"))
      void this.#portal.take(event.clipboardData?.getData("text") ?? "");
  };
  #onHide = () => this.#study.store();
  #effects: (() => void)[];

  constructor(route: Route) {
    const study = this.#study;
    this.#review = new ReviewCard({
      tree: () => study.tree,
      node: () => study.node,
      go: (node) => study.go(node),
      changed: () => study.edited(),
      quiet: (on) => this.#analysis.suspend(on),
      turn: (side) => {
        if (side !== this.#board.orientation) this.#flip();
      },
      kept: () => study.document.review,
      keep: (review) => study.reviewed(review),
      redraw: () => this.#drawArrows(),
      hideAnswers: (on) => this.element.classList.toggle("asking", on),
      load: (pgn) => (pgn === undefined ? this.#portal.open() : void this.#portal.take(pgn)),
      board: this.#board,
    });
    study.intercept = (move) => this.#review.tries(move);
    study.load(route.path, route.query);
    this.#build();
    this.#effects = [
      follow(study.place, (place) => this.#show(place)),
      follow(study.part, (part) => this.#setPart(part)),
      watch(
        () => study.edits.value,
        () => this.#drawMoves(),
      ),
      effect(() => this.#drawSteps()),
      effect(() => void (this.#undo.disabled = !study.undoable.value)),
      effect(() => this.#look()),
      watch(
        () => [settings.engine, settings.guest, settings.hash, settings.threads, settings.browserThreads],
        () => this.#analysis.restart(),
      ),
      watch(
        () => [settings.figurines, settings.makrukNotation, settings.westernMakruk],
        () => this.#drawMoves(),
      ),
      watch(
        () => [settings.arrows, settings.engineOn],
        () => this.#drawArrows(),
      ),
    ];
  }

  update(route: Route): void {
    const handed = this.#study.update(route.path, route.query);
    if (handed) void this.#portal.take(handed);
    // The tab that is already open was clicked: the address names the move again.
    else if (!route.query.size) this.#address();
  }

  leave(): void {
    this.#editor?.cancel();
    for (const end of this.#effects) end();
    document.removeEventListener("paste", this.#onPaste);
    this.#codeLine.leave();
    this.#review.leave();
    this.#analysis.leave();
    removeEventListener("pagehide", this.#onHide);
    this.#study.leave();
  }

  key(event: KeyboardEvent): boolean {
    if (this.#editor) return false;
    const study = this.#study;
    switch (event.key) {
      case "ArrowLeft":
        study.back();
        return true;
      case "ArrowRight":
        study.forward();
        return true;
      case "ArrowUp":
        study.toStart();
        return true;
      case "ArrowDown":
        study.toEnd();
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
      case "n":
        if (study.part.peek() === "review") this.#review.nextMistake();
        return true;
      case "v":
        study.nextVariation();
        return true;
      case "s":
        announce(spokenPosition(study.tree.state(study.node), study.tree.variant));
        return true;
      case "i":
        announce(this.#analysis.spoken());
        return true;
      case "l":
        void this.#copyLink();
        return true;
      case "u":
        study.undo();
        return true;
      case "Delete":
        study.remove();
        return true;
      default:
        return false;
    }
  }

  #build(): void {
    const quiet = { hideLabel: true, class: "quiet" } as const;
    const walk = h(
      "div",
      { class: "walk" },
      button(t("To the start"), () => this.#study.toStart(), { ...quiet, icon: "first" }),
      button(t("Back"), () => this.#study.back(), { ...quiet, icon: "prev" }),
      button(t("Forward"), () => this.#study.forward(), { ...quiet, icon: "next" }),
      button(t("To the end"), () => this.#study.toEnd(), { ...quiet, icon: "last" }),
    );
    const tools = h(
      "div",
      { class: "row study-tools" },
      button(t("Import / export"), () => this.#portal.open(), { icon: "upload" }),
      button(t("Edit position"), () => this.#edit(), { icon: "edit" }),
      button(t("Flip"), () => this.#flip(), { icon: "flip", key: "f" }),
      this.#undo,
      button(t("Copy link"), () => void this.#copyLink(), { icon: "share", key: "l" }),
      button(t("Play from here"), () => void this.#playFromHere(), { icon: "play" }),
    );
    this.element.append(
      h("h1", { class: "visually-hidden" }, t("Analysis")),
      h(
        "div",
        { class: "board-column" },
        this.#players[1].element,
        h("div", { class: "board-frame" }, this.#bar.element, this.#board),
        this.#players[0].element,
        this.#review.strip,
      ),
      this.#panel,
    );
    this.#movesCard.append(this.#moves.element, this.#annotations.element, walk);
    const words = h("div", { class: "about-words" }, this.#status, this.#codeLine.element);
    const about = h("div", { class: "about-position" }, words, this.#typed.element);
    fill(this.#panel, this.#steps, about, this.#top, this.#movesCard, tools);
    this.#board.addEventListener("move", (event) => this.#study.play((event as CustomEvent<MoveEvent>).detail.move));
    wheelSteps(this.#board, (by) => (by < 0 ? this.#study.back() : this.#study.forward()));
    this.#board.addEventListener("drawn", () => this.#keepDrawn());
    this.#portal.acceptDrops(this.element);
    document.addEventListener("paste", this.#onPaste);
    addEventListener("pagehide", this.#onHide);
  }

  #setPart(part: Part): void {
    this.#review.shown = part === "review";
    this.element.classList.toggle("reviewing", part === "review");
    fill(this.#top, part === "review" ? this.#review.element : null, part === "explore" ? this.#explore.element : null);
    this.#top.hidden = part === "analyse";
    // In a review the moves come first, elsewhere the engine.
    if (part === "review") {
      this.#engineFold.append(this.#analysis.element);
      this.#movesCard.after(this.#review.times, this.#engineFold);
    } else {
      this.#review.times.remove();
      this.#engineFold.remove();
      this.#movesCard.before(this.#analysis.element);
    }
    if (part === "review") this.#review.open();
    if (part === "explore") this.#explore.show(this.#study.tree, this.#study.node);
    this.#drawArrows();
    this.#address();
  }

  /** Another move, or another game, is on the board. */
  #show({ tree, node, before, grown }: Place): void {
    const other = tree !== this.#shown;
    if (other) this.#opened(tree);
    const state = tree.state(node);
    const stepped = before !== null && (node.parent === before || before.parent === node);
    this.#pointed = null;
    this.#board.setFen(node.fen, stepped || grown);
    this.#board.lastMove = state.last ? [parseSquare(state.last.from)!, parseSquare(state.last.to)!] : [];
    this.#board.check = state.check ? parseSquare(state.check) : null;
    this.#board.mode = "play";
    this.#board.drawnStays = true;
    this.#board.moves = state.moves;
    this.#showDrawn();
    if (grown || other) this.#moves.draw(tree, node);
    else this.#moves.select(node);
    this.#annotations.show(node);
    this.#drawStatus();
    this.#codeLine.show({ variant: tree.variant, fen: node.fen });
    this.#drawPlayers();
    this.#analysis.show(tree, node);
    if (this.#study.part.peek() === "explore") this.#explore.show(tree, node);
    this.#review.moved(node);
    this.#drawArrows();
    this.#address();
    if (!before || node.parent !== before) return;
    const move = tree.state(before).moves.find((candidate) => candidate.uci === node.uci);
    if (!move) return;
    playSound(moveSound(move));
    announce(spokenMove(move, tree.variant));
  }

  #opened(tree: GameTree): void {
    this.#shown = tree;
    if (tree.variant !== this.#board.variant) this.#board.orientation = "white";
    this.#board.variant = tree.variant;
    this.#typed.example = moveExamples(tree.variant);
    this.#review.reset();
    if (this.#study.part.peek() === "review") this.#review.open();
  }

  /** Where the game stands in the list it was opened from. */
  #drawSteps(): void {
    this.#study.place.value;
    const at = neighbours(playlist.value, this.#study.document.id);
    this.#steps.hidden = at === null;
    if (!at) return;
    const step = (label: string, icon: "prev" | "next", id: string | null) =>
      Object.assign(
        button(label, () => navigate(this.#study.part.peek(), { game: id! }), {
          icon,
          hideLabel: true,
          class: "small",
        }),
        { disabled: id === null },
      );
    fill(
      this.#steps,
      step(t("Previous game"), "prev", at.previous),
      h("p", { class: "small" }, h("a", { href: "#/library" }, t("Game {at} of {n}", { at: at.at + 1, n: at.count }))),
      step(t("Next game"), "next", at.next),
    );
  }

  #playBest(): void {
    const best = this.#analysis.lines.best?.pv[0];
    if (best && !this.#analysis.threat) this.#study.playUci(best);
  }

  #edit(): void {
    if (this.#editor) return;
    this.#analysis.suspend(true);
    this.#bar.element.hidden = true;
    this.element.classList.add("editing");
    this.#editor = new PositionEditor(this.#board, this.#study.tree.variant, this.#study.node.fen, (result) => {
      this.#editor = null;
      this.element.classList.remove("editing");
      this.#bar.element.hidden = !settings.evalBar;
      fill(this.#panel, ...parts);
      this.#board.variant = this.#study.tree.variant;
      if (result) {
        const tree = new GameTree(result.variant, result.fen);
        this.#study.open(tree);
      } else this.#study.go(this.#study.node);
      this.#analysis.suspend(false);
    });
    // What is drawn belongs to the move, not to the position that is set up.
    this.#board.setDrawn([], []);
    const parts = [...this.#panel.children] as HTMLElement[];
    fill(this.#panel, this.#editor.element);
    // On a phone its button is further down than it begins.
    scrollTo({ top: 0 });
  }

  async #playFromHere(): Promise<void> {
    if (!(await mayLeave(PlayGame.restore()))) return;
    save("rukh.playfrom", { variant: this.#study.tree.variant, fen: this.#study.node.fen });
    navigate("play");
  }

  /* ------------------------------------------------------------------------------------------------------ drawing */

  #look(): void {
    this.#board.setLook({
      westernPieces: settings.westernMakruk,
      thai: settings.makrukNotation === "thai",
      coordinates: settings.coordinates,
    });
    this.#typed.example = moveExamples(this.#board.variant);
    this.#bar.element.hidden = !settings.evalBar;
  }

  #flip(): void {
    this.#board.orientation = this.#board.orientation === "white" ? "black" : "white";
    this.#bar.element.classList.toggle("turned", this.#board.orientation === "black");
    this.#drawPlayers();
    this.#drawArrows();
  }

  #drawMoves(): void {
    this.#moves.draw(this.#study.tree, this.#study.node);
    this.#annotations.show(this.#study.node);
  }

  #drawArrows(): void {
    if (this.#editor) return;
    const arrows =
      settings.arrows && settings.engineOn && !this.#review.hidesArrows ? this.#analysis.lines.arrows() : [];
    // Why a move was bad is drawn alone: more arrows would say nothing any more.
    const explained = this.#review.arrows(this.#study.node);
    const [from, to] = [this.#pointed?.slice(0, 2), this.#pointed?.slice(2, 4)].map((name) => parseSquare(name ?? ""));
    if (this.#study.part.peek() === "explore" && typeof from === "number" && typeof to === "number")
      this.#board.arrows = [{ from, to, tone: "explore" }];
    else
      this.#board.arrows = this.#analysis.threat
        ? arrows.map((arrow) => ({ ...arrow, tone: "threat" as const }))
        : explained.length
          ? explained
          : arrows;
    this.#board.marks = this.#review.marks(this.#study.node);
  }

  /** Names, ratings and clocks, where the game has them. */
  #drawPlayers(): void {
    const { tree, node } = this.#study;
    const state = tree.state(node);
    const named = ["White", "Black"].some((name) => /[^?\s]/.test(tree.tag(name)));
    this.element.classList.toggle("named", named);
    if (!named) return;
    const set = pieceSetOf(tree.variant, settings.westernMakruk);
    const bottom = this.#board.orientation;
    for (const [i, bar] of this.#players.entries()) {
      const side = i === 0 ? bottom : opponent(bottom);
      const tag = side === "white" ? "White" : "Black";
      bar.draw({
        side,
        name: tree.tag(tag) || "?",
        detail: tree.tag(`${tag}Elo`).replace(/^[?0-]*$/, ""),
        thinking: false,
        turn: state.turn === side,
        material: materialRow(node.fen, side === "white", tree.variant, set),
        count: null,
      });
      // The clock after this side's last move.
      const own = state.turn === side ? node.parent : node;
      const left = own?.clock ?? null;
      bar.clock(left === null ? null : clockText(left), false, false);
    }
  }

  #drawStatus(): void {
    const state = this.#study.tree.state(this.#study.node);
    const names = [this.#study.tree.tag("White"), this.#study.tree.tag("Black")]
      .filter((name) => name && name !== "?")
      .join(" – ");
    const opening = rules().opening(this.#study.tree.spec(this.#study.node));
    const words = [
      opening ? `${opening.eco} ${opening.name}` : "",
      state.outcome ? said(state.outcome.text) : toMove(state.turn),
    ];
    fill(
      this.#status,
      h(
        "span",
        { class: "grow" },
        names && h("span", { class: "names" }, `${names}  ·  `),
        words.filter(Boolean).join("  ·  "),
      ),
      countBadge(state.count),
    );
  }

  /** Arrows drawn by hand belong to the move, as in PGN. */
  #keepDrawn(): void {
    if (this.#editor) return;
    const { arrows, marks } = this.#board.drawn;
    const color = (tone: Tone | undefined) => COLORS.find(([, known]) => known === tone)?.[0] ?? "green";
    this.#study.drawn([
      ...arrows.map(({ from, to, tone }) => ({ color: color(tone), from: squareName(from), to: squareName(to) })),
      ...marks.map(({ square, tone }) => ({ color: color(tone), from: squareName(square) })),
    ]);
  }

  #showDrawn(): void {
    const tone = Object.fromEntries(COLORS);
    const shapes = this.#study.node.shapes;
    this.#board.setDrawn(
      shapes
        .filter((shape) => shape.to)
        .map((shape) => ({ from: parseSquare(shape.from)!, to: parseSquare(shape.to!)!, tone: tone[shape.color] })),
      shapes
        .filter((shape) => !shape.to)
        .map((shape) => ({ square: parseSquare(shape.from)!, kind: "circle" as const, tone: tone[shape.color] })),
    );
  }

  /** A link to the position, by its code; the window for exports has one with the moves. */
  async #copyLink(): Promise<void> {
    const { tree, node } = this.#study;
    let address = href("analyse", shareQuery(tree, node));
    try {
      address = codeHref(tree.variant, await codeOf({ variant: tree.variant, fen: node.fen }));
    } catch {
      // Without the models of the codes the longer link does as well.
    }
    await copy(new URL(address, location.href).href);
  }

  #address(): void {
    replaceAddress(this.#study.part.peek(), shareQuery(this.#study.tree, this.#study.node));
  }
}
