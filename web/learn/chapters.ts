import type { ChapterEntry } from "../src/learn/chapter.ts";

/**
 * The chapters in reading order. Each module is loaded when its chapter is opened. To add one: write `learn/<id>.ts` with a
 * default export of type `Chapter`, and name it here. `learn/README.md` shows how.
 */
export const CHAPTERS: readonly ChapterEntry[] = [];
