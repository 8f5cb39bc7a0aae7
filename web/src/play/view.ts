import { type Route, type View, navigate } from "../app/router.ts";
import { settings } from "../app/settings.ts";
import { effect } from "../app/store.ts";
import { type MoveEvent, createBoard } from "../board/board.ts";
import { parseSquare } from "../board/geometry.ts";
import { rules } from "../engine/rules.ts";
import { engineService } from "../engine/service.ts";
import { clockText } from "../game/notation.ts";
import { playSound } from "../game/sound.ts";
import { spokenPosition } from "../game/speech.ts";
import { TypedMove, moveExamples } from "../game/typed.ts";
import { VARIANT_NAMES, type Variant } from "../pieces/names.ts";
import { type PieceSet, pieceSetOf } from "../pieces/sprite.ts";
import { handOver } from "../study/handover.ts";
import { confirm, openDialog } from "../ui/dialog.ts";
import { fill, h, setText } from "../ui/dom.ts";
import { announce, notice } from "../ui/notice.ts";
import { ActionBar, type PlayActions, resultCard } from "./actions.ts";
import { type KeepGame, PlayController, type Premove } from "./controller.ts";
import { countBadge } from "./counting.ts";
import { opponent } from "./game.ts";
import { materialRow } from "./material.ts";
import { mayLeave } from "./leaving.ts";
import { MoveStrip } from "./movestrip.ts";
import { PlayerBar } from "./playerbar.ts";
import { wheelSteps } from "../ui/wheel.ts";
import type { SummaryCard } from "./summarycard.ts";
import { addForms, addMessages, reason, t } from "../messages/messages.ts";

const LOW_ON_TIME_MS = 20_000;

/** The library's code is loaded when there is something to keep. */
const keepGame: KeepGame = async (pgn, kept) => {
  const { library } = await import("../library/db.ts");
  const id = kept?.id ?? crypto.randomUUID();
  const saved = await (await library()).save({ id, pgn, path: [] }, kept?.rev ?? 0);
  return { id: saved.id, rev: saved.rev };
};

/** A game against the engine: draws what the controller knows, and tells it what the person does. */
export class PlayView implements View {
  readonly element = h("div", { class: "table play" });
  #play = new PlayController(engineService, { announce, notice, sound: playSound }, keepGame);
  #board = createBoard(t("Board"));
  #top = new PlayerBar();
  #bottom = new PlayerBar();
  #strip = new MoveStrip((ply) => this.#play.show(ply));
  #opening = h("p", { class: "opening muted small" });
  #does: PlayActions = {
    newGame: () => void this.#openNewGame(),
    takeBack: () => this.#play.takeBack(),
    hint: () => void this.#play.findHint(),
    draw: () => void this.#offerDraw(),
    resign: () => void this.#resign(),
    count: () => this.#play.toggleCount(),
    flip: () => this.#play.flip(),
    analyse: () => this.#handOver("analyse"),
    review: () => this.#handOver("review"),
    sumUp: () => void this.#sumUp(),
    pause: () => this.#play.togglePause(),
    rematch: () => {
      this.#play.rematch();
      this.#toBoard();
    },
  };
  #actions = new ActionBar(this.#does);
  #guide = h("div", { class: "guide-place" });
  #summary: SummaryCard | null = null;
  #summaryPlace = h("div");
  #hint = h("p", { class: "card hint-text", hidden: true });
  #message = h("div", { class: "play-message", role: "status" });
  #typed = new TypedMove(
    () => {
      const { record, humanToMove } = this.#play.game;
      return humanToMove ? { variant: record.variant, fen: record.start, moves: record.moves } : null;
    },
    (move) => {
      this.#play.show(this.#play.game.ply);
      this.#play.human(move);
    },
  );
  #effects: (() => void)[];
  #onHide = () => this.#play.pause();

  constructor(_route: Route) {
    const boardColumn = h(
      "div",
      { class: "board-column" },
      this.#top.element,
      h("div", { class: "board-frame" }, this.#board),
      this.#bottom.element,
    );
    const panel = h(
      "aside",
      { class: "panel", "aria-label": t("Game") },
      this.#message,
      this.#summaryPlace,
      this.#hint,
      this.#opening,
      this.#strip.element,
      this.#typed.element,
      this.#actions.element,
      this.#guide,
    );
    this.element.append(h("h1", { class: "visually-hidden" }, t("Play against Rukh")), boardColumn, panel);
    this.#board.addEventListener("move", (event) => this.#play.human((event as CustomEvent<MoveEvent>).detail.move));
    this.#board.addEventListener("premove", (event) =>
      this.#play.setPremove((event as CustomEvent<Premove | null>).detail),
    );
    wheelSteps(this.#board, (by) => this.#play.show(this.#play.shown.peek() + by));
    addEventListener("pagehide", this.#onHide);
    this.#effects = [
      effect(() => this.#look()),
      effect(() => this.#drawBoard()),
      effect(() => this.#drawHint()),
      effect(() => this.#drawMarks()),
      effect(() => this.#drawPanel()),
      effect(() => this.#drawPlayers()),
      effect(() => this.#drawClocks()),
    ];
    // The first answer shall not wait for the engine to start.
    void engineService.get().catch(() => undefined);
  }

  leave(): void {
    for (const end of this.#effects) end();
    removeEventListener("pagehide", this.#onHide);
    this.#dropSummary();
    this.#play.leave();
  }

  key(event: KeyboardEvent): boolean {
    const play = this.#play;
    switch (event.key) {
      case "ArrowLeft":
        play.show(play.shown.peek() - 1);
        return true;
      case "ArrowRight":
        play.show(play.shown.peek() + 1);
        return true;
      case "ArrowUp":
        play.show(0);
        return true;
      case "ArrowDown":
        play.show(play.game.ply);
        return true;
      case "f":
        play.flip();
        return true;
      case "n":
        void this.#openNewGame();
        return true;
      case "h":
        void play.findHint();
        return true;
      case "u":
        play.takeBack();
        return true;
      case "c":
        play.toggleCount();
        return true;
      case "Escape":
        play.setPremove(null);
        return true;
      case "p":
        if (!play.game.watched || play.game.over) return false;
        play.togglePause();
        return true;
      case "m":
        this.#typed.focus();
        return true;
      case "s":
        announce(spokenPosition(play.game.stateAt(play.shown.peek()), play.game.record.variant));
        return true;
      default:
        return false;
    }
  }

  async #resign(): Promise<void> {
    if (await confirm(t("Resign?"), t("You will lose the game."), t("Resign"))) this.#play.resign();
  }

  async #offerDraw(): Promise<void> {
    const { mayClaim, game } = this.#play;
    const asked =
      mayClaim || (await confirm(t("Offer a draw?"), t("If Rukh agrees, the game is over."), t("Offer draw")));
    if (asked && this.#play.game === game && !game.over) this.#play.offerDraw();
  }

  async #openNewGame(): Promise<void> {
    const { newGameForm } = await import("./setup.ts");
    // Somebody who presses the key twice while it is loaded wants one.
    if (document.querySelector("dialog[open]")) return;
    const form = newGameForm(this.#play.levels, async (record) => {
      close();
      if (!(await mayLeave(this.#play.game))) return;
      this.#play.start(record);
      this.#toBoard();
    });
    const { close } = openDialog(t("New game"), [form], { class: "bare" });
  }

  /** A new game begins at the board, for those who play by keyboard. */
  #toBoard(): void {
    this.#board.focusSquare(this.#play.game.record.human === "white" ? 12 : 52, false);
  }

  /** Three things about the game; what reviews it is loaded when somebody asks. */
  async #sumUp(): Promise<void> {
    if (this.#summary) return;
    const { game } = this.#play;
    try {
      await addForms();
      await addMessages("cards");
      const { SummaryCard } = await import("./summarycard.ts");
      if (this.#play.game !== game || !game.over || this.#summary) return;
      this.#summary = new SummaryCard(game.record, this.#play.pgn, this.#play.level(opponent(game.record.human)));
      this.#summaryPlace.append(this.#summary.element);
    } catch (error) {
      notice(reason(error), "warn");
    }
  }

  #dropSummary(): void {
    this.#summary?.leave();
    this.#summary = null;
    fill(this.#summaryPlace);
  }

  /** A finished game is opened where it is kept, so that there is one of it. */
  #handOver(path: "analyse" | "review"): void {
    const { kept } = this.#play.game.record;
    if (kept && this.#play.game.over) return navigate(path, { game: kept.id });
    handOver(this.#play.pgn);
    navigate(path);
  }

  /* ------------------------------------------------------------------------------------------------------- drawing */

  #look(): void {
    const variant = this.#play.variant.value;
    this.#board.variant = variant;
    this.#typed.example = moveExamples(variant);
    this.#board.orientation = this.#play.orientation.value;
    this.#board.setLook({
      westernPieces: settings.westernMakruk,
      thai: settings.makrukNotation === "thai",
      coordinates: settings.coordinates,
    });
    void this.#drawGuide(variant, pieceSetOf(variant, settings.westernMakruk));
  }

  /** The pieces of Makruk, for whoever plays it. */
  async #drawGuide(variant: Variant, set: PieceSet): Promise<void> {
    const guide = variant === "makruk" ? (await import("./makrukguide.ts")).makrukGuide(set) : null;
    if (this.#play.variant.peek() === variant) fill(this.#guide, guide);
  }

  #drawBoard(): void {
    const { game } = this.#play;
    const state = game.stateAt(this.#play.shown.value);
    this.#board.setFen(state.fen);
    this.#board.lastMove = state.last ? [parseSquare(state.last.from)!, parseSquare(state.last.to)!] : [];
    this.#board.check = state.check ? parseSquare(state.check) : null;
    this.#board.mode = game.over ? "view" : "play";
    this.#board.moves = this.#play.live ? game.state.moves : [];
    this.#board.premover = this.#play.mayPremove ? game.record.human : null;
  }

  /** A move in advance, or the piece that a hint is about. */
  #drawMarks(): void {
    const premove = this.#play.premove.value;
    const hint = this.#play.hint.value;
    const squares = premove ? [premove.from, premove.to] : [];
    this.#board.marks =
      hint?.step === 2
        ? [{ square: parseSquare(hint.move.from)!, kind: "circle", tone: "good" }]
        : squares.map((name) => ({ square: parseSquare(name)!, kind: "fill", tone: "second" }));
  }

  #drawHint(): void {
    const hint = this.#play.hint.value;
    this.#board.arrows =
      hint?.step === 3 ? [{ from: parseSquare(hint.move.from)!, to: parseSquare(hint.move.to)!, tone: "good" }] : [];
    this.#hint.hidden = !hint;
    setText(this.#hint, hint?.text ?? "");
  }

  #drawPanel(): void {
    const { game } = this.#play;
    const { record } = game;
    const shown = this.#play.shown.value;
    this.#strip.draw(game, shown);
    this.#message.hidden = !game.over;
    if (!game.over && this.#summary) this.#dropSummary();
    fill(this.#message, resultCard(record, this.#does));
    this.#typed.element.hidden = game.watched;
    this.#actions.draw(game, this.#play.mayClaim, this.#play.busy.value, this.#play.paused.value);
    const moves = record.moves.slice(0, shown);
    const opening = record.variant === "chess" ? rules().opening({ variant: "chess", fen: record.start, moves }) : null;
    setText(this.#opening, opening ? `${opening.eco}  ${opening.name}` : VARIANT_NAMES[record.variant]);
  }

  /** The bars with the sides they stand for. */
  get #bars() {
    const orientation = this.#play.orientation.value;
    return [
      [this.#bottom, orientation],
      [this.#top, opponent(orientation)],
    ] as const;
  }

  #drawPlayers(): void {
    const { game } = this.#play;
    const { human: person, variant } = game.record;
    const state = game.stateAt(this.#play.shown.value);
    const set = pieceSetOf(variant, settings.westernMakruk);
    for (const [bar, side] of this.#bars) {
      const human = side === person && !game.watched;
      bar.draw({
        side,
        name: human ? t("You") : this.#play.engineName,
        detail: human ? "" : this.#play.levelText(side),
        thinking: !human && this.#play.busy.value && game.state.turn === side,
        count: state.count?.side === side ? countBadge(state.count) : null,
        turn: !game.over && state.turn === side,
        material: materialRow(state.fen, side === "white", variant, set),
      });
    }
  }

  #drawClocks(): void {
    const { control } = this.#play.game.record;
    for (const [bar, side] of this.#bars) {
      const { left, running } = this.#play.clock(side);
      bar.clock(control ? clockText(left) : null, running, left < LOW_ON_TIME_MS);
    }
  }
}
