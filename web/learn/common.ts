import type { BoardState, PositionSpec, Uci } from "rukh-engine";
import { type Square, parseSquare, squareName } from "../src/board/geometry.ts";
import type { RukhBoard } from "../src/board/board.ts";
import type { ChapterContext } from "../src/learn/chapter.ts";
import { type Picked, type Preset, positionPicker } from "../src/learn/kit.ts";
import { type Variant, VARIANTS } from "../src/pieces/names.ts";
import { openDialog } from "../src/ui/dialog.ts";
import { button, h } from "../src/ui/dom.ts";
import "./common.css";
import { reason, t } from "../src/messages/messages.ts";

export const CHESS_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
export const MAKRUK_START = "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1";
export const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
export const MAKRUK_MIDDLE = "2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19";

/** Positions that most chapters offer. */
export const PRESETS: readonly Preset[] = [
  { name: t("Crowded board"), variant: "chess", fen: KIWIPETE },
  { name: t("Start"), variant: "chess", fen: CHESS_START },
  { name: t("Rook ending"), variant: "chess", fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" },
  { name: t("Middle game"), variant: "makruk", fen: MAKRUK_MIDDLE },
  { name: t("Start"), variant: "makruk", fen: MAKRUK_START },
];

export const ALL_64 = (1n << 64n) - 1n;

/** 16 hexadecimal digits. */
export const hex64 = (value: bigint): string => value.toString(16).padStart(16, "0");
/** Groups of four digits, easier to compare by eye. */
export const spaced = (hex: string): string => hex.replace(/(.{4})(?=.)/g, "$1 ");
/** `12,345`: the same in every browser, so that tests can read it. */
export const thousands = (value: number | bigint): string => value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");

export function popcount(value: bigint): number {
  let count = 0;
  for (let rest = value; rest; rest &= rest - 1n) count += 1;
  return count;
}

/** The position a chapter is about: from the address, changed by the picker, kept in the address with the widgets' settings. */
export class Place {
  readonly picker: HTMLElement;
  #picked: Picked;
  #extra: Record<string, string>;
  readonly #context: ChapterContext;
  readonly #first: Picked;
  readonly #listeners: (() => void)[] = [];

  constructor(context: ChapterContext, presets: readonly Preset[] = PRESETS, variants: readonly Variant[] = VARIANTS) {
    this.#context = context;
    this.#first = presets[0]!;
    this.#picked = this.#first;
    const variant = variants.find((name) => name === context.query.get("game"));
    const fen = context.query.get("fen");
    if (variant !== undefined || fen !== null) {
      const game = variant ?? this.#first.variant;
      const check = context.rules.checkFen(
        game,
        fen ?? presets.find((preset) => preset.variant === game)?.fen ?? context.rules.state({ variant: game }).fen,
      );
      if (check.ok) this.#picked = { variant: game, fen: check.fen };
    }
    this.#extra = Object.fromEntries([...context.query].filter(([name]) => name !== "game" && name !== "fen"));
    this.picker = positionPicker(
      presets,
      this.#picked,
      (picked) => {
        this.#picked = picked;
        this.#write();
        for (const listener of this.#listeners) listener();
      },
      variants,
    );
  }

  get variant(): Variant {
    return this.#picked.variant;
  }
  get fen(): string {
    return this.#picked.fen;
  }
  /** For questions: `{ ask: "bitboards", ...place.spec }`. */
  get spec(): PositionSpec & Picked {
    return this.#picked;
  }

  /** Called after another position was chosen. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Goes to a position found otherwise than by the picker. */
  go(picked: Picked): void {
    if (picked.variant !== this.#picked.variant) throw new Error(t("the game is chosen by the picker"));
    this.#picked = picked;
    const field = this.picker.querySelector<HTMLInputElement>("input.mono");
    if (field) field.value = picked.fen;
    this.#write();
    for (const listener of this.#listeners) listener();
  }

  /** A setting in the address. */
  get(name: string): string | null {
    return this.#extra[name] ?? null;
  }
  /** Keeps settings in the address; an empty one leaves it. */
  keep(extra: Record<string, string | number>): void {
    for (const [name, value] of Object.entries(extra)) {
      if (value === "") delete this.#extra[name];
      else this.#extra[name] = String(value);
    }
    this.#write();
  }

  #write(): void {
    const here = this.#picked;
    this.#context.setQuery({
      ...(here.variant === this.#first.variant ? {} : { game: here.variant }),
      ...(here.fen === this.#first.fen ? {} : { fen: here.fen }),
      ...this.#extra,
    });
  }

  /** Puts the position on a board. */
  show(board: RukhBoard): void {
    board.variant = this.variant;
    board.setFen(this.fen, false);
  }
}

/** Shows a state on a board to play on: pieces, moves, last move, check. */
export function showState(board: RukhBoard, state: BoardState): void {
  board.setFen(state.fen);
  board.moves = state.ended ? [] : state.moves;
  board.lastMove = [state.last?.from, state.last?.to].flatMap((name) => parseSquare(name ?? "") ?? []);
  board.check = parseSquare(state.check ?? "");
}

/** Moves written in the address: those that can be played from the position. */
export function storedMoves(context: ChapterContext, place: Place): Uci[] {
  return context.rules
    .line(place.spec, (place.get("moves") ?? "").split(",").filter(Boolean))
    .moves.map((move) => move.uci);
}

/** Opens the file a chapter explains, as it was when this page was built. `line` is a text of the line to begin at. */
export function source(path: string, line: string, load: () => Promise<{ default: string }>): HTMLElement {
  const open = async () => {
    const { default: text } = await load();
    const lines = text.trimEnd().split("\n");
    const at = Math.max(
      0,
      lines.findIndex((candidate) => candidate.includes(line)),
    );
    const rows = lines.map((row, i) =>
      h(
        "div",
        { class: i === at ? "source-line here" : "source-line" },
        h("span", { class: "code-number" }, i + 1),
        row || " ",
      ),
    );
    openDialog(
      path,
      [
        h(
          "div",
          { class: "code-view mono", tabindex: "0", role: "region", "aria-label": t("Source of {path}", { path }) },
          ...rows,
        ),
      ],
      { class: "wide" },
    );
    rows[at]!.scrollIntoView({ block: "center" });
  };
  return button(path, () => void open(), { class: "small quiet source", title: t("Read the source") });
}

/** The row of source files under a section. */
export const sources = (...files: HTMLElement[]): HTMLElement =>
  h("div", { class: "row sources" }, h("span", { class: "muted small" }, t("In the source:")), ...files);

/** A table; cells are texts or elements, the first column heads its row. */
export function grid(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Node | string | number)[])[],
  className = "",
): HTMLElement {
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: `grid ${className}` },
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", null, h("tr", null, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h(
        "tbody",
        null,
        ...rows.map(([first, ...cells]) =>
          h("tr", null, h("th", { scope: "row" }, first!), ...cells.map((cell) => h("td", null, cell))),
        ),
      ),
    ),
  );
}

/** Names and values side by side. */
export function facts(pairs: readonly (readonly [string, Node | string])[]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    ...pairs.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}

/** Back, next and a line that says where one is. Arrow keys work while the focus is inside. */
export class Stepper {
  readonly element: HTMLElement;
  readonly #line = h("p", { class: "step-line", role: "status" });
  readonly #back: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  readonly #bar = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": t("Step") });
  #at = 0;
  #length = 1;

  constructor(private readonly show: (step: number) => string) {
    this.#back = button(t("Previous step"), () => this.go(this.#at - 1), { icon: "prev" });
    this.#next = button(t("Next step"), () => this.go(this.#at + 1), { icon: "next", class: "primary" });
    this.#bar.addEventListener("input", () => this.go(Number(this.#bar.value)));
    this.element = h(
      "div",
      { class: "stepper" },
      h("div", { class: "row" }, this.#back, this.#next, h("div", { class: "grow step-bar" }, this.#bar)),
      this.#line,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.target === this.#bar) return;
      if (event.key === "ArrowRight") this.go(this.#at + 1);
      else if (event.key === "ArrowLeft") this.go(this.#at - 1);
      else return;
      event.preventDefault();
    });
  }

  get at(): number {
    return this.#at;
  }

  /** Starts again with so many steps. */
  reset(length: number, at = 0): void {
    this.#length = Math.max(1, length);
    this.#bar.max = String(this.#length - 1);
    this.go(at);
  }

  go(step: number): void {
    this.#at = Math.min(this.#length - 1, Math.max(0, step));
    this.#bar.value = String(this.#at);
    this.#back.disabled = this.#at === 0;
    this.#next.disabled = this.#at === this.#length - 1;
    this.#line.textContent = `${t("{at} of {n}", { at: this.#at + 1, n: this.#length })}. ${this.show(this.#at)}`;
  }
}

/** Calls `run` when things have been quiet for a moment. */
export function debounce(milliseconds: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
}

/** `a1, c3 and e5`, or `none`. */
export function squareList(squares: readonly Square[]): string {
  const names = squares.map(squareName);
  return names.length === 0
    ? t("none")
    : names.length === 1
      ? names[0]!
      : t("{list} and {last}", { list: names.slice(0, -1).join(", "), last: names.at(-1)! });
}

/** The sentence of an error. */
export const message = (error: unknown): string => reason(error);
/** The same, written as one. */
export function sentence(error: unknown): string {
  const text = message(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
