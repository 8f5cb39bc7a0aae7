import type { Color } from "rukh-engine";
import type { Piece } from "./sprite.ts";
import { language, t } from "../messages/messages.ts";

/** What the page calls a game. */
export type Variant = "chess" | "chess960" | "makruk";

export const VARIANTS: readonly Variant[] = ["chess", "chess960", "makruk"];
export const VARIANT_NAMES: Readonly<Record<Variant, string>> = {
  chess: t("Chess"),
  chess960: t("Chess960"),
  makruk: t("Makruk"),
};

interface Names {
  readonly english: string;
  readonly thai: string;
}

const CHESS: Readonly<Record<string, string>> = {
  p: t("pawn"),
  n: t("knight"),
  b: t("bishop"),
  r: t("rook"),
  q: t("queen"),
  k: t("king"),
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
  words: "english" | "thai" | "both" = language === "th" ? "thai" : "english",
): string {
  if (variant !== "makruk") return CHESS[piece.kind] ?? piece.kind;
  const names = piece.promoted ? BIA_NGAI : MAKRUK[piece.kind];
  if (!names) return piece.kind;
  return words === "both" ? `${names.english} ${names.thai}` : names[words];
}

/** `White`, `Black`. */
export const sideName = (color: Color): string => (color === "white" ? t("White") : t("Black"));

/** `White to move`. */
export const toMove = (color: Color): string => (color === "white" ? t("White to move") : t("Black to move"));

/** `white pawn`. */
export function pieceName(piece: Piece, variant: Variant, words?: "both"): string {
  const name = kindName(piece, variant, words);
  return piece.white ? t("white {piece}", { piece: name }) : t("black {piece}", { piece: name });
}

/** Letters a position editor offers, strongest first. */
export const kindsOf = (variant: Variant): readonly string[] =>
  variant === "makruk" ? ["k", "m", "s", "n", "r", "p"] : ["k", "q", "r", "b", "n", "p"];
