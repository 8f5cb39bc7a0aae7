import type { Piece } from "./sprite.ts";

/** What the page calls a game. */
export type Variant = "chess" | "chess960" | "makruk";

export const VARIANTS: readonly Variant[] = ["chess", "chess960", "makruk"];
export const VARIANT_NAMES: Readonly<Record<Variant, string>> = {
  chess: "Chess",
  chess960: "Chess960",
  makruk: "Makruk",
};

interface Names {
  readonly english: string;
  readonly thai: string;
}

const CHESS: Readonly<Record<string, string>> = {
  p: "pawn",
  n: "knight",
  b: "bishop",
  r: "rook",
  q: "queen",
  k: "king",
};
const MAKRUK: Readonly<Record<string, Names>> = {
  p: { english: "Bia", thai: "เบี้ย" },
  m: { english: "Met", thai: "เม็ด" },
  s: { english: "Khon", thai: "โคน" },
  n: { english: "Ma", thai: "ม้า" },
  r: { english: "Rua", thai: "เรือ" },
  k: { english: "Khun", thai: "ขุน" },
};
const BIA_NGAI: Names = { english: "Bia-ngai", thai: "เบี้ยหงาย" };

/** The piece's name without its colour; in Makruk English, Thai, or both. */
export function kindName(
  piece: Pick<Piece, "kind" | "promoted">,
  variant: Variant,
  language: "english" | "thai" | "both" = "english",
): string {
  if (variant !== "makruk") return CHESS[piece.kind] ?? piece.kind;
  const names = piece.promoted ? BIA_NGAI : MAKRUK[piece.kind];
  if (!names) return piece.kind;
  return language === "both" ? `${names.english} ${names.thai}` : names[language];
}

/** `white pawn`. */
export const pieceName = (piece: Piece, variant: Variant): string =>
  `${piece.white ? "white" : "black"} ${kindName(piece, variant)}`;

/** Letters a position editor offers, strongest first. */
export const kindsOf = (variant: Variant): readonly string[] =>
  variant === "makruk" ? ["k", "m", "s", "n", "r", "p"] : ["k", "q", "r", "b", "n", "p"];
