import type { BoardState, Color, LegalMove, Level } from "rukh-engine";
import { type Route, type View, navigate } from "../app/router.ts";
import { onSetting, settings } from "../app/settings.ts";
import { type MoveEvent, createBoard } from "../board/board.ts";
import { parseSquare } from "../board/geometry.ts";
import { rules } from "../engine/rules.ts";
import { engineService } from "../engine/service.ts";
import { clockText, spokenMove } from "../game/notation.ts";
import { spokenPosition } from "../game/speech.ts";
import { TypedMove, moveExamples } from "../game/typed.ts";
import { moveSound, playSound } from "../game/sound.ts";
import { VARIANT_NAMES } from "../pieces/names.ts";
import { handOver } from "../study/handover.ts";
import { confirm, openDialog } from "../ui/dialog.ts";
import { fill, h, setText } from "../ui/dom.ts";
import { announce, notice } from "../ui/notice.ts";
import { ActionBar, type PlayActions, resultCard } from "./actions.ts";
import { Clocks } from "./clock.ts";
import { countBadge, countSpoken } from "./counting.ts";
import { type Ending, PlayGame, type PlayRecord, opponent } from "./game.ts";
import { makrukGuide } from "./makrukguide.ts";
import { materialRow } from "./material.ts";
import { MoveStrip } from "./movestrip.ts";
import { PlayerBar } from "./playerbar.ts";
import { levelText, newGameForm } from "./setup.ts";
import { firstGame, playFrom } from "./starts.ts";

// A move that comes at once is hard to follow.
const LEAST_THINKING_MS = 350;
// Full strength without a clock: a fixed effort, so that a slow machine plays as well as a fast one.
const FULL_NODES = 600_000;
// A worker that dies is replaced; a game must not stand still because of it.
const MOST_ATTEMPTS = 3;
const HINT_NODES = 150_000;
// Centipawns (for the engine) up to which it takes a draw, and the move from which it may.
const DRAW_SCORE = 0;
const DRAW_FROM_MOVE = 20;
// Makruk: how much worse (or better) the engine must be to start (or stop) its count.
const COUNT_SCORE = 150;

/** A game against the engine. */
export class PlayView implements View {
  readonly element = h("div", { class: "table play" });
  #board = createBoard("Board");
  #levels: readonly Level[] = rules().levels();
  #game: PlayGame;
  #clocks!: Clocks;
  #shown = 0;
  #engineScore = 0;
  #flipped = false;
  #busy = false;
  #top = new PlayerBar();
  #bottom = new PlayerBar();
  #strip = new MoveStrip((ply) => this.#showPly(ply));
  #opening = h("p", { class: "opening muted small" });
  #does: PlayActions = {
    newGame: () => this.#openNewGame(),
    takeBack: () => this.#takeBack(),
    hint: () => void this.#hint(),
    draw: () => this.#offerDraw(),
    resign: () => void this.#resign(),
    count: () => this.#toggleCount(),
    flip: () => this.#flip(),
    analyse: () => this.#handOver("analyse"),
    review: () => this.#handOver("review"),
    rematch: () => this.#rematch(),
  };
  #actions = new ActionBar(this.#does);
  #guide = h("div", { class: "guide-place" });
  #message = h("div", { class: "play-message", role: "status" });
  #typed = new TypedMove(
    () => {
      const { variant, start, moves } = this.#game.record;
      return this.#game.humanToMove ? { variant, fen: start, moves } : null;
    },
    (move) => {
      this.#showPly(this.#game.ply);
      this.#human(move);
    },
  );
  #offSetting: () => void;

  constructor(_route: Route) {
    const restored = playFrom() ?? PlayGame.restore();
    this.#game = restored ?? new PlayGame(firstGame());
    const boardColumn = h(
      "div",
      { class: "board-column" },
      this.#top.element,
      h("div", { class: "board-frame" }, this.#board),
      this.#bottom.element,
    );
    const panel = h(
      "aside",
      { class: "panel", "aria-label": "Game" },
      this.#message,
      this.#opening,
      this.#strip.element,
      this.#typed.element,
      this.#actions.element,
      this.#guide,
    );
    this.element.append(h("h1", { class: "visually-hidden" }, "Play against Rukh"), boardColumn, panel);
    this.#board.addEventListener("move", (event) => this.#human((event as CustomEvent<MoveEvent>).detail.move));
    this.#offSetting = onSetting(() => this.#look());
    addEventListener("pagehide", this.#onHide);
    this.#begin(restored === null);
    // The first answer shall not wait for the engine to start.
    void engineService.get().catch(() => undefined);
  }

  /** Time that was used before the page is closed is used. */
  #onHide = () => {
    this.#clocks.run(null);
    this.#game.store();
  };

  leave(): void {
    this.#offSetting();
    removeEventListener("pagehide", this.#onHide);
    this.#onHide();
    void engineService.stop();
  }

  key(event: KeyboardEvent): boolean {
    switch (event.key) {
      case "ArrowLeft":
        this.#showPly(this.#shown - 1);
        return true;
      case "ArrowRight":
        this.#showPly(this.#shown + 1);
        return true;
      case "ArrowUp":
        this.#showPly(0);
        return true;
      case "ArrowDown":
        this.#showPly(this.#game.ply);
        return true;
      case "f":
        this.#flip();
        return true;
      case "n":
        this.#openNewGame();
        return true;
      case "h":
        void this.#hint();
        return true;
      case "u":
        this.#takeBack();
        return true;
      case "c":
        this.#toggleCount();
        return true;
      case "m":
        this.#typed.focus();
        return true;
      case "s":
        announce(spokenPosition(this.#game.stateAt(this.#shown), this.#game.record.variant));
        return true;
      default:
        return false;
    }
  }

  /* ------------------------------------------------------------------------------------------------------ the game */

  /** Takes the game to the board and gives the move to whom it belongs. */
  #begin(fresh: boolean): void {
    const { record } = this.#game;
    this.#clocks?.run(null);
    this.#clocks = new Clocks(
      record.clocks,
      () => this.#drawClocks(),
      (loser) => this.#flag(loser),
    );
    this.#flipped = false;
    this.#shown = this.#game.ply;
    this.#engineScore = 0;
    this.#look();
    this.#showPly(this.#game.ply);
    if (fresh && record.moves.length === 0 && record.human === "white") return;
    this.#next();
  }

  #start(record: PlayRecord): void {
    void engineService.newGame();
    this.#game = new PlayGame(record);
    this.#game.store();
    this.#begin(false);
    announce(`New game of ${VARIANT_NAMES[record.variant]}. You have the ${record.human} pieces.`);
    this.#board.focusSquare(record.human === "white" ? 12 : 52, false);
  }

  /** The engine's turn, or the human's. */
  #next(): void {
    const game = this.#game;
    // The clocks start with the first move, as over the board with the button.
    if (game.record.control && !game.over && game.ply > 0) this.#clocks.run(game.state.turn);
    this.#drawAll();
    if (!game.over && !game.humanToMove) void this.#engineMove();
  }

  async #engineMove(attempt = 1): Promise<void> {
    const game = this.#game;
    const { record } = game;
    const level = this.#levels[record.level] ?? this.#levels.at(-1)!;
    this.#busy = true;
    this.#engineCounts();
    this.#drawAll();
    const began = performance.now();
    const ply = game.ply;
    try {
      const clock = record.control
        ? {
            wtime: this.#clocks.of("white"),
            btime: this.#clocks.of("black"),
            winc: record.control.increment,
            binc: record.control.increment,
          }
        : {};
      const result = await engineService.run(
        {
          variant: record.variant,
          start: record.start,
          moves: record.moves,
          elo: level.elo,
          go: record.control ? clock : { nodes: FULL_NODES },
        },
        (info) => {
          if (info.multipv === 1)
            this.#engineScore =
              info.score.mate !== undefined ? Math.sign(info.score.mate) * 10_000 : (info.score.cp ?? 0);
        },
      );
      if (!result?.bestMove) return;
      if (settings.animation) await pause(LEAST_THINKING_MS - (performance.now() - began));
      if (this.#game !== game || game.over || game.ply !== ply) return;
      if (this.#standingOffer() === "human" && this.#engineScore <= DRAW_SCORE) {
        this.#end({ result: "1/2-1/2", text: "Draw: Rukh took the standing offer of the counting side" });
        return;
      }
      const move = game.state.moves.find((candidate) => candidate.uci === result.bestMove);
      if (!move) throw new Error(`the engine answered ${result.bestMove}`);
      this.#makeMove(move);
    } catch (error) {
      notice(`The engine could not move: ${error instanceof Error ? error.message : String(error)}`, "warn");
      if (attempt < MOST_ATTEMPTS && this.#game === game && game.ply === ply)
        setTimeout(() => void this.#engineMove(attempt + 1), 500);
    } finally {
      if (this.#game === game) {
        this.#busy = false;
        this.#drawAll();
      }
    }
  }

  #human(move: LegalMove): void {
    if (!this.#game.humanToMove || this.#shown !== this.#game.ply) return;
    this.#makeMove(move);
  }

  #makeMove(move: LegalMove): void {
    const game = this.#game;
    const { record } = game;
    const mover = game.state.turn;
    if (record.control && game.ply > 0) {
      this.#clocks.run(null);
      this.#clocks.add(mover, record.control.increment);
    }
    record.spent.push(record.control ? Math.round(this.#clocks.of(mover)) : 0);
    game.play(move);
    this.#board.arrows = [];
    playSound(moveSound(move));
    this.#showPly(game.ply);
    const count = game.state.count ? ` ${countSpoken(game.state.count)}` : "";
    announce(`${mover === record.human ? "You" : "Rukh"}: ${spokenMove(move, record.variant)}.${count}`);
    if (game.over) this.#finished();
    else if (this.#engineClaims()) this.#end({ result: "1/2-1/2", text: `Draw by ${game.state.outcome!.reason}` });
    else this.#next();
  }

  /** Makruk: the engine counts board's honour when it is worse, and stops when it wants to win. */
  #engineCounts(): void {
    const { mayCount } = this.#game.state;
    const wants = this.#engineScore < -COUNT_SCORE ? "start" : this.#engineScore > COUNT_SCORE ? "stop" : null;
    if (!mayCount || mayCount !== wants) return;
    this.#game.toggleCount();
    const text =
      mayCount === "start" ? "Rukh starts counting: a draw is offered as long as it counts." : "Rukh stops counting.";
    notice(text);
    announce(text);
  }

  /** A draw that must be claimed: the engine does so when it is not better. */
  #engineClaims(): boolean {
    return this.#game.state.outcome !== null && this.#engineScore <= DRAW_SCORE;
  }

  #flag(loser: Color): void {
    this.#end({
      result: loser === "white" ? "0-1" : "1-0",
      text: `${loser === "white" ? "Black" : "White"} wins on time`,
    });
  }

  #end(ending: Ending): void {
    void engineService.stop();
    this.#game.end(ending);
    this.#finished();
  }

  #finished(): void {
    this.#clocks.run(null);
    this.#busy = false;
    playSound("end");
    this.#drawAll();
    const { ending } = this.#game.record;
    announce(`The game is over. ${ending?.text ?? ""}`);
  }

  /* ------------------------------------------------------------------------------------------------------- actions */

  #takeBack(): void {
    if (!this.#game.canTakeBack) return;
    void engineService.stop();
    this.#clocks.run(null);
    this.#game.takeBack();
    this.#board.arrows = [];
    this.#busy = false;
    this.#showPly(this.#game.ply);
    announce("Taken back");
    this.#next();
  }

  async #hint(): Promise<void> {
    const game = this.#game;
    if (!game.humanToMove || this.#busy) return;
    const { variant, start, moves } = game.record;
    const ply = game.ply;
    this.#showPly(ply);
    const result = await engineService.run(
      { variant, start, moves, elo: null, go: { nodes: HINT_NODES } },
      () => undefined,
    );
    const move = game.state.moves.find((candidate) => candidate.uci === result?.bestMove);
    if (!move || this.#game !== game || game.ply !== ply) return;
    this.#board.arrows = [{ from: parseSquare(move.from)!, to: parseSquare(move.to)!, tone: "good" }];
    announce(`Hint: ${spokenMove(move, variant)}`);
  }

  async #resign(): Promise<void> {
    const { human } = this.#game.record;
    if (!(await confirm("Resign?", "The game will be lost.", "Resign"))) return;
    if (!this.#game.over)
      this.#end({
        result: human === "white" ? "0-1" : "1-0",
        text: `${human === "white" ? "Black" : "White"} wins by resignation`,
      });
  }

  #offerDraw(): void {
    const { state } = this.#game;
    if (state.outcome) this.#end({ result: "1/2-1/2", text: `Draw by ${state.outcome.reason}` });
    else if (this.#standingOffer() === "engine")
      this.#end({ result: "1/2-1/2", text: "Draw: the standing offer of the counting side was taken" });
    else if (this.#engineScore <= DRAW_SCORE && state.fullmove >= DRAW_FROM_MOVE)
      this.#end({ result: "1/2-1/2", text: "Draw by agreement" });
    else notice("Rukh plays on.");
  }

  /** Makruk: whoever counts board's honour offers a draw as long as he counts. */
  #standingOffer(): "human" | "engine" | null {
    const { count } = this.#game.state;
    if (count?.honour !== "board") return null;
    return count.side === this.#game.record.human ? "human" : "engine";
  }

  #toggleCount(): void {
    const game = this.#game;
    if (!game.humanToMove || !game.state.mayCount) return;
    const starts = game.state.mayCount === "start";
    game.toggleCount();
    announce(starts ? "You start counting." : "You stop counting.");
    this.#drawAll();
  }

  #openNewGame(): void {
    const { close } = openDialog(
      "New game",
      [
        newGameForm(this.#levels, (record) => {
          close();
          this.#start(record);
        }),
      ],
      { class: "bare" },
    );
  }

  #rematch(): void {
    const { record } = this.#game;
    const start = record.variant === "chess960" ? rules().chess960(Math.floor(Math.random() * 960)) : record.start;
    this.#start({
      ...record,
      start,
      moves: [],
      spent: [],
      counting: [],
      ending: null,
      human: opponent(record.human),
      clocks: [record.control?.initial ?? 0, record.control?.initial ?? 0],
    });
  }

  #flip(): void {
    this.#flipped = !this.#flipped;
    this.#look();
  }

  #handOver(path: "analyse" | "review"): void {
    handOver(this.#game.pgn(this.#levels[this.#game.record.level]?.name ?? ""));
    navigate(path);
  }

  /* ------------------------------------------------------------------------------------------------------- drawing */

  #look(): void {
    const { record } = this.#game;
    this.#board.variant = record.variant;
    this.#typed.example = moveExamples(record.variant);
    this.#board.orientation = this.#flipped ? opponent(record.human) : record.human;
    this.#board.setLook({
      westernPieces: settings.westernMakruk,
      thai: settings.makrukNotation === "thai",
      coordinates: settings.coordinates,
    });
    fill(this.#guide, makrukGuide(record.variant, this.#board.pieceSet));
    this.#drawAll();
  }

  #showPly(ply: number): void {
    const game = this.#game;
    this.#shown = Math.max(0, Math.min(ply, game.ply));
    const state = game.stateAt(this.#shown);
    this.#board.setFen(state.fen);
    this.#board.lastMove = state.last ? [parseSquare(state.last.from)!, parseSquare(state.last.to)!] : [];
    this.#board.check = state.check ? parseSquare(state.check) : null;
    this.#drawAll();
  }

  #drawAll(): void {
    const game = this.#game;
    const live = this.#shown === game.ply && game.humanToMove;
    this.#board.mode = game.over ? "view" : "play";
    this.#board.moves = live ? game.state.moves : [];
    this.#strip.draw(game, this.#shown);
    this.#drawPlayers(game.stateAt(this.#shown));
    this.#message.hidden = !game.over;
    fill(this.#message, resultCard(game.record, this.#does));
    const mayClaim = !game.over && (game.state.outcome !== null || this.#standingOffer() === "engine");
    this.#actions.draw(game, mayClaim, this.#busy);
    const opening =
      game.record.variant === "chess"
        ? rules().opening({ variant: "chess", fen: game.record.start, moves: game.record.moves.slice(0, this.#shown) })
        : null;
    setText(this.#opening, opening ? `${opening.eco}  ${opening.name}` : VARIANT_NAMES[game.record.variant]);
  }

  #drawPlayers(state: BoardState): void {
    const { record } = this.#game;
    const level = this.#levels[record.level] ?? this.#levels.at(-1)!;
    for (const [bar, side] of [
      [this.#bottom, this.#board.orientation],
      [this.#top, opponent(this.#board.orientation)],
    ] as const) {
      const human = side === record.human;
      bar.draw({
        side,
        name: human ? "You" : "Rukh",
        detail: human ? "" : levelText(level),
        thinking: !human && this.#busy,
        count: state.count?.side === side ? countBadge(state.count) : null,
        turn: !this.#game.over && state.turn === side,
        material: materialRow(state.fen, side === "white", record.variant, this.#board.pieceSet),
      });
    }
    this.#drawClocks();
  }

  #drawClocks(): void {
    const { record } = this.#game;
    for (const [bar, side] of [
      [this.#bottom, this.#board.orientation],
      [this.#top, opponent(this.#board.orientation)],
    ] as const) {
      const left = this.#clocks.of(side);
      bar.clock(record.control ? clockText(left) : null, this.#clocks.running === side, left < 20_000);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
