import { createEngine } from "rukh-engine";
import type { Answer, CoachSearch, CoachWanted, Engine, Question } from "rukh-engine";
import { largerNetwork } from "../engine/network.ts";
import { server } from "../engine/server.ts";
import { LearnWorker } from "./worker.ts";

/** Moves of a line that reasons look at. */
const LINE = 20;
const HASH = 16;

/** An engine of the coach's own: on this computer where `rukh serve` is there, else in a worker of this page. One thread. */
export class Analyst {
  #engine: Promise<Engine> | null = null;
  #worker = new LearnWorker(HASH);
  /** The questions of a review need no server: they are put to a worker. */
  #native = false;

  async #searcher(): Promise<Engine> {
    this.#engine ??= (async () => {
      if (await server()) {
        try {
          const engine = await createEngine({
            backend: "native",
            hash: HASH,
            threads: 1,
            // The next search opens another session, or finds that there is no server any more.
            onLost: () => (this.#engine = null),
          }).ready;
          this.#native = true;
          return engine;
        } catch {
          // A server without a free place: the browser's engine does it too.
        }
      }
      this.#native = false;
      return this.#worker.engine();
    })().catch((error: unknown) => {
      this.#engine = null;
      throw error;
    });
    return this.#engine;
  }

  get native(): boolean {
    return this.#native;
  }

  async ask<Q extends Question>(question: Q): Promise<Answer<Q>> {
    return (await this.#worker.engine()).ask(question);
  }

  /** Searches what is wanted; null if it was stopped before its nodes were spent. */
  async search(
    { key, variant, fen, men, nodes, only }: CoachWanted,
    stopped: () => boolean,
  ): Promise<CoachSearch | null> {
    const engine = await this.#searcher();
    await largerNetwork.give(engine, variant, true);
    await engine.setPosition(fen, [], variant);
    if (stopped()) return null;
    const result = await engine.go(only ? { nodes, searchmoves: [only] } : { nodes });
    const best = result.lines[0];
    if (stopped() || !best) return null;
    const { mate, cp = 0 } = best.score;
    const score = mate !== undefined ? { mate } : { cp };
    return { key, men, nodes, depth: best.depth, score, line: best.pv.slice(0, LINE).join(" ") };
  }

  /** Ends the running search. */
  async stop(): Promise<void> {
    if (this.#engine) await (await this.#engine).stop();
  }
}
