import { h } from "../ui/dom.ts";
import { openDialog } from "../ui/dialog.ts";
import { t } from "../messages/messages.ts";

const GROUPS: readonly [string, readonly [string, string][]][] = [
  [
    t("Everywhere"),
    [
      ["?", t("this list")],
      ["f", t("flip the board")],
      ["Tab", t("focus the board; then arrow keys and Enter to move a piece")],
      ["s", t("read out the position")],
      ["m", t("type a move")],
      ["Esc", t("deselect the piece, close a dialog")],
    ],
  ],
  [
    t("Play"),
    [
      ["n", t("new game")],
      ["h", t("hint")],
      ["u", t("take back")],
      ["Esc", t("cancel the premove")],
      ["p", t("pause or resume (two engines)")],
      ["c", t("start or stop counting (Makruk)")],
    ],
  ],
  [
    t("Analyse, Review, Explore"),
    [
      ["← →", t("one move back, forward")],
      ["↑ ↓", t("to the start, to the end")],
      ["Space", t("play the engine’s best move")],
      ["e", t("engine on, off")],
      ["x", t("show the threat")],
      ["a", t("arrows on, off")],
      ["+ −", t("more, fewer lines")],
      ["i", t("read out the evaluation and the best line")],
      ["v", t("next variation")],
      ["n", t("next mistake (Review)")],
      [t("wheel"), t("over the board: one move back, forward")],
      [t("Delete"), t("delete from here")],
      ["u", t("undo: restore deleted moves or the previous game")],
      ["l", t("copy the link")],
    ],
  ],
  [
    t("Cards, puzzles, lessons"),
    [
      ["h", t("hint")],
      ["n", t("the next one")],
      ["u", t("take back")],
    ],
  ],
  [
    t("Mouse"),
    [
      [t("drag"), t("move a piece")],
      [t("right drag"), t("draw an arrow")],
      [t("right click"), t("draw a circle")],
      ["Shift, Alt", t("red, blue; both together: yellow")],
    ],
  ],
];

let open = false;

/** The help overlay. */
export function openShortcuts(): void {
  if (open) return;
  open = true;
  openDialog(
    t("Keyboard shortcuts"),
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
