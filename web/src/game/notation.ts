import type { LegalMove } from "rukh-engine";
import { type Variant, kindName } from "../pieces/names.ts";
import { t } from "../messages/messages.ts";

/** A move in words, for a screen reader. */
export function spokenMove(move: LegalMove, variant: Variant): string {
  const end = move.mate ? t(", checkmate") : move.check ? t(", check") : "";
  if (move.castle) return (move.castle === "king" ? t("castles short") : t("castles long")) + end;
  const kind = (letter: string) =>
    kindName({ kind: letter.replace("~", "").toLowerCase(), promoted: letter.includes("~") }, variant);
  const becomes = move.promotion
    ? t(", becomes {piece}", { piece: variant === "makruk" ? t("Bia-ngai") : kind(move.promotion) })
    : "";
  const { from, to } = move;
  const piece = kind(move.piece);
  const way = move.capture
    ? t("{piece} {from} takes {taken} on {to}", { piece, from, taken: kind(move.capture), to })
    : t("{piece} {from} to {to}", { piece, from, to });
  return way + becomes + end;
}

/** `1.` or `1…` before a move; `ply` counts the moves played before it, `first` says who began. */
export function moveNumber(ply: number, start: { fullmove: number; turn: "white" | "black" }, always: boolean): string {
  const index = ply + (start.turn === "black" ? 1 : 0);
  const number = start.fullmove + Math.floor(index / 2);
  if (index % 2 === 0) return `${number}.`;
  return always ? `${number}…` : "";
}

/** A score as people write it, from White's side: `+1.25`, `#-3`. */
export function scoreText(score: { cp?: number | undefined; mate?: number | undefined }): string {
  if (score.mate !== undefined) return score.mate === 0 ? "#" : `#${score.mate < 0 ? "−" : ""}${Math.abs(score.mate)}`;
  const cp = score.cp ?? 0;
  return `${cp > 0 ? "+" : cp < 0 ? "−" : ""}${(Math.abs(cp) / 100).toFixed(2)}`;
}

/** 1234567 as `1.2 M`. */
export function shortNumber(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${Math.round(value / 1e3)} k`;
  return String(value);
}

/** Milliseconds as `1:05:09`, `5:09` or, at the end, `0:09.3`. */
export function clockText(ms: number): string {
  const left = Math.max(0, ms);
  const seconds = left < 10_000 ? Math.floor(left / 1000) : Math.ceil(left / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, "0");
  const tenth = left < 10_000 ? `.${Math.floor((left % 1000) / 100)}` : "";
  return `${hours ? `${hours}:${String(minutes).padStart(2, "0")}` : minutes}:${tail}${tenth}`;
}
