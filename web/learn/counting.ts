import type { BoardState, Color, TableProbe, Uci } from "rukh-engine";
import type { MoveEvent } from "../src/board/board.ts";
import { parseSquare, thaiNumber } from "../src/board/geometry.ts";
import { bestFirst, movesLeft } from "../src/game/bare.ts";
import type { Chapter, ChapterContext } from "../src/learn/chapter.ts";
import { type Preset, lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { kindName, sideName, toMove } from "../src/pieces/names.ts";
import { countTexts, honourName } from "../src/play/honours.ts";
import { number, toggle } from "../src/ui/controls.ts";
import { button, fill, h, setText } from "../src/ui/dom.ts";
import { announce } from "../src/ui/notice.ts";
import { Place, facts, grid, message, showState, source, sources, storedMoves } from "./common.ts";
import { said, t } from "../src/messages/messages.ts";

const ENDINGS: readonly Preset[] = [
  { name: t("Rua: 12 of 13"), variant: "makruk", fen: "8/8/8/8/R7/8/8/K1k5 b - 32 6 1" },
  { name: t("Rua: one too many"), variant: "makruk", fen: "8/8/8/2R5/8/8/8/K1k5 b - 32 6 1" },
  { name: t("Two Rua: 4 of 4"), variant: "makruk", fen: "8/8/8/8/8/8/8/KRk1R3 b - 16 8 1" },
  { name: t("Two Rua: 5 of 4"), variant: "makruk", fen: "8/8/8/8/8/8/8/KRk2R2 b - 16 8 1" },
  { name: t("Two Khon: 18 of 18"), variant: "makruk", fen: "8/8/8/8/8/8/6Sk/K4S2 b - 44 8 1" },
  { name: t("Khon and Met: 57"), variant: "makruk", fen: "1K6/M7/8/1k5S/8/8/8/8 b - 88 8 1" },
  { name: t("Ma and Met: 36 of 60"), variant: "makruk", fen: "5M2/1N6/8/8/8/8/8/k1K5 b - 128 8 1" },
];

/** What the tables say, in a sentence a player would use. */
function judge(probe: TableProbe, state: BoardState): { text: string; tone: "good" | "bad" | "" } {
  const left = state.count ? movesLeft(state.count) : null;
  if (probe.mateIn === null) return { text: t("Drawn: mate cannot be forced, whatever the count."), tone: "bad" };
  if (probe.mateIn === 0) return { text: t("Mate: the game is won, and mate beats the count."), tone: "good" };
  if (left === null)
    return {
      text:
        probe.verdict === "draw"
          ? t("Mate in {n}. The count begins after the attacker's next move: drawn because of it.", { n: probe.mateIn })
          : t("Mate in {n}. The count begins after the attacker's next move: won in spite of it.", { n: probe.mateIn }),
      tone: probe.verdict === "draw" ? "bad" : "good",
    };
  return probe.verdict === "draw"
    ? {
        text: t("Drawn by the count: mate needs {n} moves, the attacker has {left}.", { n: probe.mateIn, left }),
        tone: "bad",
      }
    : {
        text: t("Won in {n} of {left}: the attacker needs {n} moves and has {left}.", { n: probe.mateIn, left }),
        tone: "good",
      };
}

/** An ending with the exact table beside it; the bare Khun can defend himself. */
function endingWidget(context: ChapterContext): HTMLElement {
  const { rules } = context;
  const place = new Place(context, ENDINGS, ["makruk"]);
  const board = lessonBoard(t("Ending"), place.fen, "makruk");
  board.mode = "play";
  let moves: Uci[] = [];
  let serial = 0;
  let defend = place.get("defend") !== "0";
  const verdict = h("p", { class: "verdict", role: "status" });
  const counted = h("div");
  const table = h("div", { class: "tall" });
  const material = h("p", { class: "muted small" });
  let defence: Uci | null = null;
  const khun = button(t("The Khun moves"), () => void (defence && go([...moves, defence])), { class: "small" });
  khun.disabled = true;
  const back = button(t("Take back"), () => void go(moves.slice(0, defend && moves.length % 2 === 1 ? -1 : -2)), {
    icon: "undo",
    class: "small",
  });
  context.onLeave(() => (serial += 1));

  const bare = (state: BoardState): Color | null => {
    const count = (white: boolean) =>
      state.squares.filter((letter) => letter && (letter[0] === letter[0]!.toUpperCase()) === white).length;
    return count(true) === 1 ? "white" : count(false) === 1 ? "black" : null;
  };

  const go = async (next: Uci[]): Promise<void> => {
    const mine = (serial += 1);
    const spec = { ...place.spec, moves: next };
    const state = rules.state(spec);
    moves = next;
    place.keep({ moves: next.join(",") });
    showState(board, state);
    back.disabled = next.length === 0;
    const { count } = state;
    fill(
      counted,
      count
        ? facts([
            [t("Count"), countTexts(count).join(" · ")],
            [t("Which"), honourName(count)],
            [t("Moves left"), String(movesLeft(count))],
          ])
        : facts([[t("Count"), t("not running")]]),
    );
    if (!verdict.textContent) verdict.textContent = t("Making the tables of all endings with four men …");
    try {
      const engine = await context.engine();
      const { probe } = await engine.ask({ ask: "tables", ...spec });
      if (mine !== serial) return;
      const judged = state.ended
        ? { text: state.ended.text, tone: "" as const }
        : probe
          ? judge(probe, state)
          : { text: t("The tables in this page hold one bare Khun against up to two pieces."), tone: "" as const };
      setText(verdict, judged.text);
      verdict.className = `verdict ${judged.tone}`;
      if (next.length > 0) announce(`${state.last?.san ?? ""}. ${judged.text}`);
      fill(
        material,
        probe?.material
          ? t(
              "All positions of {material} with the attacker to move: {won} of {total} are won without a count ({percent} %), the longest in {longest} moves.",
              {
                material: probe.material.name,
                won: probe.material.won,
                total: probe.material.total,
                percent: ((100 * probe.material.won) / probe.material.total).toFixed(1),
                longest: probe.material.longest,
              },
            )
          : "",
      );
      const sorted = probe ? bestFirst(probe) : [];
      const own = bare(state) === state.turn;
      fill(
        table,
        sorted.length > 0 && !state.ended
          ? grid(
              t("Every move by the tables"),
              [t("Move"), t("With the count"), t("Mate in")],
              sorted.map((move) => {
                const thai = state.moves.find((each) => each.uci === move.uci)?.thai ?? "";
                return [
                  h(
                    "button",
                    { type: "button", class: "button small quiet", onClick: () => void go([...moves, move.uci]) },
                    `${move.san}  ${thai}`,
                  ),
                  h(
                    "span",
                    { class: { win: "term-in", loss: "term-out", draw: "" }[move.verdict] },
                    move.verdict === "draw"
                      ? t("draw")
                      : t(move.verdict === "win" ? "won in {n}" : "lost in {n}", {
                          n: Math.ceil((move.plies ?? 0) / 2),
                        }),
                  ),
                  move.mateIn === null ? "–" : String(move.mateIn),
                ];
              }),
            )
          : null,
      );
      defence = own && !state.ended ? (sorted[0]?.uci ?? null) : null;
      khun.disabled = defence === null;
      if (defend && own && !state.ended && sorted[0] && next.length > 0) {
        await new Promise((done) => setTimeout(done, 350));
        if (mine === serial) await go([...next, sorted[0].uci]);
      }
    } catch (problem) {
      if (mine === serial) setText(verdict, message(problem));
    }
  };
  board.addEventListener("move", (event) => void go([...moves, (event as CustomEvent<MoveEvent>).detail.move.uci]));
  const arrive = (first: boolean) => {
    place.show(board);
    void go(first ? storedMoves(context, place) : []);
  };
  arrive(true);
  place.onChange(() => arrive(false));
  return widget(
    t("Won within the count?"),
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
          khun,
          back,
          button(t("From the start"), () => void go([]), { icon: "first", class: "small" }),
        ),
        toggle(t("The bare Khun defends"), defend, (on) => {
          defend = on;
          place.keep({ defend: on ? "" : "0" });
        }),
      ),
      h("div", { class: "stack" }, verdict, counted, table, material),
    ),
  );
}

/** Attackers of the quiz: endings that the count decides one way or the other. */
const QUIZ: readonly (readonly string[])[] = [
  ["R"],
  ["R", "M"],
  ["R", "S"],
  ["R", "N"],
  ["R", "R"],
  ["S", "S"],
  ["S", "M"],
  ["N", "S"],
];
const QUIZ_TRIES = 80;

/** Won or drawn? Random endings, the tables know. */
function quizWidget(context: ChapterContext): HTMLElement {
  const { rules } = context;
  const board = lessonBoard(t("Won or drawn?"), "8/8/8/8/8/8/8/K1k5 b - - 0 1", "makruk");
  const question = h(
    "p",
    { class: "verdict", role: "status" },
    t("The bare Khun is to move. Can the attacker mate in time?"),
  );
  const about = h("div");
  const tally = h("p", { class: "muted small" });
  let [right, asked] = [0, 0];
  let answer: { won: boolean; text: string } | null = null;
  let gone = false;
  context.onLeave(() => (gone = true));

  const draw = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
  /** A random position with the count just begun: set up with the attacker to move, then one quiet step of his Khun. */
  const deal = (): BoardState | null => {
    const squares: (string | null)[] = new Array(64).fill(null);
    for (const letter of ["K", "k", ...draw(QUIZ)]) {
      const free = squares.flatMap((occupied, square) => (occupied ? [] : [square]));
      squares[draw(free)] = letter;
    }
    const setup = rules.checkSetup({ variant: "makruk", squares, turn: "white" });
    if (!setup.ok) return null;
    const steps = rules
      .state({ variant: "makruk", fen: setup.fen })
      .moves.filter((move) => move.piece === "K" && !move.capture && !move.mate);
    if (steps.length === 0) return null;
    const state = rules.state({ variant: "makruk", fen: setup.fen, moves: [draw(steps).uci] });
    return state.count && !state.ended ? state : null;
  };
  const next = async () => {
    answer = null;
    choices.forEach((each) => (each.disabled = true));
    setText(question, t("Looking for a position …"));
    question.className = "verdict";
    try {
      const engine = await context.engine();
      const wanted = Math.random() < 0.5;
      for (let tries = 0; tries < QUIZ_TRIES && !gone; tries += 1) {
        const state = deal();
        const probe = state ? (await engine.ask({ ask: "tables", variant: "makruk", fen: state.fen })).probe : null;
        // Both answers should come up equally often, and mate in a few moves is no question of counting.
        if (!state?.count || !probe || (probe.mateIn ?? 99) < 4 || (probe.verdict !== "draw") !== wanted) continue;
        answer = { won: wanted, text: judge(probe, state).text };
        board.setFen(state.fen, false);
        fill(
          about,
          facts([
            [t("Count"), countTexts(state.count)[0]],
            [t("Moves left"), String(movesLeft(state.count))],
          ]),
        );
        setText(question, t("The bare Khun is to move. Can the attacker mate in time?"));
        choices.forEach((each) => (each.disabled = false));
        return;
      }
      setText(question, t("No position found; try again."));
    } catch (problem) {
      setText(question, message(problem));
    }
  };
  const guess = (won: boolean) => {
    if (!answer) return;
    const good = won === answer.won;
    [right, asked] = [right + Number(good), asked + 1];
    setText(question, `${good ? t("Right.") : t("No.")} ${answer.text}`);
    question.className = `verdict ${good ? "good" : "bad"}`;
    setText(tally, t("{at} of {n}", { at: right, n: asked }));
    choices.forEach((each) => (each.disabled = true));
  };
  const choices = [button(t("Won"), () => guess(true)), button(t("Drawn"), () => guess(false))];
  choices.forEach((each) => (each.disabled = true));
  return widget(
    t("Guess first"),
    h(
      "div",
      { class: "widget-columns" },
      board,
      h(
        "div",
        { class: "stack" },
        question,
        about,
        h(
          "div",
          { class: "row" },
          ...choices,
          button(t("Deal a position"), () => void next(), { class: "primary" }),
        ),
        tally,
      ),
    ),
  );
}

/** Pieces of the attacker, and what the engine counts against them. */
function limitWidget(context: ChapterContext): HTMLElement {
  const kinds = [
    ["r", 1, ["b2", "c3"]],
    ["s", 0, ["d2", "e2"]],
    ["n", 0, ["b1", "c1"]],
    ["m", 0, ["d3", "e4", "g2"]],
  ] as const;
  const chosen = new Map<string, number>(kinds.map(([kind, start]) => [kind, start]));
  const answer = h("div", { role: "status" });
  const show = () => {
    const squares: (string | null)[] = new Array(64).fill(null);
    squares[0] = "K";
    squares[63] = "k";
    for (const [kind, , places] of kinds)
      for (const name of places.slice(0, chosen.get(kind))) squares[parseSquare(name)!] = kind.toUpperCase();
    const setup = context.rules.checkSetup({ variant: "makruk", squares, turn: "white" });
    const before = setup.ok ? context.rules.state({ variant: "makruk", fen: setup.fen }) : null;
    // The count begins with a move of the attacker; a step of his Khun changes nothing else.
    const step = before?.moves.find((move) => move.piece === "K" && !move.capture);
    const count =
      before && step ? context.rules.state({ variant: "makruk", fen: before.fen, moves: [step.uci] }).count : null;
    fill(
      answer,
      count
        ? facts([
            [t("Men in all"), String(squares.filter(Boolean).length)],
            [t("First number"), `${count.spoken + 1} (${thaiNumber(count.spoken + 1)})`],
            [t("Limit"), `${count.last} (${thaiNumber(count.last)})`],
            [t("Attacker has"), t("{n} moves", { n: movesLeft(count) })],
          ])
        : h("p", { class: "muted" }, setup.ok ? t("Nothing to count: mate is impossible with these.") : setup.reason),
    );
  };
  show();
  return widget(
    t("Which limit?"),
    h(
      "div",
      { class: "row" },
      ...kinds.map(([kind, start, places]) =>
        number(kindName({ kind, promoted: false }, "makruk", "both"), start, 0, places.length, (value) => {
          chosen.set(kind, value);
          show();
        }),
      ),
    ),
    answer,
  );
}

/** Board's honour between people: begun and ended by a word. */
function claimWidget(context: ChapterContext): HTMLElement {
  const fen = "8/6ks/3M~2r1/2K1M3/8/3R4/8/8 w - - 0 50";
  const board = lessonBoard(t("A game between people"), fen, "makruk");
  board.mode = "play";
  let moves: Uci[] = [];
  let counting: number[] = [];
  const lines = h("div", { role: "status", class: "stack" });
  const word = button(
    t("Begin to count"),
    () => {
      counting = [...counting, moves.length];
      show();
    },
    { class: "small primary" },
  );
  const show = () => {
    const state = context.rules.state({ variant: "makruk", fen, moves, honour: "unclaimed", counting });
    showState(board, state);
    word.disabled = state.mayCount === null;
    setText(word, state.mayCount === "stop" ? t("Stop counting") : t("Begin to count"));
    fill(
      lines,
      h("p", null, `${toMove(state.turn)}.`),
      state.ended ? h("p", { class: "verdict" }, said(state.ended.text)) : null,
      state.count
        ? facts([
            [t("Count"), `${countTexts(state.count)[0]} · ${countTexts(state.count)[1]}`],
            [t("Who"), state.count.side ? sideName(state.count.side) : "–"],
            [t("Which"), honourName(state.count)],
          ])
        : h("p", { class: "muted" }, t("Nobody counts.")),
    );
  };
  board.addEventListener("move", (event) => {
    moves = [...moves, (event as CustomEvent<MoveEvent>).detail.move.uci];
    show();
  });
  show();
  return widget(
    t("Claiming"),
    h(
      "div",
      { class: "widget-columns" },
      board,
      h(
        "div",
        { class: "stack" },
        lines,
        h(
          "div",
          { class: "row" },
          word,
          button(
            t("Start again"),
            () => {
              [moves, counting] = [[], []];
              show();
            },
            { class: "small" },
          ),
        ),
      ),
    ),
  );
}

const NAMES: readonly (readonly [string, boolean, string])[] = [
  ["k", false, t("one step in any direction")],
  ["m", false, t("one step diagonally")],
  ["s", false, t("one step diagonally or straight forward")],
  ["n", false, t("like a knight")],
  ["r", false, t("like a rook")],
  ["p", false, t("one step forward; captures diagonally forward")],
  ["p", true, t("a Bia promoted on the sixth rank: moves like a Met")],
];

const chapter: Chapter = (context) => [
  section(
    t("A game against a number"),
    p(
      t(
        "In Makruk a side with little material left may count its moves aloud. If the opponent has not mated when the count runs out, the game is drawn. Half of the art of Makruk endings is mating in time, and no count exists while a single unpromoted Bia stands on the board: keeping the last Bia keeps the count away.",
      ),
    ),
    p(
      t("There are two counts. "),
      h("strong", null, t("Board's honour")),
      t(" (ศักดิ์กระดาน) goes to 64 while both sides still have pieces. "),
      h("strong", null, t("Pieces' honour")),
      t(
        " (ศักดิ์หมาก) begins by itself when one side has only its Khun left, and it is short: its limit depends on the strongest pieces of the attacker at that moment, and it begins at the number of men on the board plus one.",
      ),
    ),
    p(
      t("So the attacker has exactly "),
      h("em", null, t("limit − men")),
      t(
        " moves. A Rua alone has 16 − 3 = 13. Two Rua have 8 − 4 = 4, which is why a strong attacker must think before capturing the last piece. The limit is frozen when the count begins, and mate on the last move still wins.",
      ),
    ),
    limitWidget(context),
  ),
  section(
    t("Won in 12 of 13"),
    p(
      t(
        "Rukh makes exact tables of every ending of a bare Khun against one or two pieces, here in this page, in about two seconds: for each position the number of moves to mate. Compare it with what the count allows and the verdict is certain. Play the attacker; the Khun answers with the longest defence. Numbers in the list are exact, and one careless move can cost the win without losing a piece.",
      ),
    ),
    sources(
      source("crates/tables/src/probe.rs", "pub fn verdict", () => import("../../crates/tables/src/probe.rs?raw")),
      source(
        "crates/core/src/rules/makruk.rs",
        "/// A running count.",
        () => import("../../crates/core/src/rules/makruk.rs?raw"),
      ),
    ),
    endingWidget(context),
    p(
      t(
        "Players judge this at the board, by feel. Try it: the position is random, the count has just begun, and the tables know the answer.",
      ),
    ),
    quizWidget(context),
  ),
  section(
    t("Who does the counting"),
    p(
      t(
        "Engines and servers begin board's honour by themselves. Between people it is claimed: the weaker side says so on its own move and counts from one. It may stop at any time, and a later count begins at one again. Counting has a price: if the counting side itself gives mate without having stopped first, the game is drawn. And counting is a standing offer of a draw, which the opponent may accept. Pieces' honour needs no word: it starts when the last piece falls, and it replaces a running board's honour.",
      ),
    ),
    claimWidget(context),
  ),
  section(
    t("The pieces and their names"),
    grid(
      t("Pieces of Makruk"),
      [t("Piece"), t("Thai"), t("Moves")],
      NAMES.map(([kind, promoted, words]) => [
        kindName({ kind, promoted }, "makruk"),
        kindName({ kind, promoted }, "makruk", "thai"),
        words,
      ]),
      "left",
    ),
  ),
];
export default chapter;
