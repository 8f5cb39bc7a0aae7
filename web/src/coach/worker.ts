import { type Engine, createEngine } from "rukh-engine";
import "rukh-engine/learn";

/** An engine in a worker of somebody's own, made when it is first wanted; one that could not be made is tried again the next time. */
export class LearnWorker {
  #made: Promise<Engine> | null = null;

  constructor(private readonly hash = 1) {}

  engine(): Promise<Engine> {
    const forget = (): void => void (this.#made = null);
    this.#made ??= createEngine({ module: "learn", hash: this.hash, threads: 1, onLost: forget }).ready.catch(
      (error: unknown) => {
        forget();
        throw error;
      },
    );
    return this.#made;
  }

  /** Ends it; whoever asks again gets another. */
  end(): void {
    void this.#made?.then(
      (engine) => engine.terminate(),
      () => undefined,
    );
    this.#made = null;
  }
}
