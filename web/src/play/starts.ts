import { load, save } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import type { Variant } from "../pieces/names.ts";
import { PlayGame, type PlayRecord } from "./game.ts";

/** What stands on the board before anybody chose anything: chess, White, a friendly level. */
export function firstGame(): PlayRecord {
  return {
    variant: "chess",
    start: rules().state({ variant: "chess" }).fen,
    moves: [],
    human: "white",
    level: 2,
    control: null,
    clocks: [0, 0],
    spent: [],
    counting: [],
    ending: null,
  };
}

/** A position somebody sent here from the analysis board: the human plays the side to move. */
export function playFrom(): PlayGame | null {
  const wish = load<{ variant: Variant; fen: string }>("rukh.playfrom");
  save("rukh.playfrom", null);
  if (!wish) return null;
  try {
    const { level } = PlayGame.restore()?.record ?? firstGame();
    const { variant, fen } = wish;
    const game = new PlayGame({
      ...firstGame(),
      variant,
      start: fen,
      level,
      human: rules().state({ variant, fen }).turn,
    });
    game.store();
    return game;
  } catch {
    // No position that can be played.
    return null;
  }
}
