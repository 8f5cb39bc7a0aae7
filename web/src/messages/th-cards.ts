import type { Messages } from "./messages.ts";

/** The Coach in Thai: cards, puzzles and lessons. */
const thaiCards = {} satisfies Messages;

export default thaiCards;
