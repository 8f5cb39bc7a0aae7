import type { MailboxWalk } from "rukh-engine";
import { settings } from "../src/app/settings.ts";
import { squareName } from "../src/board/geometry.ts";
import type { ChapterContext } from "../src/learn/chapter.ts";
import { squaresOf, widget } from "../src/learn/kit.ts";
import { t } from "../src/messages/messages.ts";
import { kindName } from "../src/pieces/names.ts";
import { type Piece, pieceSetOf, pieceSvg } from "../src/pieces/sprite.ts";
import { button, fill, h, setText } from "../src/ui/dom.ts";
import { type Place, Stepper, facts, grid, sentence, spaced, thousands } from "./common.ts";

/** Runs once, when the reader comes near: both widgets need the larger module. */
function whenNear(element: HTMLElement, context: ChapterContext, run: () => void): void {
  const near = new IntersectionObserver(
    (seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      run();
    },
    { rootMargin: "300px" },
  );
  near.observe(element);
  context.onLeave(() => near.disconnect());
}

const pieceOf = (letters: string): Piece => ({
  kind: letters[0]!.toLowerCase(),
  white: letters[0] !== letters[0]!.toLowerCase(),
  promoted: letters.endsWith("~"),
});

/** A piece walked over the board with guard squares, one cell a step, beside what one look-up says. */
export function mailboxWidget(context: ChapterContext, place: Place): HTMLElement {
  const table = h("div", { class: "mailbox", role: "group", "aria-label": t("The board with its guard squares") });
  const problem = h("p", { class: "error", role: "alert" });
  const beside = h("div", { class: "stack" });
  let answer: MailboxWalk | null = null;
  let asked = 0;

  /** The square of a cell: guards have none. */
  const squareOf = (cell: number, width: number) => (Math.floor(cell / width) - 2) * 8 + (cell % width) - 1;
  const step = (at: number): string => {
    const walk = answer;
    if (!walk) return "";
    const name = (cell: number) =>
      walk.cells[cell] === "#" ? t("guard {n}", { n: cell }) : `${cell} (${squareName(squareOf(cell, walk.width))})`;
    const done = walk.steps.slice(0, at);
    const marks = new Map(done.map(({ to, found }) => [to, found as string]));
    for (const cell of table.querySelectorAll<HTMLElement>("[data-cell]")) {
      const number = Number(cell.dataset.cell);
      cell.dataset.found = marks.get(number) ?? "";
      cell.classList.toggle("now", done.at(-1)?.to === number);
    }
    const piece = kindName(pieceOf(walk.piece), place.variant);
    const now = done.at(-1);
    if (!now)
      return t("{piece} on {square}, cell {cell}. A step is a number that is added: one row up is +{width}.", {
        piece,
        square: walk.square,
        cell: (Number(walk.square[1]) + 1) * walk.width + "abcdefgh".indexOf(walk.square[0]!) + 1,
        width: walk.width,
      });
    const said = {
      from: now.from,
      step: `${now.to < now.from ? "−" : "+"} ${Math.abs(now.to - now.from)}`,
      cell: name(now.to),
    };
    if (at === walk.steps.length)
      return t("{n} cells were read, one after the other, to find {squares} squares. The bitboard reads one entry.", {
        n: at,
        squares: squaresOf(walk.attacks).length,
      });
    if (now.found === "guard")
      return t("{from} {step}: {cell}. Off the board, without looking at files and ranks.", said);
    if (now.found === "empty") return t("{from} {step}: {cell} is empty.", said);
    return now.found === "own"
      ? t("{from} {step}: {cell} has a piece of its own side: defended, and the walk ends.", said)
      : t("{from} {step}: {cell} has an enemy: attacked, and the walk ends.", said);
  };
  const stepper = new Stepper(step);

  const draw = (walk: MailboxWalk) => {
    const set = pieceSetOf(place.variant, settings.westernMakruk);
    const rows: HTMLElement[] = [];
    for (let row = walk.cells.length / walk.width - 1; row >= 0; row -= 1)
      for (let column = 0; column < walk.width; column += 1) {
        const cell = row * walk.width + column;
        const there = walk.cells[cell]!;
        if (there === "#" || there === ".") {
          const kind = there === "#" ? "guard" : (row + column) % 2 ? "light" : "dark";
          rows.push(h("span", { class: `cell ${kind}`, dataset: { cell: String(cell) }, "aria-hidden": "true" }, cell));
          continue;
        }
        const square = squareName(squareOf(cell, walk.width));
        const piece = pieceOf(there);
        rows.push(
          h(
            "button",
            {
              type: "button",
              class: `cell ${(row + column) % 2 ? "light" : "dark"}`,
              dataset: { cell: String(cell) },
              "aria-pressed": String(square === walk.square),
              "aria-label": t("{piece} on {square}", { piece: kindName(piece, place.variant), square }),
              onClick: () => void ask(square),
            },
            h("span", { html: pieceSvg(piece, set), "aria-hidden": "true" }),
          ),
        );
      }
    fill(
      beside,
      h("p", { class: "muted small" }, t("Dots are the squares of the bitboard, which the look-up gives at once:")),
      facts([
        [t("Attacks"), `0x${spaced(walk.attacks)}`],
        [t("Squares"), String(squaresOf(walk.attacks).length)],
      ]),
    );
    table.style.setProperty("--cells", String(walk.width));
    fill(table, ...rows);
    // The look-up's squares have a dot all the time: the walk has to find exactly these.
    for (const at of squaresOf(walk.attacks))
      table
        .querySelector(`[data-cell="${(Math.floor(at / 8) + 2) * walk.width + (at % 8) + 1}"]`)
        ?.classList.add("seen");
  };

  const ask = async (square: string, first = false) => {
    const mine = (asked += 1);
    try {
      const engine = await context.engine();
      const walk = await engine.ask({ ask: "mailbox", ...place.spec, square });
      if (mine !== asked) return;
      const focused = table.contains(document.activeElement);
      answer = walk;
      setText(problem, "");
      draw(walk);
      stepper.reset(walk.steps.length + 1, first ? Number(place.get("walk")) || 0 : 0);
      place.keep({ from: square });
      if (focused) table.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    } catch (error) {
      if (mine === asked) setText(problem, sentence(error));
    }
  };
  /** A piece that shows something: the first slider of the side to move, else anybody. */
  const start = (first: boolean) => {
    const sets = context.rules.ask({ ask: "bitboards", ...place.spec });
    const own = BigInt(`0x${sets.own}`);
    const wanted = first ? place.get("from") : null;
    const sliders = squaresOf(BigInt(`0x${sets.kinds["Q"] ?? sets.kinds["R"] ?? "0"}`) & own);
    const square = sliders[0] ?? squaresOf(own)[0]!;
    const written = wanted && /^[a-h][1-8]$/.test(wanted) ? wanted : null;
    void ask(written ?? squareName(square), first);
  };
  const frame = widget(
    t("A walk over the mailbox"),
    h("div", { class: "widget-columns" }, table, h("div", { class: "stack" }, stepper.element, beside, problem)),
  );
  whenNear(frame, context, () => {
    start(true);
    place.onChange(() => start(false));
  });
  return frame;
}

const ROUNDS = 5;
/** So long a count of the slower board is long enough to be timed, in milliseconds. */
const LONG_ENOUGH = 100;
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** Both boards count the same leaves in this tab, in turn. */
export function raceWidget(context: ChapterContext, place: Place): HTMLElement {
  const status = h("p", { role: "status" });
  const table = h("div");
  let running = 0;
  context.onLeave(() => (running += 1));

  const race = async () => {
    const mine = (running += 1);
    start.disabled = true;
    fill(table);
    setText(status, t("Warming up …"));
    try {
      const engine = await context.engine();
      const count = async (board: "bitboard" | "0x88", depth: number) => {
        const began = performance.now();
        const { nodes } = await engine.ask({ ask: "perft", ...place.spec, depth, board });
        return { nodes, time: Math.max(0.1, performance.now() - began) };
      };
      let depth = 2;
      let slow = await count("0x88", depth);
      while (slow.time < LONG_ENOUGH && depth < 7 && mine === running) slow = await count("0x88", (depth += 1));
      let quick = await count("bitboard", depth);
      if (quick.nodes !== slow.nodes) throw new Error(t("the two boards disagree: this is a bug"));
      // The quicker one counts several times, so that both are measured for as long.
      const times = Math.min(20, Math.max(1, Math.round(slow.time / quick.time)));
      const rounds: { quick: number; slow: number }[] = [];
      while (rounds.length < ROUNDS && mine === running) {
        setText(status, t("Round {at} of {n} …", { at: rounds.length + 1, n: ROUNDS }));
        slow = await count("0x88", depth);
        let spent = 0;
        for (let i = 0; i < times; i += 1) {
          quick = await count("bitboard", depth);
          spent += quick.time;
        }
        rounds.push({ slow: slow.time, quick: spent / times });
      }
      if (mine !== running) return;
      const ratios = rounds.map((round) => round.slow / round.quick).sort((a, b) => a - b);
      const speed = (time: number) => (slow.nodes / time / 1000).toPrecision(3);
      const times1 = (value: number) => value.toFixed(1);
      fill(
        table,
        grid(
          t("The race"),
          [t("Board"), t("Leaves"), t("Million leaves per second")],
          [
            [t("Bitboards"), thousands(slow.nodes), speed(median(rounds.map((round) => round.quick)))],
            ["0x88", thousands(slow.nodes), speed(median(rounds.map((round) => round.slow)))],
          ],
        ),
      );
      setText(
        status,
        t("At depth {depth} bitboards count {times} times as fast: the median of {n} rounds, from {least} to {most}.", {
          depth,
          times: times1(median(ratios)),
          n: ROUNDS,
          least: times1(ratios[0]!),
          most: times1(ratios.at(-1)!),
        }),
      );
    } catch (error) {
      if (mine === running) setText(status, sentence(error));
    } finally {
      if (mine === running) start.disabled = false;
    }
  };
  const start = button(t("Start the race"), () => void race(), { class: "primary" });
  const ready = () => {
    running += 1;
    start.disabled = place.variant === "chess960";
    fill(table);
    setText(status, start.disabled ? t("The 0x88 board knows chess and Makruk, not Chess960.") : "");
  };
  ready();
  place.onChange(ready);
  return widget(t("The race"), h("div", { class: "row" }, start), status, table);
}
