import { type Square, squareName } from "../src/board/geometry.ts";
import type { Chapter } from "../src/learn/chapter.ts";
import { lessonBoard, p, section, squaresOf, widget } from "../src/learn/kit.ts";
import { button, fill, h } from "../src/ui/dom.ts";
import { announce } from "../src/ui/notice.ts";
import { ALL_64, Place, facts, hex64, popcount, source, sources, spaced, squareList, thousands } from "./common.ts";
import { compute } from "./expression.ts";
import { lookupWidget } from "./lookup.ts";
import { mailboxWidget, raceWidget } from "./mailbox.ts";
import "./bitboards.css";
import { t } from "../src/messages/messages.ts";

const FILE_A = 0x0101010101010101n;
const FILE_H = FILE_A << 7n;

/** A step in each direction; what would leave the board sideways is cut off first. */
const SHIFTS: Readonly<Record<string, { arrow: string; name: string; code: string; run: (set: bigint) => bigint }>> = {
  nw: { arrow: "↖", name: "north-west", code: "(set & ~fileA) << 7", run: (set) => (set & ~FILE_A) << 7n },
  n: { arrow: "↑", name: "north", code: "set << 8", run: (set) => set << 8n },
  ne: { arrow: "↗", name: "north-east", code: "(set & ~fileH) << 9", run: (set) => (set & ~FILE_H) << 9n },
  w: { arrow: "←", name: "west", code: "(set & ~fileA) >> 1", run: (set) => (set & ~FILE_A) >> 1n },
  e: { arrow: "→", name: "east", code: "(set & ~fileH) << 1", run: (set) => (set & ~FILE_H) << 1n },
  sw: { arrow: "↙", name: "south-west", code: "(set & ~fileA) >> 9", run: (set) => (set & ~FILE_A) >> 9n },
  s: { arrow: "↓", name: "south", code: "set >> 8", run: (set) => set >> 8n },
  se: { arrow: "↘", name: "south-east", code: "(set & ~fileH) >> 7", run: (set) => (set & ~FILE_H) >> 7n },
};

const EXAMPLES: Readonly<Record<"chess" | "makruk", readonly (readonly [string, string])[]>> = {
  chess: [
    [t("White pawns that can step"), "(P << 8) & ~occ"],
    [t("Double steps"), "((((P & rank2) << 8) & ~occ) << 8) & ~occ"],
    [t("Attacked and undefended"), "own & attacked & ~attacks"],
    [t("Rook on d5, through its own pieces"), "rook(d5, occ - own)"],
  ],
  makruk: [
    [t("Bia that can step"), "(P << 8) & ~occ"],
    [t("Squares ahead of the Khon"), "north(S)"],
    [t("Attacked and undefended"), "own & attacked & ~attacks"],
    [t("Bia about to promote"), "P & rank5"],
  ],
};

/** The 64 bits, one rank a line: eight bits are two hexadecimal digits. */
function wordTable(set: bigint): HTMLElement {
  const rows = [
    h(
      "div",
      { class: "word-row word-head" },
      h("span"),
      ..."hgfedcba".split("").map((file) => h("span", null, file)),
      h("span", null, "hex"),
    ),
  ];
  for (let rank = 7; rank >= 0; rank -= 1) {
    const byte = Number((set >> BigInt(8 * rank)) & 255n);
    rows.push(
      h(
        "div",
        { class: "word-row" },
        h("span", null, t("rank {n}", { n: rank + 1 })),
        ...[7, 6, 5, 4, 3, 2, 1, 0].map((bit) =>
          h("span", { class: (byte >> bit) & 1 ? "one" : "zero" }, (byte >> bit) & 1),
        ),
        h("span", null, byte.toString(16).padStart(2, "0")),
      ),
    );
  }
  return h("div", { class: "word", "aria-hidden": "true" }, ...rows);
}

const chapter: Chapter = (context) => {
  const { rules } = context;
  const place = new Place(context);
  const board = lessonBoard(t("Squares of the set"), place.fen, place.variant);
  board.mode = "squares";
  let set = 0n;
  let chosen = "";
  const named = h("div", { class: "chips", role: "group", "aria-label": t("Sets of this position") });
  const numbers = h("div", { class: "stack" });
  const status = h("p", { class: "muted small", role: "status" });
  const field = h("input", {
    class: "input mono",
    id: "expression",
    spellcheck: "false",
    autocapitalize: "none",
    autocomplete: "off",
    "aria-describedby": "expression-error",
  });
  const error = h("p", { class: "error", id: "expression-error", role: "alert" });
  const examples = h("div", { class: "chips" });

  const names = () => {
    const sets = rules.ask({ ask: "bitboards", ...place.spec });
    const value = (hex: string) => BigInt(`0x${hex}`);
    const table = new Map<string, bigint>([
      ["occ", value(sets.occupied)],
      ["own", value(sets.own)],
      ["enemy", value(sets.enemy)],
      ["white", value(sets.white)],
      ["black", value(sets.black)],
      ["pinned", value(sets.pinned)],
      ["checkers", value(sets.checkers)],
      ["attacked", value(sets.attacked)],
      ["attacks", value(sets.attacks)],
    ]);
    if (place.variant === "makruk") table.set("promoted", value(sets.promoted));
    else table.set("castling", value(sets.castling)).set("enPassant", value(sets.enPassant));
    for (const [letter, hex] of Object.entries(sets.pieces)) table.set(letter, value(hex));
    return table;
  };
  let table = names();

  const lookUp = (name: string): bigint | undefined => {
    if (name === "set") return set;
    if (name === "all") return ALL_64;
    if (table.has(name)) return table.get(name);
    const line = /^(file|rank)([A-Ha-h1-8])$/.exec(name);
    if (line?.[1] === "file" && /[a-h]/i.test(line[2]!))
      return FILE_A << BigInt("abcdefgh".indexOf(line[2]!.toLowerCase()));
    if (line?.[1] === "rank" && /[1-8]/.test(line[2]!)) return 0xffn << BigInt(8 * (Number(line[2]) - 1));
    return /^[a-h][1-8]$/.test(name)
      ? 1n << BigInt("abcdefgh".indexOf(name[0]!) + 8 * (Number(name[1]) - 1))
      : undefined;
  };
  const call = (name: string, [first, second]: readonly bigint[]): bigint | undefined => {
    const shift = Object.values(SHIFTS).find((candidate) => candidate.name.replace("-", "") === name.toLowerCase());
    if (shift && second === undefined) return shift.run(first!);
    if ((name === "rook" || name === "bishop") && first !== undefined) {
      // Each square of the set slides on its own; the engine's own table answers.
      const occupied = hex64(second ?? table.get("occ")!);
      return squaresOf(first).reduce(
        (all, square) =>
          all |
          BigInt(
            `0x${rules.ask({ ask: "slider", variant: place.variant, square: squareName(square), kind: name, occupied }).attacks}`,
          ),
        0n,
      );
    }
    return undefined;
  };

  const show = (keep = true) => {
    board.overlay = new Map(
      squaresOf(set).map((square) => [square, { heat: 0.62, tone: "second", note: "1", spoken: t("in the set") }]),
    );
    const signed = BigInt.asIntN(64, set);
    fill(
      numbers,
      h(
        "div",
        { class: "side-by-side" },
        facts([
          [t("Hexadecimal"), `0x${spaced(hex64(set))}`],
          [t("Decimal"), thousands(set)],
          [t("Signed"), thousands(signed)],
          [t("Squares"), String(popcount(set))],
          [
            t("First, last"),
            set ? `${squareName(squaresOf(set)[0]!)}, ${squareName(squaresOf(set).at(-1)!)}` : t("none"),
          ],
        ]),
        wordTable(set),
      ),
    );
    for (const chip of named.querySelectorAll("button"))
      chip.setAttribute("aria-pressed", String(chip.dataset.set === chosen));
    const squares = squaresOf(set);
    status.textContent = `${chosen ? `${chosen}: ` : ""}${t("{n} squares", { n: squares.length })}${squares.length > 0 && squares.length <= 10 ? ` (${squareList(squares)})` : ""}`;
    if (keep) place.keep({ bits: hex64(set) });
  };
  const choose = (name: string) => {
    chosen = name;
    set = table.get(name) ?? 0n;
    field.value = name;
    error.textContent = "";
    field.removeAttribute("aria-invalid");
    show();
    place.keep({ e: name });
  };
  const run = (text: string) => {
    try {
      set = compute(text, { set: lookUp, call });
      chosen = table.has(text.trim()) ? text.trim() : "";
      error.textContent = "";
      field.removeAttribute("aria-invalid");
      show();
      place.keep({ e: text.trim() });
    } catch (problem) {
      error.textContent = problem instanceof Error ? problem.message : String(problem);
      field.setAttribute("aria-invalid", "true");
    }
  };
  const change = (next: bigint, words: string) => {
    set = next & ALL_64;
    chosen = "";
    place.keep({ e: "" });
    show();
    announce(words);
  };
  board.addEventListener("square", (event) => {
    const square = (event as CustomEvent<Square>).detail;
    const bit = 1n << BigInt(square);
    change(set ^ bit, t(set & bit ? "{square} cleared" : "{square} set", { square: squareName(square) }));
  });
  field.addEventListener("change", () => run(field.value));

  const arrive = (first: boolean) => {
    table = names();
    place.show(board);
    fill(
      named,
      ...[...table].map(([name]) =>
        h(
          "button",
          { type: "button", class: "button mono", dataset: { set: name }, onClick: () => choose(name) },
          name,
        ),
      ),
    );
    fill(
      examples,
      ...EXAMPLES[place.variant === "makruk" ? "makruk" : "chess"].map(([title, text]) =>
        button(
          title,
          () => {
            field.value = text;
            run(text);
          },
          { class: "small", title: text },
        ),
      ),
    );
    const stored = first ? place.get("bits") : null;
    const written = first ? place.get("e") : null;
    if (written) {
      // Shown first, so that something is there if the expression in the address is wrong.
      show(false);
      run((field.value = written));
    } else if (stored && /^[0-9a-f]{1,16}$/.test(stored)) {
      set = BigInt(`0x${stored}`);
      show(false);
    } else if (first || !field.value) {
      set = table.get("attacks")!;
      chosen = field.value = "attacks";
      show(false);
    } else run(field.value);
  };
  arrive(true);
  place.onChange(() => arrive(false));

  const compass = h(
    "div",
    { class: "compass", role: "group", "aria-label": t("Shift the set by one square") },
    ...["nw", "n", "ne", "w", "", "e", "sw", "s", "se"].map((key) => {
      const shift = SHIFTS[key];
      return shift
        ? h(
            "button",
            {
              type: "button",
              class: "button",
              "aria-label": t("Shift {direction}", { direction: shift.name }),
              title: shift.code,
              onClick: () => change(shift.run(set), t("Shifted {direction}", { direction: shift.name })),
            },
            shift.arrow,
          )
        : h("span");
    }),
  );

  return [
    section(
      t("A set of squares is a number"),
      p(
        t(
          "A board has 64 squares and a machine word has 64 bits. Rukh gives each square one bit: a1 is bit 0, b1 is bit 1, h8 is bit 63. A set of squares is then one number, and one instruction joins, intersects or moves whole sets: `&` keeps what both have, `|` takes what either has, `^` takes what only one has, `~` flips every bit, `-` takes one set out of another.",
        ),
      ),
      p(
        t(
          "Each rank is one byte, so two hexadecimal digits. Inside a byte file a is the lowest bit and is written last: printed as digits, a rank reads from h to a.",
        ),
      ),
      sources(
        source(
          "crates/core/src/bitboard.rs",
          "pub struct Bitboard",
          () => import("../../crates/core/src/bitboard.rs?raw"),
        ),
      ),
      widget(
        t("Every named set of the position"),
        place.picker,
        h(
          "div",
          { class: "widget-columns" },
          h("div", { class: "stack" }, board, status),
          h(
            "div",
            { class: "stack" },
            named,
            h(
              "div",
              { class: "field" },
              h("label", { for: "expression", class: "label" }, t("Expression")),
              field,
              error,
              examples,
            ),
            numbers,
            h(
              "div",
              { class: "row" },
              compass,
              h(
                "div",
                { class: "stack" },
                button(t("Flip every bit"), () => change(ALL_64 ^ set, t("Complement")), { class: "small" }),
                button(t("Lowest bit only"), () => change(set & -set, t("Lowest bit")), { class: "small" }),
                button(t("Clear"), () => change(0n, t("Empty")), { class: "small" }),
              ),
            ),
          ),
        ),
        p(
          t(
            "Click squares to flip bits. Capital letters are White's pieces, small ones Black's; `own` and `enemy` depend on the side to move, `attacked` is what the enemy attacks and `attacks` what the side to move does. The expression box also knows `set` (the squares shown), `fileA`, `rank1`, square names, `north(x)` and the other directions, and `rook(squares, occupied)`, which asks the engine's table.",
          ),
        ),
      ),
    ),
    section(
      t("Moving everybody at once"),
      p(
        t(
          "A step north is a shift by eight. All eight pawns step in one instruction, and one more keeps those whose way is free: `(P << 8) & ~occ`. That is how the generator makes pawn moves, in both games, without a loop over pawns.",
        ),
      ),
      p(
        t(
          "Steps east and west need care: the bit after h1 is a2. The file that would wrap is cut off before the shift. Try the arrows on a set that touches the edge.",
        ),
      ),
    ),
    section(
      t("Sliding pieces: a table instead of a walk"),
      p(
        t(
          "A rook's attacks depend on the pieces in its way, and only on them. Of the 64 squares at most 12 matter; the edges never do, since a rook reaches an edge square whatever stands on it. Rukh turns those few bits into a small number and looks the answer up.",
        ),
      ),
      p(
        t(
          "Two ways lead to that number. With PEXT, an instruction of newer x86 processors, the bits are gathered side by side. Without it, as in this page, the blockers are multiplied by a constant that was searched for so that the top bits of the product tell all arrangements apart: a magic number. In Makruk only the Rua slides; the other pieces are plain tables of 64 sets.",
        ),
      ),
      sources(source("crates/core/src/attacks.rs", "fn slide(", () => import("../../crates/core/src/attacks.rs?raw"))),
      lookupWidget(context, place),
    ),
    section(
      t("The other way: a mailbox with guards"),
      p(
        t(
          "Most programs before bitboards kept an array with one cell per square, and walked from cell to cell to find what a piece attacks. The trouble is leaving the board: h4 and a5 are neighbours in memory. So the board lies inside a larger one, and the cells around it hold guards: reading a guard means having left the board. Two rows above and below are needed for knights, one column on each side is enough, because the column right of one row is followed by the column left of the next.",
        ),
      ),
      p(
        t(
          "The 0x88 board needs no guards to read: it is sixteen cells wide, and a number with a bit of 0x88 is off the board. The race below uses that one.",
        ),
      ),
      sources(
        source("crates/mailbox/src/grid.rs", "pub struct Spot", () => import("../../crates/mailbox/src/grid.rs?raw")),
      ),
      mailboxWidget(context, place),
    ),
    section(
      t("A fair race"),
      p(
        t(
          "Both boards count the leaves of the position above in this tab, taking turns, each as well as it can. The 0x88 board has piece lists, a table of what the difference of two cells means, tries out only moves that could uncover its king, and does not play the last move where it is surely legal. Bitboards know all pinned pieces before they begin, move all pawns at once, and count the last moves without looking at each.",
        ),
      ),
      p(
        t(
          "This page has no PEXT, so the distance is smaller here than in a program: `docs/lab/benchmarks.md` has both games measured natively.",
        ),
      ),
      sources(
        source("crates/api/src/learn/x88.rs", "pub fn perft", () => import("../../crates/api/src/learn/x88.rs?raw")),
        source("crates/core/src/perft.rs", "pub fn perft<", () => import("../../crates/core/src/perft.rs?raw")),
      ),
      raceWidget(context, place),
    ),
  ];
};
export default chapter;
