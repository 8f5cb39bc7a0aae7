import { type Square, parseSquare, squareName } from "../src/board/geometry.ts";
import type { Cell } from "../src/board/layers.ts";
import type { ChapterContext } from "../src/learn/chapter.ts";
import { lessonBoard, squaresOf, widget } from "../src/learn/kit.ts";
import { choice } from "../src/ui/controls.ts";
import { fill, h } from "../src/ui/dom.ts";
import { type Place, Stepper, facts, hex64, popcount, spaced, squareList, thousands } from "./common.ts";
import { t } from "../src/messages/messages.ts";

type Method = "magic" | "pext";
const set = (hex: string): bigint => BigInt(`0x${hex}`);

/** One slider look-up of the engine, step by step: by magic multiplication, or by gathering bits. */
export function lookupWidget(context: ChapterContext, place: Place): HTMLElement {
  const board = lessonBoard(t("The look-up"), place.fen, place.variant);
  board.mode = "squares";
  const makruk = () => place.variant === "makruk";
  let kind: "rook" | "bishop" = !makruk() && place.get("slider") === "bishop" ? "bishop" : "rook";
  let method: Method = place.get("method") === "pext" ? "pext" : "magic";
  let square: Square = parseSquare(place.get("sq") ?? "") ?? 27;
  let touch: "place" | "block" = "place";
  let occupied: bigint | null = /^[0-9a-f]{1,16}$/.test(place.get("occ") ?? "") ? set(place.get("occ")!) : null;
  const details = h("div", { class: "stack" });
  const kinds = h("div");

  const ask = () =>
    context.rules.ask({
      ask: "slider",
      ...place.spec,
      square: squareName(square),
      kind,
      ...(occupied === null ? {} : { occupied: hex64(occupied) }),
    });
  let answer = ask();
  const occ = () => occupied ?? set(context.rules.ask({ ask: "bitboards", ...place.spec }).occupied);
  /** The squares of the mask in order, a1 first: bit i of a PEXT index is square i of the mask. */
  const masked = () => squaresOf(answer.mask);
  const gathered = () =>
    masked().reduce((index, at, bit) => ((occ() >> BigInt(at)) & 1n ? index | (1 << bit) : index), 0);
  const length = () => (method === "magic" ? 6 : masked().length + 4);

  const paint = (sets: readonly (readonly [bigint, Cell])[]) => {
    const overlay = new Map<number, Cell>([[square, { heat: 0.85, tone: "second" }]]);
    for (const [squares, cell] of sets)
      for (const at of squaresOf(squares)) overlay.set(at, { ...overlay.get(at), ...cell });
    board.overlay = overlay;
  };
  const piece = () => (makruk() ? t("Rua") : kind);

  const step = (at: number): string => {
    const mask = set(answer.mask);
    const blockers = set(answer.blockers);
    const attacks = set(answer.attacks);
    place.keep({
      sq: squareName(square),
      slider: kind === "rook" ? "" : kind,
      method: method === "magic" ? "" : method,
      step: at || "",
      occ: occupied === null ? "" : hex64(occupied),
    });
    const bitsOf = answer.magic === "0000000000000000" ? masked().length : 64 - answer.shift;
    const common: [string, string][] = [
      [t("Square"), squareName(square)],
      [t("Occupied"), `0x${spaced(hex64(occ()))}`],
    ];
    if (at >= 1) common.push([t("Mask"), `0x${spaced(answer.mask)} (${masked().length} bits)`]);
    if (at >= 2) common.push([t("Blockers"), `0x${spaced(answer.blockers)}`]);
    const final = method === "magic" ? 5 : length() - 1;
    if (method === "magic") {
      if (at >= 3)
        common.push([t("Magic"), `0x${spaced(answer.magic)}`], [t("Product"), `0x${spaced(answer.product)}`]);
      if (at >= 4) common.push([t("Index"), `product >> ${answer.shift} = ${thousands(answer.index)}`]);
      if (at >= 5)
        common.push(
          [
            t("Table"),
            `[${thousands(answer.offset)} + ${thousands(answer.index)}] of ${thousands(answer.tableLength)}`,
          ],
          [t("Attacks"), `0x${spaced(answer.attacks)}`],
        );
      fill(details, facts(common));
    } else {
      const done = Math.min(masked().length, Math.max(0, at - 2));
      if (at >= length() - 2) common.push([t("Index"), thousands(gathered())]);
      if (at >= final) common.push([t("Attacks"), `0x${spaced(answer.attacks)}`]);
      fill(
        details,
        facts(common),
        h(
          "div",
          { class: "gather", "aria-hidden": "true" },
          ...masked().map((each, bit) => {
            const one = (occ() >> BigInt(each)) & 1n;
            return h(
              "span",
              {
                class: `${bit < done ? `done${one ? " one" : ""}` : ""}${bit === done - 1 && at < length() - 2 ? " now" : ""}`,
              },
              `${squareName(each)}${bit < done ? ` ${one}` : ""}`,
            );
          }),
        ),
      );
    }
    if (at === 0) {
      paint([[occ(), { heat: 0.45, tone: "third" }]]);
      return t("The {piece} stands on {square}. {n} squares of the board are occupied, as one 64-bit number.", {
        piece: piece(),
        square: squareName(square),
        n: popcount(occ()),
      });
    }
    if (at === 1) {
      paint([[mask, { heat: 0.5, tone: "accent", text: "" }]]);
      return t("The mask: {n} squares can change what it sees. Edges at the end of a line are left out.", {
        n: masked().length,
      });
    }
    if (at === 2) {
      paint([
        [mask, { heat: 0.25, tone: "accent" }],
        [blockers, { heat: 0.8, tone: "threat" }],
      ]);
      return t("occupied & mask leaves the blockers: {squares}.", { squares: squareList(squaresOf(blockers)) });
    }
    if (at === final) {
      paint([[attacks, { heat: 0.6, tone: "good" }]]);
      return t("That entry is the answer: {n} squares, blockers included. Own pieces are cut off later.", {
        n: popcount(attacks),
      });
    }
    paint([
      [mask, { heat: 0.25, tone: "accent" }],
      [blockers, { heat: 0.8, tone: "threat" }],
    ]);
    if (method === "magic") {
      return at === 3
        ? t(
            "Multiply by the square's magic number. The multiplication adds shifted copies of the blockers, and what matters meets in the top bits.",
          )
        : t("Keep the top {bits} bits by a shift of {shift}: entry {index} of this square's part of the table.", {
            bits: bitsOf,
            shift: answer.shift,
            index: answer.index,
          });
    }
    if (at < length() - 2) {
      const now = masked()[at - 3]!;
      const one = (occ() >> BigInt(now)) & 1n;
      board.overlay = new Map([
        ...squaresOf(mask).map((each): [number, Cell] => [
          each,
          {
            heat: (blockers >> BigInt(each)) & 1n ? 0.5 : 0.2,
            tone: (blockers >> BigInt(each)) & 1n ? "threat" : "accent",
          },
        ]),
        [square, { heat: 0.85, tone: "second" }],
        [now, { heat: 0.95, tone: one ? "threat" : "accent", text: String(one) }],
      ]);
      return t("Bit {bit} of the index is {square}: {what}.", {
        bit: at - 3,
        square: squareName(now),
        what: one ? t("occupied, 1") : t("empty, 0"),
      });
    }
    return t("All {bits} bits side by side are the index: {index} of {n}.", {
      bits: masked().length,
      index: gathered(),
      n: 2 ** masked().length,
    });
  };
  const stepper = new Stepper(step);
  const again = (at = 0) => {
    answer = ask();
    stepper.reset(length(), at);
  };
  const showKinds = () =>
    fill(
      kinds,
      makruk()
        ? h("p", { class: "muted small" }, t("In Makruk the Rua is the only slider."))
        : choice(
            t("Piece"),
            [
              ["rook", t("Rook")],
              ["bishop", t("Bishop")],
            ],
            kind,
            (next) => {
              kind = next;
              again(stepper.at);
            },
          ),
    );
  board.addEventListener("square", (event) => {
    const at = (event as CustomEvent<Square>).detail;
    if (touch === "place") square = at;
    else occupied = occ() ^ (1n << BigInt(at));
    again(stepper.at);
  });
  place.onChange(() => {
    occupied = null;
    if (makruk()) kind = "rook";
    place.show(board);
    showKinds();
    again();
  });
  showKinds();
  place.show(board);
  again(Number(place.get("step") ?? 0) || 0);

  return widget(
    t("One look-up, step by step"),
    h(
      "div",
      { class: "widget-columns" },
      board,
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "row" },
          kinds,
          choice(
            t("Way"),
            [
              ["magic", t("Magic")],
              ["pext", "PEXT"],
            ],
            method,
            (next) => {
              method = next;
              again();
            },
          ),
          choice(
            t("A click"),
            [
              ["place", t("moves the piece")],
              ["block", t("turns a bit")],
            ],
            touch,
            (next) => {
              touch = next;
            },
          ),
        ),
        stepper.element,
        details,
      ),
    ),
  );
}
