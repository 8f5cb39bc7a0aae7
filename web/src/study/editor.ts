import type { Color, SetupCheck } from "rukh-engine";
import type { RukhBoard } from "../board/board.ts";
import type { Square } from "../board/geometry.ts";
import { type Placement, readPlacement } from "../board/placement.ts";
import { rules } from "../engine/rules.ts";
import { type Variant, VARIANTS, VARIANT_NAMES, kindsOf, pieceName, sideName } from "../pieces/names.ts";
import { type Piece, pieceSvg } from "../pieces/sprite.ts";
import { choice, select } from "../ui/controls.ts";
import { button, fill, h } from "../ui/dom.ts";
import { said, t } from "../messages/messages.ts";

/** The position editor: a palette beside the board, fields below it, and the engine's word on what is wrong. */
export class PositionEditor {
  readonly element = h("section", { class: "card stack editor", "aria-label": t("Position editor") });
  #placement: Map<Square, Piece>;
  #turn: Color;
  #castling: Set<string>;
  #enPassant: string;
  #tool: Piece | "hand" | "bin" = "hand";
  #palette = h("div", { class: "palette", role: "group", "aria-label": t("Pieces") });
  #rights = h("div", { class: "row" });
  #fen = h("input", { class: "input mono", spellcheck: "false", "aria-label": "FEN", onChange: () => this.#readFen() });
  #error = h("p", { class: "error", role: "alert" });
  #use: HTMLButtonElement;
  #check: SetupCheck | null = null;
  #onSquare = (event: Event) => this.#touch((event as CustomEvent<Square>).detail);
  #onCarry = (event: Event) => {
    const { from, to } = (event as CustomEvent<{ from: Square; to: Square | null }>).detail;
    const piece = this.#placement.get(from);
    this.#placement.delete(from);
    if (piece && to !== null) this.#placement.set(to, piece);
    this.#changed();
  };

  constructor(
    private readonly board: RukhBoard,
    private variant: Variant,
    fen: string,
    private readonly onDone: (result: { variant: Variant; fen: string } | null) => void,
  ) {
    this.#placement = readPlacement(fen);
    const fields = fen.split(" ");
    this.#turn = fields[1] === "b" ? "black" : "white";
    this.#castling = new Set(variant === "makruk" || fields[2] === "-" ? [] : (fields[2] ?? ""));
    this.#enPassant = variant !== "makruk" && /^[a-h][36]$/.test(fields[3] ?? "") ? fields[3]! : "-";
    this.#use = button(
      t("Use this position"),
      () => this.#check?.ok && this.#finish({ variant: this.variant, fen: this.#check.fen }),
      { class: "primary" },
    );
    board.addEventListener("square", this.#onSquare);
    board.addEventListener("carry", this.#onCarry);
    board.mode = "edit";
    board.arrows = [];
    board.lastMove = [];
    board.check = null;
    this.#build();
    this.#changed();
  }

  /** Leaves without a result. */
  cancel(): void {
    this.#finish(null);
  }

  #finish(result: { variant: Variant; fen: string } | null): void {
    this.board.removeEventListener("square", this.#onSquare);
    this.board.removeEventListener("carry", this.#onCarry);
    this.onDone(result);
  }

  #build(): void {
    fill(
      this.element,
      h("h2", null, t("Position")),
      choice(
        t("Game"),
        VARIANTS.map((name) => [name, VARIANT_NAMES[name]] as const),
        this.variant,
        (variant) => {
          this.variant = variant;
          this.board.variant = variant;
          this.#tool = "hand";
          this.#load(rules().state({ variant }).fen);
          this.#build();
          this.#changed();
        },
      ),
      this.#palette,
      choice(
        t("To move"),
        [
          ["white", t("White")],
          ["black", t("Black")],
        ],
        this.#turn,
        (turn) => {
          this.#turn = turn;
          this.#changed();
        },
      ),
      this.#rights,
      h("label", { class: "field" }, h("span", null, "FEN"), this.#fen),
      this.#error,
      h(
        "div",
        { class: "row" },
        button(
          t("Clear board"),
          () => {
            this.#placement.clear();
            this.#castling.clear();
            this.#changed();
          },
          { icon: "trash" },
        ),
        button(t("Starting position"), () => {
          this.#load(rules().state({ variant: this.variant }).fen);
          this.#changed();
        }),
      ),
      h(
        "div",
        { class: "row" },
        this.#use,
        button(t("Cancel"), () => this.cancel()),
      ),
    );
    this.#drawPalette();
  }

  #drawPalette(): void {
    const set = this.board.pieceSet;
    const tool = (tool: Piece | "hand" | "bin", label: string, content: string) => {
      const element = h("button", {
        type: "button",
        class: "tool",
        "aria-label": label,
        title: label,
        html: content,
        onClick: () => {
          this.#tool = tool;
          this.#drawPalette();
        },
      });
      const chosen =
        typeof tool === "string" || typeof this.#tool === "string"
          ? tool === this.#tool
          : tool.kind === this.#tool.kind && tool.white === this.#tool.white && tool.promoted === this.#tool.promoted;
      element.setAttribute("aria-pressed", String(chosen));
      return element;
    };
    const named = (piece: Piece) => {
      const name = pieceName(piece, this.variant, "both");
      return name.charAt(0).toUpperCase() + name.slice(1);
    };
    const pieces = (white: boolean) => {
      const plain = kindsOf(this.variant).map((kind): Piece => ({ kind, white, promoted: false }));
      return this.variant === "makruk" ? [...plain, { kind: "m", white, promoted: true }] : plain;
    };
    fill(
      this.#palette,
      h(
        "div",
        { class: "palette-row" },
        tool(
          "hand",
          t("Move pieces"),
          `<svg class="icon" viewBox="0 0 24 24"><path d="M12 3v18M3 12h18M12 3l-3 3m3-3l3 3M12 21l-3-3m3 3l3-3M3 12l3-3m-3 3l3 3M21 12l-3-3m3 3l-3 3"/></svg>`,
        ),
        ...pieces(true).map((piece) => tool(piece, named(piece), pieceSvg(piece, set))),
      ),
      h(
        "div",
        { class: "palette-row" },
        tool(
          "bin",
          t("Remove pieces"),
          `<svg class="icon" viewBox="0 0 24 24"><path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13"/></svg>`,
        ),
        ...pieces(false).map((piece) => tool(piece, named(piece), pieceSvg(piece, set))),
      ),
    );
  }

  #touch(square: Square): void {
    if (this.#tool === "hand") return;
    const there = this.#placement.get(square);
    if (
      this.#tool === "bin" ||
      (there &&
        there.kind === this.#tool.kind &&
        there.white === this.#tool.white &&
        there.promoted === this.#tool.promoted)
    )
      this.#placement.delete(square);
    else this.#placement.set(square, this.#tool);
    this.#changed();
  }

  #load(fen: string): void {
    const fields = fen.split(" ");
    this.#placement = readPlacement(fen);
    this.#turn = fields[1] === "b" ? "black" : "white";
    this.#castling = new Set(this.variant === "makruk" || fields[2] === "-" ? [] : (fields[2] ?? ""));
    this.#enPassant = "-";
  }

  #readFen(): void {
    const check = rules().checkFen(this.variant, this.#fen.value.trim());
    this.#fen.setAttribute("aria-invalid", String(!check.ok));
    if (!check.ok) {
      this.#error.textContent = said(check.reason);
      return;
    }
    this.#load(check.fen);
    const square = check.fen.split(" ")[3] ?? "-";
    if (this.variant !== "makruk") this.#enPassant = square;
    this.#build();
    this.#changed();
  }

  #letters(placement: Placement): (string | null)[] {
    return Array.from({ length: 64 }, (_, square) => {
      const piece = placement.get(square);
      return piece ? (piece.white ? piece.kind.toUpperCase() : piece.kind) + (piece.promoted ? "~" : "") : null;
    });
  }

  #changed(): void {
    this.board.setPlacement(new Map(this.#placement), false);
    const squares = this.#letters(this.#placement);
    const ask = (castling: string, enPassant: string) =>
      rules().checkSetup({ variant: this.variant, squares, turn: this.#turn, castling, enPassant });
    const possible = ask("-", "-");
    for (const right of this.#castling) if (!possible.castlingPossible.includes(right)) this.#castling.delete(right);
    if (!possible.enPassantPossible.includes(this.#enPassant)) this.#enPassant = "-";
    const check = ask(
      possible.castlingPossible.filter((right) => this.#castling.has(right)).join("") || "-",
      this.#enPassant,
    );
    this.#check = check;
    this.#error.textContent = check.ok ? "" : said(check.reason);
    this.#use.disabled = !check.ok;
    this.#fen.removeAttribute("aria-invalid");
    if (check.ok) this.#fen.value = check.fen;
    this.#drawRights(possible);
  }

  #drawRights(possible: SetupCheck): void {
    this.#rights.hidden =
      this.variant === "makruk" || (possible.castlingPossible.length === 0 && possible.enPassantPossible.length === 0);
    const name = (right: string) =>
      `${sideName(right === right.toUpperCase() ? "white" : "black")} ${
        right.toLowerCase() === "k"
          ? "O-O"
          : right.toLowerCase() === "q"
            ? "O-O-O"
            : t("rook {file}", { file: right.toLowerCase() })
      }`;
    fill(
      this.#rights,
      ...possible.castlingPossible.map((right) =>
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: this.#castling.has(right),
            onChange: () => {
              if (!this.#castling.delete(right)) this.#castling.add(right);
              this.#changed();
            },
          }),
          name(right),
        ),
      ),
      possible.enPassantPossible.length
        ? select(
            t("En passant"),
            [["-", t("None")] as const, ...possible.enPassantPossible.map((square) => [square, square] as const)],
            this.#enPassant,
            (square) => {
              this.#enPassant = square;
              this.#changed();
            },
          )
        : null,
    );
  }
}
