import type { CoachReport, Engine, MastersMoves, RepertoireGap } from "rukh-engine";
import type { Explored } from "../engine/answers.ts";
import { hasGames } from "../engine/server.ts";
import type { Variant } from "../pieces/names.ts";

/** A position that a database is asked about. */
interface Wanted {
  readonly key: string;
  readonly variant: Variant;
  readonly fen: string;
}

/** What masters play in a position; null where there is no database of its rules. */
export type Masters = (position: Wanted) => Promise<MastersMoves["moves"] | null>;

// Questions that are under way together.
const AT_ONCE = 6;
// Positions, then what follows moves that were never met.
const ROUNDS = 3;

/** The database behind `rukh serve`. */
export const servedMasters: Masters = async ({ variant, fen }) => {
  if (!(await hasGames(variant))) return null;
  const response = await fetch(`./api/explore?${new URLSearchParams({ fen, variant })}`);
  if (!response.ok || !response.headers.get("content-type")?.includes("json")) return null;
  const { moves } = (await response.json()) as Explored;
  return moves.map(({ uci, games }) => ({ uci, games }));
};

/** What was answered, by position: reports are made again and again. */
const known = new Map<string, MastersMoves>();

/** Where the openings of a report part from what masters play, the most frequent first. */
export async function findGaps(
  engine: () => Promise<Engine>,
  report: Pick<CoachReport, "white" | "black">,
  masters: Masters = servedMasters,
  cancelled: () => boolean = () => false,
): Promise<RepertoireGap[]> {
  const found: RepertoireGap[] = [];
  for (const side of ["white", "black"] as const) {
    const nodes = report[side];
    let gaps: RepertoireGap[] = [];
    for (let round = 0; round < ROUNDS && nodes.length && !cancelled(); round += 1) {
      const question = { ask: "repertoire", side, nodes, masters: [...known.values()] } as const;
      const answer = await (await engine()).ask(question);
      ({ gaps } = answer);
      if (answer.wanted.length === 0) break;
      const before = known.size;
      for (let at = 0; at < answer.wanted.length && !cancelled(); at += AT_ONCE) {
        const some = answer.wanted.slice(at, at + AT_ONCE);
        const told = await Promise.all(some.map(masters));
        // What was not answered is not remembered: there may be a database of its rules later.
        for (const [i, moves] of told.entries()) if (moves) known.set(some[i]!.key, { key: some[i]!.key, moves });
      }
      if (known.size === before) break;
    }
    found.push(...gaps);
  }
  return found.sort((a, b) => b.games - a.games);
}
