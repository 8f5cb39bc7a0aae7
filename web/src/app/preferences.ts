import { h } from "../ui/dom.ts";
import { server } from "../engine/server.ts";
import { choice, number, select, toggle } from "../ui/controls.ts";
import { openDialog } from "../ui/dialog.ts";
import { CORES, type Settings, set, settings } from "./settings.ts";
import { artOf } from "../pieces/sprite.ts";
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

/** A choice that one sees: its picture above its name. */
const shown = (picture: HTMLElement, name: string): HTMLElement =>
  h("span", { style: "display:grid;justify-items:center;gap:3px;padding:6px 0 4px;font-size:0.82rem" }, picture, name);

/** Two squares by two in the colours of a board, as they are in the light or dark of the moment; `paint` brings them up to date. */
function squares(board: Settings["boardTheme"]): { element: HTMLElement; paint: () => void } {
  const element = h("span", { style: "width:32px;height:32px;border-radius:5px" });
  const paint = () => {
    const root = document.documentElement;
    root.dataset.board = board;
    const style = getComputedStyle(root);
    const [light, dark] = [style.getPropertyValue("--sq-light"), style.getPropertyValue("--sq-dark")];
    root.dataset.board = settings.boardTheme;
    element.style.background = `conic-gradient(${light} 25%, ${dark} 0 50%, ${light} 0 75%, ${dark} 0)`;
  };
  paint();
  return { element, paint };
}

/** The knight of a set. */
function knight(set: Settings["pieces"]): HTMLElement {
  const place = h("span", { style: "width:36px;height:36px" });
  const draw = (art: string) =>
    (place.innerHTML = `<svg class="piece-icon pw" viewBox="0 -2.5 100 100" aria-hidden="true">${art}</svg>`);
  void artOf(set).then(
    ({ n }) => draw(n!),
    () => undefined,
  );
  return place;
}

/** The settings window. Every change counts at once. */
export function openSettings(): void {
  const boards = (["sand", "slate", "moss", "plum", "graphite"] as const).map((name) => ({ name, ...squares(name) }));
  const named = { sand: t("Sand"), slate: t("Slate"), moss: t("Moss"), plum: t("Plum"), graphite: t("Graphite") };
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
      (value) => {
        set("theme", value);
        for (const { paint } of boards) paint();
      },
    ),
    choice(
      t("Board"),
      boards.map(({ name, element }) => [name, shown(element, named[name])] as const),
      settings.boardTheme,
      (value) => set("boardTheme", value),
    ),
    choice(
      t("Pieces"),
      [
        ["classic", shown(knight("classic"), t("Classic"))],
        ["facet", shown(knight("facet"), t("Facet"))],
        ["pebble", shown(knight("pebble"), t("Pebble"))],
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
