import type { ChapterEntry } from "../src/learn/chapter.ts";

/**
 * The chapters in reading order. Each module is loaded when its chapter is opened. To add one: write `learn/<id>.ts` with a
 * default export of type `Chapter`, and name it here. `learn/README.md` shows how.
 */
export const CHAPTERS: readonly ChapterEntry[] = [
  { id: "bitboards", title: "Bitboards", summary: "A set of squares is one number, and one instruction moves a whole army.", load: () => import("./bitboards.ts") },
  { id: "moves", title: "Moves and attacks", summary: "What a piece attacks, where it could go, and why it may not.", load: () => import("./moves.ts") },
];
