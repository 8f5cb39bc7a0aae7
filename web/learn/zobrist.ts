import type { Collisions, Uci, ZobristTerm } from "rukh-engine";
import type { MoveEvent } from "../src/board/board.ts";
import type { Chapter, ChapterContext } from "../src/learn/chapter.ts";
import { type Preset, lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { button, fill, h } from "../src/ui/dom.ts";
import { announce } from "../src/ui/notice.ts";
import {
  CHESS_START,
  KIWIPETE,
  MAKRUK_MIDDLE,
  MAKRUK_START,
  Place,
  debounce,
  facts,
  grid,
  hex64,
  message,
  showState,
  source,
  sources,
  spaced,
  thousands,
} from "./common.ts";
import "./zobrist.css";
import { t } from "../src/messages/messages.ts";

const KEY_PRESETS: readonly Preset[] = [
  { name: t("Start"), variant: "chess", fen: CHESS_START },
  { name: t("Crowded board"), variant: "chess", fen: KIWIPETE },
  { name: t("Start"), variant: "makruk", fen: MAKRUK_START },
  { name: t("Middle game"), variant: "makruk", fen: MAKRUK_MIDDLE },
  { name: t("Running count"), variant: "makruk", fen: "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1" },
];
const ORDERS: Readonly<Record<"chess" | "makruk", readonly [string, string]>> = {
  chess: ["Nf3 d5 d4", "d4 d5 Nf3"],
  makruk: ["e4 e5 d4", "d4 e5 e4"],
};

const words = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((word) => word.replace(/^\d+\.+/, ""))
    .filter(Boolean);
const key = (term: ZobristTerm): string => `${term.label}:${term.value}`;

/** Which terms a move takes out of the key and puts into it. */
function toggled(
  before: readonly ZobristTerm[],
  after: readonly ZobristTerm[],
): { out: ZobristTerm[]; in: ZobristTerm[] } {
  const old = new Set(before.map(key));
  const next = new Set(after.map(key));
  return { out: before.filter((term) => !next.has(key(term))), in: after.filter((term) => !old.has(key(term))) };
}

/** A board to play on, and the key as it changes. */
function keyWidget(context: ChapterContext, place: Place): HTMLElement {
  const { rules } = context;
  const board = lessonBoard(t("Play a move"), place.fen, place.variant);
  board.mode = "play";
  let moves: Uci[] = [];
  const keyLine = h("p", { class: "key mono", role: "status" });
  const last = h("div", { class: "stack" });
  const list = h("div");
  const back = button(t("Take back"), () => go(moves.slice(0, -1)), { icon: "undo", class: "small" });

  const go = (next: Uci[]) => {
    const state = rules.state({ ...place.spec, moves: next });
    const now = rules.ask({ ask: "zobrist", ...place.spec, moves: next });
    const before = next.length > 0 ? rules.ask({ ask: "zobrist", ...place.spec, moves: next.slice(0, -1) }) : null;
    moves = next;
    place.keep({ moves: next.join(",") });
    showState(board, state);
    back.disabled = next.length === 0;
    const sum = now.terms.reduce((total, term) => total ^ BigInt(`0x${term.value}`), 0n);
    keyLine.textContent = t("key {key}", { key: spaced(now.key) });
    const change = before ? toggled(before.terms, now.terms) : { out: [], in: [] };
    if (before) {
      const difference = BigInt(`0x${before.key}`) ^ BigInt(`0x${now.key}`);
      fill(
        last,
        h(
          "p",
          null,
          h("strong", null, state.last?.san ?? ""),
          ` ${t("toggles {count} of {n} terms:", { count: change.out.length + change.in.length, n: now.terms.length })}`,
        ),
        grid(
          t("Terms that the last move toggled"),
          [t("Term"), "", t("Value")],
          [
            [t("key before"), "", spaced(before.key)],
            ...change.out.map(
              (term) => [term.label, h("span", { class: "term-out" }, t("out")), spaced(term.value)] as const,
            ),
            ...change.in.map(
              (term) => [term.label, h("span", { class: "term-in" }, t("in")), spaced(term.value)] as const,
            ),
            [t("key after"), "", spaced(now.key)],
          ],
          "mono-values",
        ),
        h(
          "p",
          { class: "muted small" },
          t("The values between the two keys XOR to {difference}, the difference of the keys.", {
            difference: spaced(hex64(difference)),
          }),
        ),
      );
      announce(
        t("{move}: {out} terms out, {in} in", {
          move: state.last?.san ?? "",
          out: change.out.length,
          in: change.in.length,
        }),
      );
    } else
      fill(last, h("p", { class: "muted" }, t("Make a move on the board: only the terms that change are touched.")));
    const fresh = new Set(change.in.map(key));
    fill(
      list,
      h(
        "details",
        null,
        h(
          "summary",
          null,
          t("All {n} terms; their XOR is {what}", {
            n: now.terms.length,
            what: sum === BigInt(`0x${now.key}`) ? t("the engine's key") : t("NOT the engine's key"),
          }),
        ),
        h(
          "div",
          { class: "terms mono" },
          ...now.terms.map((term) =>
            h(
              "div",
              { class: fresh.has(key(term)) ? "term fresh" : "term" },
              h("span", null, term.label),
              h("span", null, spaced(term.value)),
            ),
          ),
        ),
      ),
    );
  };
  board.addEventListener("move", (event) => go([...moves, (event as CustomEvent<MoveEvent>).detail.move.uci]));
  const arrive = (first: boolean) => {
    place.show(board);
    const stored = first ? words(place.get("moves") ?? "") : [];
    const line = rules.line(place.spec, stored);
    go(line.moves.map((move) => move.uci));
  };
  arrive(true);
  place.onChange(() => arrive(false));
  return widget(
    t("The key of this position"),
    place.picker,
    h(
      "div",
      { class: "widget-columns" },
      h(
        "div",
        { class: "stack" },
        board,
        h(
          "div",
          { class: "row" },
          back,
          button(t("From the start"), () => go([]), { icon: "first", class: "small" }),
        ),
      ),
      h("div", { class: "stack" }, keyLine, last, list),
    ),
  );
}

/** Two move orders from one position. */
function ordersWidget(context: ChapterContext, place: Place): HTMLElement {
  const { rules } = context;
  const verdict = h("p", { class: "verdict", role: "status" });
  const fields = [t("First order"), t("Second order")].map((label, i) => {
    const field = h("input", {
      class: "input mono",
      "aria-label": label,
      spellcheck: "false",
      onChange: () => compare(),
    });
    return {
      name: i === 0 ? "a" : "b",
      field,
      error: h("p", { class: "error", role: "alert" }),
      keys: h("ol", { class: "keys mono" }),
      label,
    };
  });
  const compare = () => {
    const ends = fields.map(({ name, field, error, keys }) => {
      const line = rules.line(place.spec, words(field.value));
      error.textContent = line.error ?? "";
      place.keep({
        [name]:
          field.value === ORDERS[place.variant === "makruk" ? "makruk" : "chess"][name === "a" ? 0 : 1]
            ? ""
            : field.value,
      });
      const start = rules.ask({ ask: "zobrist", ...place.spec }).key;
      const all = line.moves.map(
        (_, i) =>
          rules.ask({ ask: "zobrist", ...place.spec, moves: line.moves.slice(0, i + 1).map((move) => move.uci) }).key,
      );
      fill(
        keys,
        h("li", null, h("span", null, t("Start")), h("span", null, spaced(start))),
        ...all.map((value, i) =>
          h(
            "li",
            null,
            h("span", null, line.moves[i]!.san),
            h("span", { class: i === all.length - 1 ? "last" : "" }, spaced(value)),
          ),
        ),
      );
      return line.error ? null : (all.at(-1) ?? start);
    });
    const same = ends[0] !== null && ends[0] === ends[1];
    verdict.textContent = ends.includes(null)
      ? ""
      : same
        ? t("Same position, same key: the order cancels out.")
        : t("Different keys: the orders end in different positions.");
    verdict.classList.toggle("good", same);
  };
  const arrive = (first: boolean) => {
    fields.forEach(({ field, name }, i) => {
      field.value =
        (first ? place.get(name) : null) ?? ORDERS[place.variant === "makruk" ? "makruk" : "chess"][i as 0 | 1];
    });
    compare();
  };
  arrive(true);
  place.onChange(() => arrive(false));
  return widget(
    t("Two orders, one key"),
    h(
      "div",
      { class: "orders" },
      ...fields.map(({ label, field, error, keys }) =>
        h("div", { class: "stack" }, h("span", { class: "label", "aria-hidden": "true" }, label), field, error, keys),
      ),
    ),
    verdict,
  );
}

/** A slider that cuts the key until different positions share what is left. */
function collisionWidget(context: ChapterContext, place: Place): HTMLElement {
  const field = h("input", {
    type: "range",
    min: 8,
    max: 64,
    id: "bits",
    value: Math.min(64, Math.max(8, Number(place.get("bits")) || 64)),
  });
  const status = h("p", { role: "status" });
  const figures = h("div");
  const pairs = h("div", { class: "stack" });
  let known: Collisions | null = null;
  let serial = 0;
  let gone = false;
  context.onLeave(() => (gone = true));

  const show = () => {
    const bits = Number(field.value);
    field.setAttribute("aria-valuetext", t("{n} bits kept", { n: bits }));
    if (!known) return;
    const { positions } = known;
    const count = known.pairs.find((pair) => pair.bits === bits)?.count ?? 0;
    const expected = (positions * (positions - 1)) / 2 / 2 ** bits;
    fill(
      figures,
      facts([
        [t("Bits kept"), t("{at} of {n}", { at: bits, n: 64 })],
        [t("Positions"), thousands(positions)],
        [t("Colliding"), t("{n} pairs", { n: count })],
        [
          t("By chance"),
          expected >= 100
            ? thousands(Math.round(expected))
            : expected >= 0.01
              ? expected.toFixed(2)
              : expected.toExponential(1),
        ],
      ]),
    );
    status.textContent =
      count === 0
        ? t("With {bits} bits no two of these positions look alike.", { bits })
        : t("With {bits} bits {n} pairs look alike and are not.", { bits, n: count });
  };
  const load = debounce(
    120,
    () =>
      void (async () => {
        const mine = (serial += 1);
        const bits = Number(field.value);
        try {
          const engine = await context.engine();
          const answer = await engine.ask({ ask: "collisions", ...place.spec, bits });
          if (gone || mine !== serial) return;
          known = answer;
          show();
          const pair = answer.examples[0];
          fill(
            pairs,
            pair
              ? h(
                  "div",
                  { class: "board-row collision" },
                  ...pair.map((each) => {
                    const board = lessonBoard(
                      t("Position after {moves}", { moves: each.line.join(" ") }),
                      each.fen,
                      place.variant,
                    );
                    const low = bits % 4 === 0 ? bits / 4 : Math.floor(bits / 4) + 1;
                    return h(
                      "div",
                      { class: "stack" },
                      board,
                      h("p", { class: "small" }, each.line.length > 0 ? each.line.join(" ") : t("the position itself")),
                      h(
                        "p",
                        { class: "mono small cut-key" },
                        h("span", { class: "muted" }, each.key.slice(0, 16 - low)),
                        h("strong", null, each.key.slice(16 - low)),
                      ),
                    );
                  }),
                )
              : null,
          );
        } catch (problem) {
          if (!gone && mine === serial) {
            status.textContent = "";
            fill(pairs, h("p", { class: "error" }, message(problem)));
          }
        }
      })(),
  );
  field.addEventListener("input", () => {
    place.keep({ bits: field.value === "64" ? "" : field.value });
    show();
    load();
  });
  place.onChange(() => {
    known = null;
    load();
  });
  status.textContent = t("Walking through positions …");
  load();
  return widget(
    t("How many bits are enough?"),
    h("label", { for: "bits", class: "label" }, t("Bits of the key that are kept")),
    field,
    status,
    figures,
    pairs,
    p(
      t(
        "The engine walks through 30,000 different positions near this one, tells them apart by what stands on the board, and compares the low bits of their keys. The last line is what pure chance would give: pairs of positions divided by the number of keys.",
      ),
    ),
  );
}

const chapter: Chapter = (context) => {
  const place = new Place(context, KEY_PRESETS);
  return [
    section(
      t("A name for a position"),
      p(
        t(
          "An engine meets the same position again and again, by repetition or by another order of moves. To recognise it, Rukh gives every position a 64-bit name, its Zobrist key. Each fact about the position has a fixed random number: every piece on every square, every castling right, the file of a possible en passant, White to move. The key is the XOR of the numbers that apply.",
        ),
      ),
      p(
        t(
          "XOR takes out what it put in. A quiet move toggles three terms: the piece leaves one square, arrives on another, and the turn passes. The engine never adds up the whole key again. For chess the numbers are Polyglot's, so Rukh's keys are those of every Polyglot opening book. In Makruk a running count is a term too: two moves before a draw is not the same as a fresh start. A Bia-ngai has the numbers of a Met, because it moves like one.",
        ),
      ),
      sources(
        source(
          "crates/core/src/zobrist.rs",
          "pub(crate) const WHITE_TO_MOVE",
          () => import("../../crates/core/src/zobrist.rs?raw"),
        ),
      ),
      keyWidget(context, place),
    ),
    section(
      t("The order does not matter"),
      p(
        t(
          "XOR does not care about order, so two lines that end in the same position end in the same key. That is what lets the ",
        ),
        h("a", { href: "#/learn/table" }, t("transposition table")),
        t(" answer for both. Write your own lines from the position above."),
      ),
      ordersWidget(context, place),
    ),
    section(
      t("Why 64 bits"),
      p(
        t(
          "Different positions can share a key; with enough bits it all but never happens. The table of the search keeps only 16 bits in each entry, because the place of the entry already tells part of the rest. Cut the key and watch collisions appear where arithmetic says they should: about when the number of pairs reaches the number of keys.",
        ),
      ),
      collisionWidget(context, place),
    ),
  ];
};
export default chapter;
