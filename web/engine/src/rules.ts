/** The rules on the caller's thread. */

import { CrashError, Instance, RukhError } from "./instance.js";
import { loadModule } from "./module.js";
import type { Answer, PositionSpec, Question, Rules, RulesOptions } from "./types.js";

/** A string is a FEN: spread into a question it would say nothing, and the answer would be about the starting position. */
export const specOf = (position: PositionSpec | string): PositionSpec =>
  typeof position === "string" ? { fen: position } : position;

/** Loads the rules; afterwards every answer is synchronous. */
export async function createRules(options: RulesOptions = {}): Promise<Rules> {
  const module = await loadModule(options);
  let instance = new Instance(module);

  function ask<Q extends Question>(question: Q): Answer<Q> {
    try {
      return instance.call({ do: "ask", question }) as Answer<Q>;
    } catch (error) {
      if (!(error instanceof CrashError)) throw error;
      // The instance is lost, the rules are not: the next question gets a fresh one.
      instance = new Instance(module);
      throw new RukhError(`the question could not be answered: ${error.message}`);
    }
  }

  return {
    ask,
    state: (position) => ask({ ask: "state", ...specOf(position) }),
    move: (position, text) => ask({ ask: "move", text, ...specOf(position) }),
    line: (position, line) => ask({ ask: "line", line, ...specOf(position) }),
    checkFen: (variant, fen) => ask({ ask: "checkFen", variant, fen }),
    checkSetup: (setup) => ask({ ask: "checkSetup", setup }),
    chess960: (number) => ask({ ask: "chess960", number }).fen,
    opening: (position) => ask({ ask: "opening", ...specOf(position) }).opening,
    parsePgn: (text) => ask({ ask: "parsePgn", text }),
    writePgn: (game) => ask({ ask: "writePgn", game }).text,
    chances: (variant, score) => ask({ ask: "chances", variant, score }),
    review: (variant, first, evaluations) => ask({ ask: "review", variant, first, evaluations }),
    levels: () => ask({ ask: "levels" }).levels,
    manners: (position, opinion) => ask({ ask: "manners", opinion, ...specOf(position) }),
  };
}
