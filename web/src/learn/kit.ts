import type { Hex64 } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { type RukhBoard, createBoard } from "../board/board.ts";
import type { Cell, Overlay, Tone } from "../board/layers.ts";
import { rules } from "../engine/rules.ts";
import { VARIANTS, VARIANT_NAMES, type Variant } from "../pieces/names.ts";
import { choice } from "../ui/controls.ts";
import { h } from "../ui/dom.ts";
import { t } from "../messages/messages.ts";

/** A part of a chapter with its heading. On a wide screen its words stand beside the one thing that they are about. */
export function section(title: string, ...content: (Node | string)[]): HTMLElement {
  const id = `part-${title.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")}`;
  const heading = h("h2", { id }, title);
  const isWidget = (part: Node | string) => part instanceof HTMLElement && part.classList.contains("widget");
  const about = { class: "lesson-section", "aria-labelledby": id };
  const at = content.findIndex(isWidget);
  if (content.filter(isWidget).length !== 1) return h("section", about, heading, ...content);
  const words = h("div", { class: "lesson-words" }, heading, ...content.slice(0, at));
  return h("section", { ...about, class: "lesson-section beside" }, words, ...content.slice(at));
}

/** A paragraph; strings between backquotes become code. */
export function p(...content: (Node | string)[]): HTMLParagraphElement {
  const parts = content.flatMap((part): (Node | string)[] =>
    typeof part === "string"
      ? part.split(/(`[^`]+`)/).map((text) => (/^`.+`$/.test(text) ? h("code", null, text.slice(1, -1)) : text))
      : [part],
  );
  return h("p", null, ...parts);
}

/** A frame for something live, with a caption. */
export function widget(title: string, ...content: (Node | string)[]): HTMLElement {
  return h(
    "figure",
    { class: "widget card" },
    h("figcaption", null, title),
    h("div", { class: "widget-body" }, ...content),
  );
}

/** A small board that only shows; change `mode` and listen to its events to make it live. */
export function lessonBoard(label: string, fen: string, variant: Variant = "chess"): RukhBoard {
  const board = createBoard(label);
  board.classList.add("lesson-board");
  board.variant = variant;
  board.mode = "view";
  board.setLook({ westernPieces: settings.westernMakruk, coordinates: true });
  board.setFen(fen, false);
  return board;
}

/** The squares of a 64-bit set, a1 first. */
export function squaresOf(set: Hex64 | bigint): number[] {
  const value = typeof set === "bigint" ? set : BigInt(`0x${set}`);
  const squares: number[] = [];
  for (let square = 0; square < 64; square += 1) if ((value >> BigInt(square)) & 1n) squares.push(square);
  return squares;
}

/** An overlay that shows a 64-bit set; `digits` writes the ones. */
export function bits(set: Hex64 | bigint, tone: Tone = "accent", digits = false): Overlay {
  return new Map<number, Cell>(
    squaresOf(set).map((square) => [square, { heat: 0.6, tone, ...(digits ? { text: "1" } : {}) }]),
  );
}

/** An overlay of 64 numbers (a1 first): the largest is the strongest, negative ones have the warning colour. */
export function heat(values: ArrayLike<number>, format?: (value: number) => string): Overlay {
  let most = 0;
  for (let i = 0; i < 64; i += 1) most = Math.max(most, Math.abs(values[i] ?? 0));
  const overlay = new Map<number, Cell>();
  for (let i = 0; i < 64; i += 1) {
    const value = values[i] ?? 0;
    if (value !== 0 && most > 0)
      overlay.set(i, {
        heat: 0.15 + (0.7 * Math.abs(value)) / most,
        tone: value > 0 ? "good" : "threat",
        ...(format ? { note: format(value) } : {}),
      });
  }
  return overlay;
}

/** A position somebody chose. */
export interface Picked {
  readonly variant: Variant;
  readonly fen: string;
}

/** A preset of a picker. */
export interface Preset extends Picked {
  readonly name: string;
}

/** Game, presets and a FEN field. Calls back only with positions the engine accepts. */
export function positionPicker(
  presets: readonly Preset[],
  first: Picked,
  onPick: (picked: Picked) => void,
  variants: readonly Variant[] = VARIANTS,
): HTMLElement {
  let { variant } = first;
  const error = h("p", { class: "error", role: "alert" });
  const field = h("input", {
    class: "input mono",
    value: first.fen,
    spellcheck: "false",
    "aria-label": t("Position (FEN)"),
    onChange: () => pick(field.value),
  });
  const names = h("div", { class: "row presets" });
  const pick = (fen: string) => {
    const check = rules().checkFen(variant, fen.trim());
    field.setAttribute("aria-invalid", String(!check.ok));
    error.textContent = check.reason;
    if (!check.ok) return;
    field.value = check.fen;
    onPick({ variant, fen: check.fen });
  };
  const list = () =>
    names.replaceChildren(
      ...presets
        .filter((preset) => preset.variant === variant)
        .map((preset) =>
          h("button", { type: "button", class: "button small", onClick: () => pick(preset.fen) }, preset.name),
        ),
    );
  list();
  return h(
    "div",
    { class: "picker" },
    variants.length > 1
      ? choice(
          t("Game"),
          variants.map((name) => [name, VARIANT_NAMES[name]] as const),
          variant,
          (next) => {
            variant = next;
            list();
            pick(presets.find((preset) => preset.variant === next)?.fen ?? rules().state({ variant: next }).fen);
          },
        )
      : null,
    names,
    field,
    error,
  );
}
