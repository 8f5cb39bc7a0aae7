import type { Route, View } from "../app/router.ts";
import type { ReadonlySignal } from "../app/store.ts";
import { dueCount } from "./cards/due.ts";
import { t } from "../messages/messages.ts";

/** A part of the Coach: its address is `#/coach/<id>`. */
export interface CoachTab {
  readonly id: string;
  readonly title: string;
  /** How much there is to do in it, shown beside its name. */
  readonly badge?: () => ReadonlySignal<number>;
  /** Loads its code and makes its view; the route is the whole address. */
  mount(route: Route): Promise<View>;
}

/** The parts, as they stand in the row of tabs; the first is shown when the address names none. One line for each. */
export const TABS: readonly CoachTab[] = [
  { id: "insights", title: t("Insights"), mount: async () => new (await import("./insights/view.ts")).InsightsView() },
  {
    id: "cards",
    title: t("Cards"),
    badge: dueCount,
    mount: async (route) => (await import("./cards/view.ts")).CardsView.open(route),
  },
  {
    id: "puzzles",
    title: t("Puzzles"),
    mount: async (route) => (await import("./puzzles/view.ts")).PuzzlesView.open(route),
  },
  {
    id: "lessons",
    title: t("Lessons"),
    mount: async (route) => new (await import("./lessons/view.ts")).LessonsView(route),
  },
];
