import { h } from "../ui/dom.ts";
import { choice, number, toggle } from "../ui/controls.ts";
import { openDialog } from "../ui/dialog.ts";
import { CORES, set, settings } from "./settings.ts";

/** The settings window. Every change counts at once. */
export function openSettings(): void {
  openDialog("Settings", [
    h("h3", null, "Look"),
    choice(
      "Theme",
      [
        ["system", "As the system"],
        ["light", "Light"],
        ["dark", "Dark"],
      ],
      settings.theme,
      (value) => set("theme", value),
    ),
    choice(
      "Board",
      [
        ["sand", "Sand"],
        ["slate", "Slate"],
        ["moss", "Moss"],
        ["plum", "Plum"],
        ["graphite", "Graphite"],
      ],
      settings.boardTheme,
      (value) => set("boardTheme", value),
    ),
    choice(
      "Pieces",
      [
        ["classic", "Classic"],
        ["facet", "Facet"],
        ["pebble", "Pebble"],
      ],
      settings.pieces,
      (value) => set("pieces", value),
    ),
    toggle("Letters and figures on the board", settings.coordinates, (on) => set("coordinates", on)),
    toggle("Pieces slide", settings.animation, (on) => set("animation", on)),
    toggle("Piece symbols in the move list", settings.figurines, (on) => set("figurines", on)),
    toggle("Sound", settings.sound, (on) => set("sound", on)),
    h("h3", null, "Makruk"),
    toggle("Western pieces", settings.westernMakruk, (on) => set("westernMakruk", on)),
    toggle("Red pieces instead of black", settings.redMakruk, (on) => set("redMakruk", on)),
    choice(
      "Notation",
      [
        ["english", "English"],
        ["thai", "ไทย Thai"],
      ],
      settings.makrukNotation,
      (value) => set("makrukNotation", value),
    ),
    h("h3", null, "Engine"),
    choice(
      "Runs on",
      [
        ["browser", "This browser"],
        ["computer", "This computer"],
      ],
      settings.engine,
      (value) => set("engine", value),
    ),
    h(
      "p",
      { class: "small muted" },
      "“This computer” needs the page to be opened through “rukh serve”; it can use every core, end-game tables and databases.",
    ),
    h(
      "div",
      { class: "row" },
      number("Memory (MiB)", settings.hash, 1, 1024, (value) => set("hash", value)),
      crossOriginIsolated &&
        number(
          `Threads in this browser (0: half of ${CORES})`,
          Math.min(settings.browserThreads, CORES),
          0,
          CORES,
          (value) => set("browserThreads", value),
        ),
      number("Threads on this computer (0: all)", settings.threads, 0, 512, (value) => set("threads", value)),
      number("Review: nodes a move", settings.reviewNodes, 5_000, 5_000_000, (value) => set("reviewNodes", value)),
    ),
  ]);
}
