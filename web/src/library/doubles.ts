import { FOLDER_TAG, LABELS_TAG } from "./rows.ts";

const PLACE = new RegExp(`^\\[(${FOLDER_TAG}|${LABELS_TAG}) .*$`, "gm");

/**
 * A short word for what the text of a game says, whatever its layout and wherever it was kept. It stays with a game that somebody
 * works on, so that the file it came from is known again.
 */
export function fingerprint(pgn: string): string {
  const text = pgn.replace(PLACE, "").replace(/\s+/g, " ").trim();
  let [a, b] = [0x2545f491, 0x9e3779b9];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul((b << 5) ^ (b >>> 11) ^ unit, 0x85ebca6b);
  }
  return [a, b].map((half) => (half >>> 0).toString(36)).join("-");
}
