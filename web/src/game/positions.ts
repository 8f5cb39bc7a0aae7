import { rules } from "../engine/rules.ts";
import { VARIANTS, type Variant } from "../pieces/names.ts";

const BOARD = /^[a-zA-Z1-8~]+(?:\/[a-zA-Z1-8~]+){7}$/;

/** Whether a line begins with a board, as FEN and EPD do. */
export const looksLikePosition = (line: string): boolean => BOARD.test(fields(line)[0] ?? "");

/** A position at the end of a link to another page. */
const LINKED = /^https?:\/\/\S*?(?:\/|[?&]fen=)([^/?&\s]+(?:\/[^/?&\s]+){7})(?:[?&]\S*)?$/;

/** Fields between blanks, or between underscores or plus signs as in the addresses of other pages. */
function fields(line: string): string[] {
  const trimmed = line.trim();
  const linked = LINKED.exec(trimmed.replace(/%2F/gi, "/"))?.[1]?.replace(/%20|\+/g, "_");
  const text = linked ?? trimmed;
  return text.split(text.includes(" ") ? /\s+/ : "_");
}

/** A position as people write it: FEN, EPD with its remarks, a board alone, underscores for blanks. */
export interface ReadPosition {
  readonly variant: Variant;
  readonly fen: string;
  /** `bm Ng5; id "x"`: what an EPD says about the position. */
  readonly remarks: string;
}

/** Reads a position; the error is for a person. The variant at hand is tried first. */
export function readPosition(line: string, variant: Variant): ReadPosition | { error: string } {
  const [board = "", ...rest] = fields(line);
  // Half-moves and moves are numbers; anything else behind the fourth field is an EPD's.
  const numbers = rest.slice(3).findIndex((field) => !/^\d+$/.test(field));
  const head = numbers < 0 ? rest.slice(0, 5) : rest.slice(0, 3 + numbers);
  const remarks = rest.slice(head.length).join(" ");
  let error = "";
  // Somebody who pastes a Makruk position need not say so first.
  for (const name of [variant, ...VARIANTS.filter((other) => other !== variant)]) {
    for (const fen of head.length ? [[board, ...head].join(" ")] : alone(board, name)) {
      const check = rules().checkFen(name, fen);
      if (check.ok) return { variant: name, fen: check.fen, remarks };
      error ||= check.reason;
    }
  }
  return { error };
}

/** A board without anything else: White to move, or Black where that is the only way, with every castling that can be. */
function alone(board: string, variant: Variant): string[] {
  return ["w", "b"].map((turn) => {
    const may =
      variant === "makruk"
        ? []
        : [..."KQkq"].filter((c) => rules().checkFen(variant, `${board} ${turn} ${c} - 0 1`).ok);
    return `${board} ${turn} ${may.join("") || "-"} - 0 1`;
  });
}

/** What programs tell engines: `position startpos moves e2e4`, `fen … moves …`, or a FEN with moves behind it. */
const COMMAND = /^(?:position\s+)?(?:startpos|(?:fen\s+)?(\S+\/\S+.*?))(?:\s+moves\s+(.*))?$/i;

/** Such a command as a game; null for any other text. */
export function commandAsPgn(text: string, variant: Variant): string | { error: string } | null {
  const line = text.trim();
  const [, position, moves = ""] = COMMAND.exec(line) ?? [null];
  if (!/^(position|startpos|fen)\b|\smoves\s/i.test(line) || (!position && !/startpos/i.test(line))) return null;
  const read = position ? readPosition(position, variant) : { variant, fen: rules().state({ variant }).fen };
  if ("error" in read) return read;
  return `[Variant "${read.variant}"]\n[SetUp "1"]\n[FEN "${read.fen}"]\n\n${moves} *\n`;
}

/** A text of nothing but positions, one a line, as games that begin there; any other text as it is. */
export function epdAsPgn(text: string, variant: Variant = "chess"): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith("#"));
  if (lines.length === 0 || !lines.every(looksLikePosition)) return text;
  return lines
    .map((line) => {
      const read = readPosition(line, variant);
      // The reader of games says what is wrong with it.
      const { fen, variant: game, remarks } = "error" in read ? { fen: line, variant, remarks: "" } : read;
      const name = /\bid "([^"]*)"/.exec(remarks)?.[1] ?? "";
      const words = remarks.replace(/[{}]/g, "").trim();
      return `[Event "${name.replace(/["\\]/g, "")}"]\n[Variant "${game}"]\n[SetUp "1"]\n[FEN "${fen.replace(/["\\]/g, "")}"]\n\n${words ? `{${words}} ` : ""}*\n`;
    })
    .join("\n");
}
