import { type Side, type Square, UNIT, cornerOf, fileLabel, middleOf, rankLabel } from "./geometry.ts";

/** Colours with a meaning; the themes give them their values (`--tone-…`). */
export type Tone = "best" | "second" | "third" | "threat" | "user" | "warn" | "good" | "accent" | "explore";

/** An arrow from the middle of one square to another. */
export interface Arrow {
  readonly from: Square;
  readonly to: Square;
  readonly tone?: Tone;
  /** Share of a square, 0.04 to 0.3; 0.16 if not given. */
  readonly width?: number;
  readonly opacity?: number;
}

/** A mark on one square. */
export interface Mark {
  readonly square: Square;
  readonly tone?: Tone;
  readonly kind: "circle" | "fill" | "dot" | "badge";
  /** Text of a badge. */
  readonly text?: string;
}

/** What an overlay paints on one square: a colour with its strength, and a small text. */
export interface Cell {
  /** 0 to 1: how strong the colour is. */
  readonly heat?: number;
  /** The colour; the accent if not given. */
  readonly tone?: Tone;
  /** A short text in the middle (`text`) or in the lower right corner (`note`). */
  readonly text?: string;
  readonly note?: string;
  /** What a screen reader says of it, where that is not the texts. */
  readonly spoken?: string;
}

/** A heat map or bit map over the board. */
export type Overlay = ReadonlyMap<Square, Cell>;

const tone = (name: Tone | undefined): string => `var(--tone-${name ?? "accent"})`;
const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** The squares, or for Makruk the lines of an unchequered board. */
export function drawSquares(style: "chequered" | "plain"): string {
  let out = `<rect class="sq-light" width="800" height="800"/>`;
  if (style === "chequered") {
    let d = "";
    for (let row = 0; row < 8; row += 1) {
      for (let column = (row + 1) % 2; column < 8; column += 2) d += `M${column * UNIT} ${row * UNIT}h100v100h-100z`;
    }
    return out + `<path class="sq-dark" d="${d}"/>`;
  }
  let d = "";
  for (let i = 1; i < 8; i += 1) d += `M${i * UNIT} 0V800M0 ${i * UNIT}H800`;
  out += `<path class="sq-lines" d="${d}"/>`;
  return out;
}

/** Letters and figures in the corners of the edge squares. */
export function drawCoordinates(side: Side, thai: boolean): string {
  let out = "";
  for (let i = 0; i < 8; i += 1) {
    const file = side === "white" ? i : 7 - i;
    const rank = side === "white" ? 7 - i : i;
    out += `<text class="co ${i % 2 ? "co-on-light" : "co-on-dark"}" x="${i * UNIT + 98}" y="796.5" text-anchor="end">${fileLabel(file, thai)}</text>`;
    out += `<text class="co ${i % 2 ? "co-on-dark" : "co-on-light"}" x="3" y="${i * UNIT + 16}">${rankLabel(rank, thai)}</text>`;
  }
  return out;
}

/** Coloured squares under the pieces. */
export function drawOverlay(overlay: Overlay, side: Side): string {
  let out = "";
  for (const [square, cell] of overlay) {
    const { x, y } = cornerOf(square, side);
    const heat = cell.heat ?? 0;
    if (heat > 0)
      out += `<rect x="${x}" y="${y}" width="100" height="100" style="fill:${tone(cell.tone)};opacity:${Math.min(1, heat).toFixed(3)}"/>`;
  }
  return out;
}

/** Texts of an overlay, above the pieces. */
export function drawOverlayTexts(overlay: Overlay, side: Side): string {
  let out = "";
  for (const [square, cell] of overlay) {
    const { x, y } = cornerOf(square, side);
    if (cell.text)
      out += `<text class="ov-text" x="${x + 50}" y="${y + 61}" text-anchor="middle">${escape(cell.text)}</text>`;
    if (cell.note)
      out += `<text class="ov-note" x="${x + 93}" y="${y + 91}" text-anchor="end">${escape(cell.note)}</text>`;
  }
  return out;
}

/** Marks; badges go above the pieces, everything else below. */
export function drawMarks(marks: readonly Mark[], side: Side, above: boolean): string {
  let out = "";
  for (const mark of marks) {
    if ((mark.kind === "badge" || mark.kind === "circle") !== above) continue;
    const { x, y } = cornerOf(mark.square, side);
    const paint = tone(mark.tone ?? "user");
    if (mark.kind === "circle")
      out += `<circle cx="${x + 50}" cy="${y + 50}" r="45" style="fill:none;stroke:${paint};stroke-width:6;opacity:.85"/>`;
    if (mark.kind === "fill")
      out += `<rect x="${x}" y="${y}" width="100" height="100" style="fill:${paint};opacity:.5"/>`;
    if (mark.kind === "dot") out += `<circle cx="${x + 50}" cy="${y + 50}" r="15" style="fill:${paint};opacity:.6"/>`;
    if (mark.kind === "badge") {
      out += `<g transform="translate(${Math.min(x + 84, 778)} ${Math.max(y + 16, 22)})"><circle r="21" style="fill:${paint}" class="badge-disc"/><text class="badge-text" y="9" text-anchor="middle">${escape(mark.text ?? "")}</text></g>`;
    }
  }
  return out;
}

/** Arrows as filled shapes, so that they scale without markers. */
export function drawArrows(arrows: readonly Arrow[], side: Side): string {
  let out = "";
  for (const arrow of arrows) {
    if (arrow.from === arrow.to) continue;
    const a = middleOf(arrow.from, side);
    const b = middleOf(arrow.to, side);
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const angle = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
    const half = (UNIT * Math.min(0.3, Math.max(0.04, arrow.width ?? 0.16))) / 2;
    const head = half * 2.6;
    const tip = length - 8;
    const neck = tip - head * 1.5;
    out += `<path transform="translate(${a.x} ${a.y}) rotate(${angle.toFixed(2)})" d="M22 ${-half * 0.8}L${neck} ${-half}V${-head}L${tip} 0L${neck} ${head}V${half}L22 ${half * 0.8}Z" style="fill:${tone(arrow.tone ?? "best")};opacity:${arrow.opacity ?? 0.8}"/>`;
  }
  return out;
}

/** Where a selected piece may go: a dot on empty squares, a ring where it takes. */
export function drawTargets(targets: ReadonlyArray<{ square: Square; takes: boolean }>, side: Side): string {
  return targets
    .map(({ square, takes }) => {
      const { x, y } = middleOf(square, side);
      return takes
        ? `<circle class="target-ring" cx="${x}" cy="${y}" r="44"/>`
        : `<circle class="target-dot" cx="${x}" cy="${y}" r="15"/>`;
    })
    .join("");
}
