/**
 * Squares, pieces and moves as numbers, as the core has them: a1 is 0, h8 is 63; a move is UCI text or 32 bits (from 0–5, to 6–11,
 * piece 12–15, captured 16–19, promotion 20–23, flags 24–27).
 */

import { RukhError } from "./instance.js";
import type { Uci } from "./types.js";

/** The names of the squares by number. */
export const SQUARES: readonly string[] = Array.from(
  { length: 64 },
  (_, square) => "abcdefgh"[square % 8]! + (Math.floor(square / 8) + 1),
);

/** What the flags of a move say. Bit 2 is a capture, bit 3 a promotion. */
export const Flag = {
  Quiet: 0,
  DoublePush: 1,
  KingCastle: 2,
  QueenCastle: 3,
  Capture: 4,
  EnPassant: 5,
  Promotion: 8,
} as const;

/** Codes of white pieces; Black's are 8 more. A Met is a queen, a Khon a bishop; `Promoted` is Makruk's Bia-ngai. */
export const Piece = { None: 0, Pawn: 1, Knight: 2, Bishop: 3, Rook: 4, Queen: 5, King: 6, Promoted: 7 } as const;

/** The number of a square, or of file and rank from 0. */
export function square(name: string): number;
export function square(file: number, rank: number): number;
export function square(file: string | number, rank = -1): number {
  const number =
    typeof file === "string" ? SQUARES.indexOf(file) : inBoard(file) && inBoard(rank) ? rank * 8 + file : -1;
  if (number < 0)
    throw new RukhError(`there is no square ${typeof file === "string" ? `'${file}'` : `${file}, ${rank}`}`);
  return number;
}

const inBoard = (line: number): boolean => Number.isInteger(line) && line >= 0 && line < 8;

/** The name of a square. */
export function squareName(number: number): string {
  const name = SQUARES[number];
  if (name === undefined) throw new RukhError(`there is no square ${number}`);
  return name;
}

/** 0 for the a file. */
export const squareFile = (number: number): number => number & 7;
/** 0 for the first rank. */
export const squareRank = (number: number): number => number >> 3;

/** Where the piece stands. */
export const moveFrom = (move: Uci | number): number => (typeof move === "number" ? move & 63 : uci(move).from);
/** Where it goes. */
export const moveTo = (move: Uci | number): number => (typeof move === "number" ? (move >> 6) & 63 : uci(move).to);
/** The letter of what a pawn becomes, `n` `b` `r` `q` or Makruk's `m`; `null` if it stays what it is. */
export function movePromotion(move: Uci | number): string | null {
  if (typeof move !== "number") return uci(move).promotion;
  return [null, null, "n", "b", "r", "q", null, "m"][(move >> 20) & 7] ?? null;
}

/** The code of the piece that moves. UCI text does not say it. */
export const movePiece = (move: number): number => (move >> 12) & 15;
/** The code of the piece that is taken, 0 if none. */
export const moveCaptured = (move: number): number => (move >> 16) & 15;
/** See `Flag`. */
export const moveFlags = (move: number): number => (move >> 24) & 15;
/** Whether something is taken. */
export const moveIsCapture = (move: number): boolean => (moveFlags(move) & Flag.Capture) !== 0;

function uci(move: Uci): { from: number; to: number; promotion: string | null } {
  const parts = /^([a-h][1-8])([a-h][1-8])([nbrqm])?$/.exec(move);
  if (!parts) throw new RukhError(`'${move}' is not a move in UCI form, such as e2e4 or e7e8q`);
  return { from: square(parts[1]!), to: square(parts[2]!), promotion: parts[3] ?? null };
}
