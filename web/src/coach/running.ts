import { engineService } from "../engine/service.ts";
import { library } from "../library/db.ts";
import { Analyst } from "./analyst.ts";
import { ReviewQueue, lastOrder } from "./queue.ts";
import { coachStore } from "./store.ts";

let made: Promise<ReviewQueue> | null = null;

/** The page's one queue; it goes on by itself where a reload or a kill has interrupted it. */
export function reviewQueue(): Promise<ReviewQueue> {
  made ??= (async () => {
    const [games, store] = await Promise.all([library(), coachStore()]);
    const queue = new ReviewQueue(games, store, new Analyst(), engineService.busy);
    const { player, running } = lastOrder();
    if (player && running) queue.start(player);
    return queue;
  })().catch((error: unknown) => {
    made = null;
    throw error;
  });
  return made;
}
