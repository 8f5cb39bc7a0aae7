import type { RepertoireGap } from "rukh-engine";
import { computed, signal, watch } from "../../app/store.ts";
import type { Library } from "../../library/db.ts";
import type { Row } from "../../library/rows.ts";
import { reason } from "../../messages/messages.ts";
import { type ReviewQueue, lastOrder, playersOf } from "../queue.ts";
import { findGaps } from "../gaps.ts";
import { type Report, makeReport } from "../report.ts";
import { type CoachStore, sameName } from "../store.ts";
import { LearnWorker } from "../worker.ts";

// While games are reviewed the report is made anew when this has passed, and so many times what making it took.
const AGAIN_MS = 15_000;
const RESTS = 20;
// Changes of the library come in crowds, and a large one takes long to read.
const SOON_MS = 1000;

/** Whose games, how far they are reviewed, and what they say together. No document. */
export class InsightsController {
  readonly rows = signal<readonly Row[] | null>(null);
  readonly players = computed(() => playersOf(this.rows.value ?? []));
  /** Who was chosen; empty: the most frequent name. */
  readonly chosen = signal(lastOrder().player ?? "");
  readonly player = computed(() => {
    const chosen = this.players.value.find(([name]) => sameName(name) === sameName(this.chosen.value));
    return (chosen ?? this.players.value[0])?.[0] ?? "";
  });
  readonly report = signal<Report | null>(null);
  /** Where the openings part from what masters play; empty without a database. */
  readonly gaps = signal<readonly RepertoireGap[]>([]);
  readonly making = signal(false);
  readonly problem = signal("");
  #ends: (() => void)[];
  #worker = new LearnWorker();
  #wanted = false;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #left = false;

  constructor(
    private readonly library: Library,
    private readonly store: CoachStore,
    readonly queue: ReviewQueue,
  ) {
    this.#ends = [
      library.listen(() => {
        this.#soon ??= setTimeout(() => {
          this.#soon = undefined;
          void this.read();
        }, SOON_MS);
      }),
      () => clearTimeout(this.#soon),
      watch(
        () => this.player.value,
        () => {
          this.report.value = null;
          this.gaps.value = [];
          this.#make();
        },
      ),
      watch(
        () => `${queue.progress.value.games} ${queue.progress.value.state === "done"}`,
        () => this.#make(),
      ),
    ];
  }

  leave(): void {
    this.#left = true;
    this.#endRest();
    for (const end of this.#ends) end();
    this.#worker.end();
  }

  async read(): Promise<void> {
    this.rows.value = await this.library.rows();
    if (!this.report.peek()) this.#make();
  }

  choose(player: string): void {
    this.chosen.value = player;
    if (["running", "waiting"].includes(this.queue.progress.peek().state)) this.queue.start(player);
  }

  /** Makes the report, one at a time and not too often. */
  #make(): void {
    if (this.#left || !this.player.peek()) return;
    // When all is reviewed nobody shall wait for the last word.
    if (this.queue.progress.peek().state === "done") this.#endRest();
    if (this.making.peek() || this.#rest !== undefined) this.#wanted = true;
    else void this.#report();
  }

  #endRest(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
  }

  async #report(): Promise<void> {
    this.making.value = true;
    this.#wanted = false;
    let began = performance.now();
    const player = this.player.peek();
    try {
      const engine = () => this.#worker.engine();
      await engine();
      began = performance.now();
      const report = await makeReport(engine, this.library, this.store, this.rows.peek() ?? [], player);
      if (this.#left) return;
      this.problem.value = "";
      if (player === this.player.peek()) {
        this.report.value = report;
        const gone = () => this.#left || player !== this.player.peek();
        const gaps = await findGaps(engine, report, undefined, gone);
        if (!gone()) this.gaps.value = gaps;
      }
    } catch (error) {
      this.problem.value = reason(error);
    } finally {
      this.making.value = false;
    }
    if (this.#left) return;
    const hurry = player !== this.player.peek() || this.queue.progress.peek().state === "done";
    const rest = Math.max(AGAIN_MS, RESTS * (performance.now() - began));
    this.#rest = setTimeout(
      () => {
        this.#endRest();
        if (this.#wanted) this.#make();
      },
      hurry ? 0 : rest,
    );
  }
}
