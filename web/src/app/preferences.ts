import { h } from "../ui/dom.ts";
import { server } from "../engine/server.ts";
import { choice, number, select, toggle } from "../ui/controls.ts";
import { openDialog } from "../ui/dialog.ts";
import { CORES, set, settings } from "./settings.ts";
import { LANGUAGES, type Language, nameOf } from "../messages/languages.ts";
import { t } from "../messages/messages.ts";

/** Which engine of this computer, once the server has said which it was told of. */
function guestChoice(): HTMLElement {
  const place = h("div");
  void server().then((status) => {
    if (!status?.engines?.length) return;
    const names = ["", ...status.engines].map((name) => [name, name || "Rukh"] as const);
    const known = status.engines.includes(settings.guest) ? settings.guest : "";
    place.append(select(t("Engine on this computer"), names, known, (name) => set("guest", name)));
  });
  return place;
}

/** The settings window. Every change counts at once. */
export function openSettings(): void {
  openDialog(t("Settings"), [
    h("h3", null, t("Appearance")),
    choice(
      t("Language"),
      [
        ["system", t("System")],
        ...(["en", ...Object.keys(LANGUAGES)] as Language[]).map((name) => [name, nameOf(name)] as const),
      ],
      settings.language,
      (value) => {
        set("language", value);
        // The page's words are everywhere; games and what is on the board are kept.
        location.reload();
      },
    ),
    choice(
      t("Theme"),
      [
        ["system", t("System")],
        ["light", t("Light")],
        ["dark", t("Dark")],
      ],
      settings.theme,
      (value) => set("theme", value),
    ),
    choice(
      t("Board"),
      [
        ["sand", t("Sand")],
        ["slate", t("Slate")],
        ["moss", t("Moss")],
        ["plum", t("Plum")],
        ["graphite", t("Graphite")],
      ],
      settings.boardTheme,
      (value) => set("boardTheme", value),
    ),
    choice(
      t("Pieces"),
      [
        ["classic", t("Classic")],
        ["facet", t("Facet")],
        ["pebble", t("Pebble")],
      ],
      settings.pieces,
      (value) => set("pieces", value),
    ),
    toggle(t("Coordinates on the board"), settings.coordinates, (on) => set("coordinates", on)),
    toggle(t("Animate pieces"), settings.animation, (on) => set("animation", on)),
    toggle(t("Piece symbols in the move list"), settings.figurines, (on) => set("figurines", on)),
    toggle(t("Sound"), settings.sound, (on) => set("sound", on)),
    h("h3", null, t("Makruk")),
    toggle(t("Western pieces"), settings.westernMakruk, (on) => set("westernMakruk", on)),
    toggle(t("Red pieces instead of black"), settings.redMakruk, (on) => set("redMakruk", on)),
    choice(
      t("Notation"),
      [
        ["english", "English"],
        ["thai", "ไทย Thai"],
      ],
      settings.makrukNotation,
      (value) => set("makrukNotation", value),
    ),
    h("h3", null, t("Engine")),
    choice(
      t("Runs on"),
      [
        ["browser", t("This browser")],
        ["computer", t("This computer")],
      ],
      settings.engine,
      (value) => set("engine", value),
    ),
    guestChoice(),
    h(
      "p",
      { class: "small muted" },
      t(
        "“This computer” is available when you open the page with “rukh serve”; it can use all cores, tablebases and databases.",
      ),
    ),
    h(
      "div",
      { class: "row" },
      number(t("Memory (MiB)"), settings.hash, 1, 1024, (value) => set("hash", value)),
      crossOriginIsolated &&
        number(
          t("Threads in this browser (0: half of {cores})", { cores: CORES }),
          Math.min(settings.browserThreads, CORES),
          0,
          CORES,
          (value) => set("browserThreads", value),
        ),
      number(t("Threads on this computer (0: all)"), settings.threads, 0, 512, (value) => set("threads", value)),
      number(t("Review: nodes per move"), settings.reviewNodes, 5_000, 5_000_000, (value) => set("reviewNodes", value)),
    ),
  ]);
}
