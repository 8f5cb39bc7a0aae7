import type { Missing } from "../engine/answers.ts";

/** What to tell about it; nothing if the answer is whole. */
export function missingText(missing: Missing | null | undefined): string | null {
  if (!missing) return null;
  const games = missing.games === 1 ? "1 game is" : `${missing.games.toLocaleString("en")} games are`;
  const lost = missing.games > 0 ? `${games} not counted` : "some games are not counted";
  return `The database is damaged: ${lost} here. “rukh db verify” says what is wrong.`;
}
