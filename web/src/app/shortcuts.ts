import { h } from "../ui/dom.ts";
import { openDialog } from "../ui/dialog.ts";

const GROUPS: readonly [string, readonly [string, string][]][] = [
  [
    "Everywhere",
    [
      ["?", "this list"],
      ["f", "flip the board"],
      ["Tab", "to the board, then arrow keys and Enter to move a piece"],
      ["s", "say the position"],
      ["m", "type a move"],
      ["Esc", "let the piece go, close a window"],
    ],
  ],
  [
    "Play",
    [
      ["n", "new game"],
      ["h", "hint"],
      ["u", "take back"],
      ["Esc", "forget the move made in advance"],
      ["p", "pause, go on (two engines)"],
      ["c", "start or stop counting (Makruk)"],
    ],
  ],
  [
    "Analyse, Review, Explore",
    [
      ["← →", "one move back, forward"],
      ["↑ ↓", "to the start, to the end"],
      ["Space", "play the engine’s best move"],
      ["e", "engine on, off"],
      ["x", "show the threat"],
      ["a", "arrows on, off"],
      ["+ −", "more, fewer lines"],
      ["i", "say the evaluation and the best line"],
      ["v", "next variation"],
      ["n", "next mistake (Review)"],
      ["wheel", "over the board: one move back, forward"],
      ["Delete", "remove from this move on"],
      ["u", "undo: bring back what was removed, or the game before"],
      ["l", "copy the link"],
    ],
  ],
  [
    "Mouse",
    [
      ["drag", "move a piece"],
      ["right drag", "draw an arrow"],
      ["right click", "draw a circle"],
      ["Shift, Alt", "red, blue; both: yellow"],
    ],
  ],
];

let open = false;

/** The help overlay. */
export function openShortcuts(): void {
  if (open) return;
  open = true;
  openDialog(
    "Keyboard shortcuts",
    [
      h(
        "div",
        { class: "shortcut-groups" },
        ...GROUPS.map(([title, keys]) =>
          h(
            "section",
            null,
            h("h3", null, title),
            h(
              "dl",
              { class: "shortcuts" },
              ...keys.flatMap(([key, what]) => [
                h("dt", null, ...key.split(" ").map((one) => h("kbd", null, one))),
                h("dd", null, what),
              ]),
            ),
          ),
        ),
      ),
    ],
    { class: "wide", onClose: () => (open = false) },
  );
}
