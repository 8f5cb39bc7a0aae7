import type { PieceMoves } from "rukh-engine";
import { type Square, parseSquare, squareName } from "../src/board/geometry.ts";
import type { Arrow, Cell, Mark } from "../src/board/layers.ts";
import type { Chapter } from "../src/learn/chapter.ts";
import { type Preset, lessonBoard, p, section, squaresOf, widget } from "../src/learn/kit.ts";
import { kindName, toMove } from "../src/pieces/names.ts";
import { choice, toggle } from "../src/ui/controls.ts";
import { fill, h } from "../src/ui/dom.ts";
import { KIWIPETE, MAKRUK_MIDDLE, Place, grid, message, popcount, source, sources, squareList } from "./common.ts";
import { t } from "../src/messages/messages.ts";

const MOVE_PRESETS: readonly Preset[] = [
  { name: t("Two pins"), variant: "chess", fen: "4k3/8/8/b3r3/8/2N5/4B3/R3K2R w KQ - 0 1" },
  { name: t("Check"), variant: "chess", fen: "4k3/8/8/8/4r3/2N5/3P1P2/3QKB2 w - - 0 1" },
  { name: t("Double check"), variant: "chess", fen: "4k3/8/8/8/4r3/5n2/3P4/3QKB2 w - - 0 1" },
  { name: t("En passant"), variant: "chess", fen: "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1" },
  { name: t("Crowded board"), variant: "chess", fen: KIWIPETE },
  { name: t("Two pins"), variant: "makruk", fen: "k2r4/8/8/3S4/8/3KM2r/8/8 w - - 0 1" },
  { name: t("Check by a Ma"), variant: "makruk", fen: "8/8/4k3/8/3n4/4S3/4K1S1/R6R w - - 0 1" },
  { name: t("Middle game"), variant: "makruk", fen: MAKRUK_MIDDLE },
];

type Layer = "all" | "attacks" | "pseudo" | "legal";
const value = (hex: string): bigint => BigInt(`0x${hex}`);

const chapter: Chapter = (context) => {
  const { rules } = context;
  const place = new Place(context, MOVE_PRESETS);
  const board = lessonBoard(t("Click a piece"), place.fen, place.variant);
  board.mode = "squares";
  let selected: Square | null = null;
  let layer: Layer = (["attacks", "pseudo", "legal"] as const).find((name) => name === place.get("show")) ?? "all";
  let danger = place.get("danger") === "1";
  let moves: PieceMoves | null = null;
  const words = h("div", { class: "stack", role: "status" });
  const reasons = h("ul", { class: "whys" });
  const totals = h("div");

  const explain = (to: string): Arrow[] => {
    const problem = moves?.illegal.find((each) => each.to === to);
    const from = problem && parseSquare(problem.by);
    const king = problem?.reason === "king attacked" ? parseSquare(to) : kingSquare();
    return from === null || from === undefined || king === null || from === king
      ? []
      : [{ from, to: king, tone: "threat" }];
  };
  const kingSquare = (): Square | null => {
    const sets = rules.ask({ ask: "bitboards", ...place.spec });
    return squaresOf(value(sets.kinds["K"]!) & value(sets.own))[0] ?? null;
  };

  const draw = (arrows: Arrow[] = []) => {
    const sets = rules.ask({ ask: "bitboards", ...place.spec });
    const overlay = new Map<number, Cell>();
    const paint = (set: bigint, cell: Cell) => {
      for (const square of squaresOf(set)) overlay.set(square, cell);
    };
    if (danger) paint(value(sets.attacked), { heat: 0.3, tone: "threat", spoken: t("attacked by the enemy") });
    if (moves) {
      const [attacks, pseudo, legal] = [value(moves.attacks), value(moves.pseudoLegal), value(moves.legal)];
      if (layer === "all" || layer === "attacks") paint(attacks, { heat: 0.5, tone: "warn", spoken: t("attacked") });
      if (layer === "pseudo") paint(pseudo, { heat: 0.6, tone: "second", spoken: t("pseudo-legal") });
      if (layer === "legal" || layer === "all") paint(legal, { heat: 0.65, tone: "good", spoken: t("legal") });
      if (layer === "all") paint(pseudo & ~legal, { heat: 0.65, tone: "threat", text: "×", spoken: t("not legal") });
    }
    board.overlay = overlay;
    const circle = (set: string, tone: Mark["tone"]): Mark[] =>
      squaresOf(set).map((square) => ({ square, kind: "circle", tone }));
    board.marks = [
      ...circle(sets.pinned, "warn"),
      ...circle(sets.checkers, "threat"),
      ...(selected === null ? [] : [{ square: selected, kind: "fill", tone: "second" } as const]),
    ];
    board.arrows = arrows;
  };

  const select = (square: Square | null) => {
    selected = square;
    moves = null;
    fill(reasons);
    const piece = square === null ? undefined : board.placement.get(square);
    if (square === null || !piece) fill(words, h("p", null, t("Choose a piece on the board.")));
    else {
      try {
        moves = rules.ask({ ask: "pieceMoves", ...place.spec, square: squareName(square) });
        const [attacks, pseudo, legal] = [value(moves.attacks), value(moves.pseudoLegal), value(moves.legal)];
        const name = kindName(piece, place.variant);
        fill(
          words,
          h(
            "p",
            null,
            h(
              "strong",
              null,
              t("{piece} on {square}", { piece: `${name[0]!.toUpperCase()}${name.slice(1)}`, square: moves.square }),
            ),
            moves.pinned ? t(" is pinned. ") : ". ",
            t("It attacks {attacks} squares, has {pseudo} pseudo-legal targets and {legal} legal: {squares}.", {
              attacks: popcount(attacks),
              pseudo: popcount(pseudo),
              legal: popcount(legal),
              squares: squareList(squaresOf(legal)),
            }),
          ),
        );
        const texts = [...new Set(moves.illegal.map((each) => each.text))];
        fill(
          reasons,
          ...texts.map((text) =>
            h(
              "li",
              null,
              h(
                "span",
                { class: "chips" },
                t("Why not "),
                ...moves!.illegal
                  .filter((each) => each.text === text)
                  .map((each) =>
                    h(
                      "button",
                      {
                        type: "button",
                        class: "button small",
                        "aria-label": t("Why not {square}?", { square: each.to }),
                        onClick: () => draw(explain(each.to)),
                      },
                      each.to,
                    ),
                  ),
                "?",
              ),
              h("p", null, `${text[0]!.toUpperCase()}${text.slice(1)}.`),
            ),
          ),
        );
      } catch (problem) {
        fill(words, h("p", { class: "error" }, message(problem)));
      }
    }
    place.keep({ sq: square === null ? "" : squareName(square) });
    draw();
  };

  board.addEventListener("square", (event) => {
    const square = (event as CustomEvent<Square>).detail;
    if (moves?.illegal.some((each) => each.to === squareName(square))) draw(explain(squareName(square)));
    else select(board.placement.has(square) ? square : null);
  });

  const count = () => {
    const state = rules.state(place.spec);
    const own = squaresOf(rules.ask({ ask: "bitboards", ...place.spec }).own);
    const rows = own
      .map((square) => rules.ask({ ask: "pieceMoves", ...place.spec, square: squareName(square) }))
      .map((each) => {
        const piece = board.placement.get(parseSquare(each.square)!)!;
        return {
          name: `${kindName(piece, place.variant)} ${each.square}`,
          pseudo: popcount(value(each.pseudoLegal)),
          legal: popcount(value(each.legal)),
          pinned: each.pinned,
        };
      });
    const sum = (key: "pseudo" | "legal") => rows.reduce((total, row) => total + row[key], 0);
    fill(
      totals,
      h(
        "p",
        null,
        t("{turn}: {pseudo} pseudo-legal targets, {legal} legal ones, {n} legal moves.", {
          turn: toMove(state.turn),
          pseudo: sum("pseudo"),
          legal: sum("legal"),
          n: state.moves.length,
        }),
      ),
      grid(
        t("Targets of each piece of the side to move"),
        [t("Piece"), t("Pseudo-legal"), t("Legal"), ""],
        rows.map((row) => [row.name, row.pseudo, row.legal, row.pinned ? t("pinned") : ""]),
      ),
    );
  };

  const arrive = (first: boolean) => {
    place.show(board);
    count();
    const asked = first ? parseSquare(place.get("sq") ?? "") : null;
    const pinned = squaresOf(rules.ask({ ask: "bitboards", ...place.spec }).pinned)[0];
    select(asked ?? pinned ?? kingSquare());
  };
  arrive(true);
  place.onChange(() => arrive(false));

  return [
    section(
      t("Attacks, moves, legal moves"),
      p(
        t("Three different sets belong to a piece. What it "),
        h("em", null, t("attacks")),
        t(
          " is pure geometry: a pawn attacks its diagonals even when nothing stands there, and every piece attacks, that is protects, its own side. What it could do by the way it moves is its ",
        ),
        h("em", null, t("pseudo-legal")),
        t(" moves. What the rules allow is "),
        h("em", null, t("legal")),
        t(": the same, without those that leave the king in check."),
      ),
      widget(
        t("One piece"),
        place.picker,
        h(
          "div",
          { class: "widget-columns" },
          board,
          h(
            "div",
            { class: "stack" },
            choice(
              t("Show"),
              [
                ["all", t("All")],
                ["attacks", t("Attacks")],
                ["pseudo", t("Pseudo-legal")],
                ["legal", t("Legal")],
              ],
              layer,
              (next) => {
                layer = next;
                place.keep({ show: next === "all" ? "" : next });
                draw();
              },
            ),
            toggle(t("Squares the enemy attacks"), danger, (on) => {
              danger = on;
              place.keep({ danger: on ? "1" : "" });
              draw();
            }),
            words,
            reasons,
            h(
              "div",
              { class: "legend" },
              ...(
                [
                  ["good", "legal"],
                  ["threat", t("pseudo-legal, but not legal")],
                  ["warn", t("attacked only")],
                ] as const
              ).map(([tone, text]) =>
                h("span", null, h("i", { class: "swatch", style: `background:var(--tone-${tone})` }), text),
              ),
              h("span", null, t("◯ pinned, or giving check")),
            ),
          ),
        ),
        p(
          t(
            "Red squares are the interesting ones: click one, or its button, to see whose line it would open. Pieces of the side that is not to move are shown as if it were their turn.",
          ),
        ),
      ),
    ),
    section(
      t("Legal at once, not tried out"),
      p(
        t(
          "A simple engine makes each pseudo-legal move, checks whether its king could be captured, and takes it back. Rukh never makes a move to test it. Before it generates anything it reads three masks off the lines of the king.",
        ),
      ),
      h(
        "ul",
        null,
        h(
          "li",
          null,
          h("strong", null, t("Answers to check. ")),
          t(
            "Without a check, every square. With one checker, the squares between it and the king and the checker itself: a move anywhere else does not end the check. With two, only the king moves.",
          ),
        ),
        h(
          "li",
          null,
          h("strong", null, t("Pins, ")),
          t(
            "kept apart by direction. An enemy slider on a line with the king and exactly one own piece between pins that piece to the line. A rook pinned along a file still moves on the file; a knight pinned anywhere does not move at all.",
          ),
        ),
        h(
          "li",
          null,
          h("strong", null, t("Danger, ")),
          t(
            "the squares that the enemy attacks with our king lifted off the board. Lifted, because a king that backs away along a rook's line stays on that line.",
          ),
        ),
      ),
      p(
        t(
          "One move escapes all masks: taking en passant empties two squares of one rank at once. Rukh checks that move separately. In Makruk only the Rua pins, so a pinned Met never moves (it steps diagonally, Rua lines are straight), and a Khon (the source says Thon, its other name) pinned on a file can only step along it.",
        ),
      ),
      sources(
        source(
          "crates/core/src/generate.rs",
          "pub(crate) fn generate<",
          () => import("../../crates/core/src/generate.rs?raw"),
        ),
      ),
      widget(t("All pieces of the side to move"), totals),
    ),
  ];
};
export default chapter;
