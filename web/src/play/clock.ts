import type { Color } from "rukh-engine";

const index = (color: Color): 0 | 1 => (color === "white" ? 0 : 1);

/** Two clocks of which at most one runs. Time comes from a steady source, not from ticks. */
export class Clocks {
  #running: Color | null = null;
  #since = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly left: [number, number],
    private readonly onTick: () => void,
    private readonly onFlag: (loser: Color) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Milliseconds left for a side, now. */
  of(color: Color): number {
    const used = this.#running === color ? this.now() - this.#since : 0;
    return Math.max(0, this.left[index(color)] - used);
  }

  get running(): Color | null {
    return this.#running;
  }

  /** Stops the running clock and starts another, or none. */
  run(color: Color | null): void {
    if (this.#running) this.left[index(this.#running)] = this.of(this.#running);
    this.#running = color;
    this.#since = this.now();
    clearInterval(this.#timer);
    if (color) this.#timer = setInterval(() => this.#tick(), 100);
    this.onTick();
  }

  add(color: Color, ms: number): void {
    this.left[index(color)] += ms;
  }

  #tick(): void {
    const color = this.#running;
    if (color && this.of(color) <= 0) {
      this.run(null);
      this.onFlag(color);
      return;
    }
    this.onTick();
  }
}
