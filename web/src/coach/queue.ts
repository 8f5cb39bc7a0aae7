import type { CoachSearch } from "rukh-engine";
import { load, save, settings } from "../app/settings.ts";
import { type ReadonlySignal, signal, watch } from "../app/store.ts";
import type { Library } from "../library/db.ts";
import { type Row, newestFirst } from "../library/rows.ts";
import { reason, t } from "../messages/messages.ts";
import type { Analyst } from "./analyst.ts";
import { type CoachStore, reviewKey, sameName } from "./store.ts";

/** How far the review of the library is. */
export interface Progress {
  /** `waiting`: somebody uses the engine. `elsewhere`: another tab does it. */
  readonly state: "paused" | "running" | "waiting" | "elsewhere" | "done" | "failed";
  readonly player: string;
  readonly games: number;
  readonly total: number;
  /** Positions searched since it was started. */
  readonly searched: number;
  readonly problem: string;
}

const KEY = "rukh.coach";
const LOCK = "rukh.coach.queue";

/** What the queue was told last: it goes on by itself after a reload. */
export function lastOrder(): { player?: string; running?: boolean } {
  const { player, running } = load<{ player?: unknown; running?: unknown }>(KEY) ?? {};
  return { ...(typeof player === "string" && { player }), running: running === true };
}

/** Whether a game is worth a review: one that ended before both had moved is not. */
const worthy = ({ trashed, plies }: Pick<Row, "trashed" | "plies">): boolean => !trashed && plies > 1;

/** The games of a player that are worth a review, newest first. */
export function gamesOf(rows: readonly Row[], player: string): Row[] {
  const name = sameName(player);
  return rows.filter((row) => worthy(row) && [row.white, row.black].map(sameName).includes(name)).sort(newestFirst);
}

/** Names with the number of their games that are worth a review, the most frequent first; each as it is written most often, whatever the order of the games. */
export function playersOf(rows: readonly Row[]): [name: string, games: number][] {
  const counts = new Map<string, Map<string, number>>();
  for (const row of rows.filter(worthy)) {
    for (const name of [row.white, row.black]) {
      if (!name) continue;
      const spellings = counts.get(sameName(name)) ?? new Map<string, number>();
      spellings.set(name, (spellings.get(name) ?? 0) + 1);
      counts.set(sameName(name), spellings);
    }
  }
  return [...counts.values()]
    .map((spellings): [string, number] => {
      const [first] = [...spellings].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
      return [first![0], [...spellings.values()].reduce((sum, n) => sum + n)];
    })
    .sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
}

/**
 * Reviews the games of a player one after the other. Every search is kept by its position before the next begins, so that a kill costs
 * the one that ran, and no position is searched twice. Waits while the page's own engine is in use. No document.
 */
export class ReviewQueue {
  readonly progress = signal<Progress>({
    state: "paused",
    player: "",
    games: 0,
    total: 0,
    searched: 0,
    problem: "",
  });
  #serial = 0;
  #changed = false;
  #release: AbortController | null = null;

  constructor(
    private readonly library: Library,
    private readonly store: CoachStore,
    private readonly analyst: Analyst,
    /** Whether somebody uses the page's engine. */
    private readonly busy: ReadonlySignal<boolean>,
    private readonly locks: Pick<LockManager, "request"> | undefined = globalThis.navigator?.locks,
  ) {
    library.listen(() => {
      this.#changed = true;
      const { state, player } = this.progress.peek();
      if (state === "done") this.start(player);
    });
    watch(
      () => busy.value,
      (on) => {
        if (on) void this.analyst.stop();
      },
    );
  }

  #tell(change: Partial<Progress>): void {
    this.progress.value = { ...this.progress.peek(), ...change };
  }

  start(player: string): void {
    this.#end();
    const serial = this.#serial;
    save(KEY, { player, running: true });
    this.#tell({ state: this.locks ? "elsewhere" : "running", player, searched: 0, problem: "" });
    const gone = () => serial !== this.#serial;
    const work = async () => {
      if (gone()) return;
      this.#tell({ state: "running" });
      try {
        do {
          this.#changed = false;
          await this.#all(player, gone);
        } while (this.#changed && !gone());
        if (!gone()) this.#tell({ state: "done" });
      } catch (error) {
        if (!gone()) this.#tell({ state: "failed", problem: reason(error) });
      }
    };
    this.#release = new AbortController();
    if (this.locks) void this.locks.request(LOCK, { signal: this.#release.signal }, work).catch(() => undefined);
    else void work();
  }

  /** Stops until somebody starts it again. */
  pause(): void {
    const { player } = this.progress.peek();
    save(KEY, { player, running: false });
    this.#end();
    this.#tell({ state: "paused" });
  }

  #end(): void {
    this.#serial += 1;
    this.#release?.abort();
    void this.analyst.stop().catch(() => undefined);
  }

  async #all(player: string, gone: () => boolean): Promise<void> {
    const nodes = settings.reviewNodes;
    const rows = gamesOf(await this.library.rows(), player);
    const known = await this.store.reviewed(player);
    const open = rows.filter(({ id, rev }) => {
      const done = known.get(id);
      return !done || done.rev !== rev || done.nodes < nodes;
    });
    let games = rows.length - open.length;
    this.#tell({ games, total: rows.length });
    for (const row of open) {
      if (!(await this.#game(row, player, nodes, gone))) return;
      games += 1;
      this.#tell({ games });
    }
  }

  /** Reviews a game; false if it was stopped. */
  async #game({ id, rev }: Row, player: string, nodes: number, gone: () => boolean): Promise<boolean> {
    const kept = await this.library.get(id);
    if (gone()) return false;
    if (!kept) return true;
    const about = { key: reviewKey(id, player), id, rev, nodes };
    const known = new Map<string, CoachSearch>();
    for (;;) {
      let wanted;
      try {
        const question = { ask: "coachStep", pgn: kept.pgn, player, nodes, searches: [...known.values()] } as const;
        ({ wanted } = await this.analyst.ask(question));
      } catch (error) {
        // One game that cannot be read must not end the others.
        await this.store.finish({ ...about, problem: reason(error) });
        return !gone();
      }
      if (gone()) return false;
      if (wanted.length === 0) break;
      if (wanted.some(({ key, nodes }) => (known.get(key)?.nodes ?? -1) >= nodes))
        throw new Error(t("The review cannot continue: the engine’s answer could not be understood."));
      const there = await this.store.searches(wanted.map(({ key }) => key));
      for (const search of wanted) {
        const found = there.get(search.key);
        if (found && found.nodes >= search.nodes) {
          known.set(search.key, found);
          continue;
        }
        const made = await this.#search(search, gone);
        if (!made) return false;
        await this.store.keep(made);
        known.set(made.key, made);
        this.#tell({ searched: this.progress.peek().searched + 1 });
      }
    }
    await this.store.finish(about);
    return !gone();
  }

  /** Searches while nobody else uses the engine; what was interrupted is searched again. */
  async #search(wanted: Parameters<Analyst["search"]>[0], gone: () => boolean): Promise<CoachSearch | null> {
    while (!gone()) {
      if (this.busy.peek()) {
        this.#tell({ state: "waiting" });
        await this.#quiet(gone);
        continue;
      }
      if (this.progress.peek().state === "waiting") this.#tell({ state: "running" });
      let disturbed = false;
      const deaf = watch(
        () => this.busy.value,
        () => (disturbed = true),
      );
      const found = await this.analyst.search(wanted, () => gone() || disturbed).finally(deaf);
      if (found) return found;
      if (!disturbed && !gone()) throw new Error(t("The engine gave no answer."));
    }
    return null;
  }

  async #quiet(gone: () => boolean): Promise<void> {
    while (this.busy.peek() && !gone()) await new Promise((resolve) => setTimeout(resolve, 400));
  }
}
