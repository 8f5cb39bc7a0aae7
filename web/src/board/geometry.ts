/** Squares as numbers: a1 = 0, b1 = 1, …, h8 = 63, as everywhere in Rukh. */
export type Square = number;

/** The side a board is seen from. */
export type Side = "white" | "black";

/** Length of a square in the drawing's own units. */
export const UNIT = 100;

const FILES = "abcdefgh";
const THAI_FILES = "กขคงจฉชญ";
const THAI_DIGITS = "๐๑๒๓๔๕๖๗๘๙";

export const fileOf = (square: Square): number => square & 7;
export const rankOf = (square: Square): number => square >> 3;

/** `e4`. */
export const squareName = (square: Square): string => FILES[fileOf(square)]! + String(rankOf(square) + 1);

/** The square called `name`, or null. */
export function parseSquare(name: string): Square | null {
  const file = FILES.indexOf(name[0] ?? "?");
  const rank = Number(name[1]) - 1;
  return name.length >= 2 && file >= 0 && rank >= 0 && rank < 8 ? rank * 8 + file : null;
}

/** The letters below the board. */
export const fileLabel = (file: number, thai: boolean): string => (thai ? THAI_FILES : FILES)[file]!;
/** The figures beside the board. */
export const rankLabel = (rank: number, thai: boolean): string => (thai ? THAI_DIGITS[rank + 1]! : String(rank + 1));

/** A number in Thai figures. */
export const thaiNumber = (value: number): string =>
  String(value).replace(/\d/g, (digit) => THAI_DIGITS[Number(digit)]!);

/** Column (0 = left) and row (0 = top) of a square. */
export function cellOf(square: Square, side: Side): { column: number; row: number } {
  const [file, rank] = [fileOf(square), rankOf(square)];
  return side === "white" ? { column: file, row: 7 - rank } : { column: 7 - file, row: rank };
}

/** The square in a column and row. */
export function squareAt(column: number, row: number, side: Side): Square {
  return side === "white" ? (7 - row) * 8 + column : row * 8 + (7 - column);
}

/** Upper left corner of a square in drawing units. */
export function cornerOf(square: Square, side: Side): { x: number; y: number } {
  const { column, row } = cellOf(square, side);
  return { x: column * UNIT, y: row * UNIT };
}

/** Middle of a square in drawing units. */
export function middleOf(square: Square, side: Side): { x: number; y: number } {
  const { x, y } = cornerOf(square, side);
  return { x: x + UNIT / 2, y: y + UNIT / 2 };
}
