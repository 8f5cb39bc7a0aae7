import type { Engine, HashEntry, HashMap, HashProbe, Uci } from "rukh-engine";
import type { MoveEvent } from "../src/board/board.ts";
import type { Chapter } from "../src/learn/chapter.ts";
import { lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { choice, select } from "../src/ui/controls.ts";
import { button, fill, h, setText } from "../src/ui/dom.ts";
import { announce } from "../src/ui/notice.ts";
import {
  Place,
  Stepper,
  facts,
  grid,
  message,
  showState,
  source,
  sources,
  spaced,
  storedMoves,
  thousands,
} from "./common.ts";
import { type Field, wordView } from "./wordview.ts";
import "./table.css";
import { t } from "../src/messages/messages.ts";

const WIDE = 96;
const HIGH = 24;
/** Each search gets twice the nodes of the one before; after each the table is looked at. */
const FIRST_NODES = 2_000;
const LAST_NODES = 512_000;
const MOST_CHILDREN = 14;

const BOUNDS: Readonly<Record<HashEntry["bound"], string>> = {
  none: t("evaluation only"),
  upper: t("at most"),
  lower: t("at least"),
  exact: "exactly",
};

/** The fields of an entry's word, as the table packs them. */
function fieldsOf(entry: HashEntry): Field[] {
  return [
    {
      name: "move",
      from: 0,
      to: 15,
      value: entry.move ?? "–",
      text: entry.move ? t("the best move, tried first") : t("no move kept"),
    },
    {
      name: "score",
      from: 16,
      to: 31,
      value: String(entry.value),
      text: t("for the side to move, in the search's unit"),
    },
    {
      name: "evaluation",
      from: 32,
      to: 47,
      value: entry.eval === null ? "–" : String(entry.eval),
      text: t("of the position itself, saved for next time"),
    },
    {
      name: "depth",
      from: 48,
      to: 55,
      value: String(entry.depth),
      text: t("moves of one side below it (stored plus two)"),
    },
    {
      name: "bound",
      from: 56,
      to: 57,
      value: entry.bound,
      text: t("the true score is {bound} this", { bound: BOUNDS[entry.bound] }),
    },
    { name: "pv", from: 58, to: 58, value: entry.pv ? "1" : "0", text: t("was on a principal variation") },
    { name: "age", from: 59, to: 63, value: String(entry.age), text: t("which search stored it") },
  ];
}

const chapter: Chapter = (context) => {
  const { rules } = context;
  const place = new Place(context);
  const board = lessonBoard(t("Position that is looked up"), place.fen, place.variant);
  board.mode = "play";
  let moves: Uci[] = storedMoves(context, place);
  let megabytes = ["1", "4", "16"].find((size) => size === place.get("mb")) ?? "4";
  let colour: "used" | "fresh" | "depth" =
    (["fresh", "depth"] as const).find((name) => name === place.get("map")) ?? "used";
  let running = 0;
  let map: HashMap | null = null;
  let probe: HashProbe | null = null;

  /* ------------------------------------------------------------------------------------------------------- the map */
  const canvas = h("canvas", {
    class: "heat",
    width: WIDE,
    height: HIGH,
    role: "img",
    "aria-label": t("Heat map of the table"),
  });
  const mark = h("div", { class: "heat-mark", hidden: true });
  const status = h("p", { role: "status" }, t("The table is empty."));
  const stop = button(t("Stop"), () => (running += 1), { class: "small" });
  const start = button(t("Search this position"), () => void search(), { icon: "play", class: "primary" });
  const clear = button(
    t("Clear the table"),
    () => void change(t("The table is empty."), (engine) => engine.setOption("Clear Hash", true)),
    { class: "small" },
  );
  stop.hidden = true;
  context.onLeave(() => (running += 1));

  const paint = () => {
    const pen = canvas.getContext("2d");
    if (!pen || !map) return;
    const image = pen.createImageData(WIDE, HIGH);
    const values = map[colour];
    const most = colour === "depth" ? Math.max(4, ...values) : 1000;
    for (let i = 0; i < WIDE * HIGH; i += 1) {
      const strength = Math.max(0, Math.min(1, (values[i] ?? 0) / most));
      // From dark blue over red to light yellow: readable in both themes and without colour vision.
      const mix = (a: number, b: number, c: number) =>
        strength < 0.5 ? a + (b - a) * strength * 2 : b + (c - b) * (strength * 2 - 1);
      image.data.set([mix(24, 190, 255), mix(28, 72, 232), mix(56, 44, 160), i < map.cells ? 255 : 0], 4 * i);
    }
    pen.putImageData(image, 0, 0);
    mark.hidden = !probe;
    if (probe) {
      const cell = Math.floor(probe.cluster / map.clustersPerCell);
      mark.style.left = `${(((cell % WIDE) + 0.5) / WIDE) * 100}%`;
      mark.style.top = `${((Math.floor(cell / WIDE) + 0.5) / HIGH) * 100}%`;
    }
    const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
    canvas.setAttribute(
      "aria-label",
      t("Heat map of the table: {used} % in use, {fresh} % by the last search, mean depth {depth}", {
        used: (mean(map.used) / 10).toFixed(0),
        fresh: (mean(map.fresh) / 10).toFixed(0),
        depth: mean(map.depth).toFixed(1),
      }),
    );
  };
  const look = async (engine: Engine) => {
    map = await engine.ask({ ask: "hashMap", cells: WIDE * HIGH });
    probe = await engine.ask({ ask: "hashProbe", ...place.spec, moves });
    paint();
  };
  const ready = async (): Promise<Engine> => {
    const engine = await context.engine();
    await engine.setPosition(place.fen, moves, place.variant);
    return engine;
  };
  const search = async (last = LAST_NODES) => {
    const mine = (running += 1);
    [start.disabled, stop.hidden] = [true, false];
    try {
      const engine = await ready();
      for (let nodes = FIRST_NODES; nodes <= last && mine === running; nodes *= 2) {
        const result = await engine.go({ nodes });
        await look(engine);
        if (!map) return;
        const used = map.used.reduce((sum, value) => sum + value, 0) / map.used.length / 10;
        setText(
          status,
          t("{nodes} nodes, depth {depth}, best {best}; {used} % of {entries} entries in use.", {
            nodes: result.nodes,
            depth: result.depth,
            best: result.san ?? "–",
            used: used.toFixed(1),
            entries: map.clusters * 3,
          }),
        );
      }
    } catch (problem) {
      setText(status, message(problem));
    } finally {
      [start.disabled, stop.hidden] = [false, true];
      await follow();
    }
  };
  /** Changes the table itself, then looks at it. */
  const change = async (words: string, run: (engine: Engine) => Promise<void>) => {
    running += 1;
    try {
      const engine = await ready();
      await run(engine);
      setText(status, words);
      await look(engine);
    } catch (problem) {
      setText(status, message(problem));
    }
    await follow();
  };

  /* ----------------------------------------------------------------------------------------------------- one probe */
  const details = h("div", { class: "stack" });
  const children = h("div", { class: "tall" });
  const stepper = new Stepper((step) => {
    if (!probe) return t("Search first: the table of this page is empty.");
    const { key, clusters, cluster, key16, entries, hit } = probe;
    const all: [string, string][] = [[t("Key"), spaced(key)]];
    if (step >= 1) all.push([t("Cluster"), `(key × ${thousands(clusters)}) >> 64 = ${thousands(cluster)}`]);
    if (step >= 2) all.push([t("Low 16 bits"), key16]);
    const slots =
      step >= 2
        ? h(
            "div",
            { class: "slots" },
            ...entries.map((entry) =>
              h(
                "div",
                {
                  class: `slot ${step >= 3 ? (entry.slot === hit ? "hit" : "miss") : ""}${step === 3 && entry.slot === (hit ?? 0) ? " now" : ""}`,
                },
                h("strong", null, t("Entry {n}", { n: entry.slot + 1 })),
                h(
                  "span",
                  { class: "mono" },
                  entry.empty
                    ? t("empty")
                    : t("key {key} · depth {depth} · {bound} · age {age}", {
                        key: entry.key16,
                        depth: entry.depth,
                        bound: `${BOUNDS[entry.bound]}${entry.bound === "none" ? "" : ` ${entry.value}`}`,
                        age: entry.age,
                      }),
                ),
              ),
            ),
          )
        : null;
    const found = hit === null ? null : entries[hit]!;
    fill(details, facts(all), slots, step >= 4 && found ? wordView(BigInt(`0x${found.word}`), fieldsOf(found)) : null);
    switch (step) {
      case 0:
        return t("The 64-bit key of the position (chapter 3).");
      case 1:
        return t(
          "Multiplied by the number of clusters, the high half of the product is a place in the table. No division, any size of table.",
        );
      case 2:
        return t(
          "A cluster is 32 bytes, half a cache line: three entries of eight bytes, and their three 16-bit keys. One memory access brings them all.",
        );
      case 3:
        return found
          ? t("Entry {n} has the low 16 bits of our key: a hit.", { n: found.slot + 1 })
          : t("No entry has our 16 bits: a miss. The search must do the work itself, and will store it here.");
      default:
        return found
          ? t(
              "The entry unpacked: {what} A search that wants no more depth may stop here if that decides its window; a deeper one still tries the move first.",
              {
                what:
                  found.bound === "none"
                    ? t("only the evaluation is known.")
                    : t("at depth {depth} the score was {bound} {value}.", {
                        depth: found.depth,
                        bound: BOUNDS[found.bound],
                        value: String(found.value),
                      }),
              },
            )
          : "";
    }
  });
  /** Shows the position and what the table knows of it; a reader who leaves in between is no error. */
  const follow = (): Promise<void> => walk().catch((problem: unknown) => setText(status, message(problem)));
  const walk = async (): Promise<void> => {
    const state = rules.state({ ...place.spec, moves });
    showState(board, state);
    place.keep({ moves: moves.join(",") });
    back.disabled = moves.length === 0;
    if (!map) return stepper.reset(1);
    const engine = await context.engine();
    probe = await engine.ask({ ask: "hashProbe", ...place.spec, moves });
    paint();
    stepper.reset(probe.hit === null ? 4 : 5, Math.min(stepper.at, 4));
    const here = moves;
    const found: { san: string; uci: Uci; entry: HashEntry }[] = [];
    for (const move of state.moves) {
      const below = await engine.ask({ ask: "hashProbe", ...place.spec, moves: [...here, move.uci] });
      if (below.hit !== null && below.entries[below.hit]!.bound !== "none")
        found.push({ san: move.san, uci: move.uci, entry: below.entries[below.hit]! });
      if (here !== moves) return;
    }
    found.sort((a, b) => b.entry.depth - a.entry.depth);
    const replyOf = (uci: Uci, { move }: HashEntry): string =>
      rules.state({ ...place.spec, moves: [...here, uci] }).moves.find((reply) => reply.uci === move)?.san ?? "–";
    fill(
      children,
      h(
        "p",
        { class: "small muted" },
        t("{found} of the {n} positions one move on are in the table.", { found: found.length, n: state.moves.length }),
      ),
      found.length > 0
        ? grid(
            t("Positions one move on that are in the table"),
            [t("Move"), t("Depth"), t("Score for the mover"), t("Reply")],
            found
              .slice(0, MOST_CHILDREN)
              .map(({ san, uci, entry }) => [
                h("button", { type: "button", class: "button small quiet", onClick: () => play(uci) }, san),
                entry.depth,
                `${entry.bound === "upper" ? "≥" : entry.bound === "lower" ? "≤" : "="} ${String(-entry.value).replace("-", "−")}`,
                replyOf(uci, entry),
              ]),
          )
        : null,
    );
  };
  const play = (uci: Uci) => {
    moves = [...moves, uci];
    void follow();
    announce(t("Followed"));
  };
  const back = button(
    t("Take back"),
    () => {
      moves = moves.slice(0, -1);
      void follow();
    },
    { icon: "undo", class: "small" },
  );
  board.addEventListener("move", (event) => play((event as CustomEvent<MoveEvent>).detail.move.uci));
  place.onChange(() => {
    moves = [];
    running += 1;
    place.show(board);
    void follow();
  });
  place.show(board);
  stepper.reset(1);
  void follow();
  // A first short search: an empty table shows nothing.
  void context
    .engine()
    .then(async (engine) => {
      await engine.setOption("Hash", Number(megabytes));
      if (running === 0) await search(4 * FIRST_NODES);
    })
    .catch((problem: unknown) => setText(status, message(problem)));

  return [
    section(
      t("Never search the same position twice"),
      p(
        t(
          "Different orders of moves lead to the same positions, millions of times in one search. The transposition table remembers what was found: the best move, the score, how deep it was searched, and whether the score is exact or only a bound. When a position comes up again, the search may take the answer, and if it must go deeper it at least knows which move to try first. Iterative deepening relies on that: each iteration leaves its best moves for the next.",
        ),
      ),
      sources(source("crates/search/src/tt.rs", "entry  bits", () => import("../../crates/search/src/tt.rs?raw"))),
      widget(
        t("The table of this page, live"),
        place.picker,
        h(
          "div",
          { class: "row" },
          start,
          stop,
          clear,
          select(
            t("Size"),
            [
              ["1", t("1 MiB")],
              ["4", t("4 MiB")],
              ["16", t("16 MiB")],
            ],
            megabytes,
            (next) => {
              megabytes = next;
              place.keep({ mb: next === "4" ? "" : next });
              void change(t("A new table of {n} MiB.", { n: Number(next) }), (engine) =>
                engine.setOption("Hash", Number(next)),
              );
            },
          ),
          choice(
            t("Colour"),
            [
              ["used", t("In use")],
              ["fresh", t("Last search")],
              ["depth", t("Depth")],
            ],
            colour,
            (next) => {
              colour = next;
              place.keep({ map: next === "used" ? "" : next });
              paint();
            },
          ),
        ),
        status,
        h("div", { class: "heat-frame" }, canvas, mark),
        p(
          t(
            "Each dot is a group of neighbouring clusters, in the order of memory; dark is empty, bright is full (or fresh, or deep). The ring is where the position below belongs. The picture is noise, and that is the point: keys are spread evenly, whatever the position.",
          ),
        ),
      ),
    ),
    section(
      t("A probe, step by step"),
      p(t("Where does a position belong, and is it there? Play moves on the board to follow any line into the table.")),
      widget(
        t("One look into the table"),
        h(
          "div",
          { class: "widget-columns" },
          h("div", { class: "stack" }, board, h("div", { class: "row" }, back), children),
          h("div", { class: "stack" }, stepper.element, details),
        ),
        p(
          t(
            "Two threads may write the same entry at the same time. So that nobody reads half of each, the 16 bits are stored mixed with the entry itself: a torn pair does not match. What is thrown out when a cluster is full? The entry that is shallow and old.",
          ),
        ),
      ),
    ),
  ];
};
export default chapter;
