import "../../styles/desk.css";
import type { Route, View } from "../../app/router.ts";
import { load, save } from "../../app/settings.ts";
import { effect, signal } from "../../app/store.ts";
import { moveText } from "../../game/movetext.ts";
import { codeHref } from "../../game/codes.ts";
import { figure, parts, t } from "../../messages/messages.ts";
import { VARIANTS, VARIANT_NAMES, type Variant, kindName, sideName } from "../../pieces/names.ts";
import { rules } from "../../engine/rules.ts";
import { fold, select } from "../../ui/controls.ts";
import { button, fill, h } from "../../ui/dom.ts";
import { notice } from "../../ui/notice.ts";
import { Desk, arrowOf, lineButtons, safely } from "../desk.ts";
import { type TrainingDb, trainingDb } from "../training.ts";
import { PuzzlesController } from "./controller.ts";
import { PuzzleStore } from "./db.ts";
import { MOST_BYTES, puzzleIds, readPuzzles } from "./file.ts";
import type { KeptPuzzle, Puzzle } from "./puzzle.ts";

const THEMES: Readonly<Record<string, string>> = {
  backRankMate: t("back-rank mate"),
  skewer: t("skewer"),
  fork: t("fork"),
  discoveredCheck: t("discovered check"),
  discoveredAttack: t("discovered attack"),
  removedGuard: t("removed defender"),
  deflection: t("deflection"),
  pin: t("pin"),
  trappedPiece: t("trapped piece"),
  hangingPiece: t("hanging piece"),
  exchange: t("exchange"),
  promotion: t("promotion"),
  mate: t("mate"),
};
const VARIANT_KEY = "rukh.puzzles.variant";
const themeName = (theme: string): string => THEMES[theme] ?? theme;

/** Positions in which one move wins, from a file of `rukh puzzles`. */
export class PuzzlesView implements View {
  readonly element: HTMLElement;
  #desk = new Desk(t("Puzzle"), (move) => this.#play.answer(move));
  #play: PuzzlesController;
  #store: PuzzleStore;
  #head = h("div", { class: "desk-figures" });
  #filter = h("div", { class: "row" });
  #progress = h("p", { class: "small muted", role: "status" });
  /** Whether a file of puzzles is on its way. */
  #reading = signal(false);
  /** The names of the page's own puzzles, when they are known. */
  #shippedIds = signal<readonly string[]>([]);
  /** Offered while some of them are missing. */
  #more = button(t("Add the built-in puzzles"), () => void this.#shipped(), { class: "small" });
  #effects: (() => void)[];

  private constructor(db: TrainingDb) {
    this.#store = new PuzzleStore(db);
    this.#play = new PuzzlesController(this.#store);
    this.#desk.panel.append(this.#head, this.#desk.card, this.#filter, this.#about());
    this.element = this.#desk.element;
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.#open(event.dataTransfer?.files[0]);
    });
    this.#effects = [effect(() => this.#drawHead()), effect(() => this.#draw()), effect(() => this.#drawFilter())];
    this.#effects.push(
      effect(() => void (this.#more.hidden = this.#shippedIds.value.every((id) => this.#play.has(id)))),
    );
  }

  static async open(_route: Route): Promise<PuzzlesView> {
    const view = new PuzzlesView(await trainingDb());
    await view.#play.load();
    view.#play.setVariant(VARIANTS.find((name) => name === load(VARIANT_KEY)) ?? "chess");
    // There is something to solve from the first visit on.
    void view.#shipped(view.#play.total.peek() === 0);
    return view;
  }

  leave(): void {
    for (const end of this.#effects) end();
    this.#desk.leave();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "n") this.#play.next();
    else if (event.key === "h") void safely(() => this.#play.help());
    else return false;
    return true;
  }

  #choose(variant: Variant): void {
    save(VARIANT_KEY, variant);
    this.#play.setVariant(variant);
  }

  async #open(file: File | undefined): Promise<void> {
    if (!file) return;
    await safely(async () => {
      if (file.size > MOST_BYTES) throw new Error(t("This is not a puzzle file: it is too large."));
      const puzzles = await this.#take(await file.text());
      const first = puzzles[0];
      if (first && !puzzles.some(({ variant }) => variant === this.#play.variant.peek())) this.#choose(first.variant);
      notice(t("{n} puzzles were imported.", { n: puzzles.length }));
    });
  }

  /** The page's own puzzles, from games of the engine against itself: takes them, or only sees which they are. */
  async #shipped(take = true): Promise<void> {
    this.#reading.value = take;
    await safely(async () => {
      const { default: text } = await import("./shipped.csv?raw");
      this.#shippedIds.value = puzzleIds(text);
      if (take) await this.#take(text);
    });
    this.#reading.value = false;
  }

  async #take(text: string): Promise<readonly Puzzle[]> {
    try {
      const puzzles = await readPuzzles(text, (done, n) => {
        this.#progress.textContent = t("{done} of {n} puzzles", { done, n });
      });
      this.#play.take(await this.#store.add(puzzles));
      return puzzles;
    } finally {
      this.#progress.textContent = "";
    }
  }

  #about(): HTMLElement {
    const file = h("input", {
      type: "file",
      accept: ".csv,text/csv",
      class: "visually-hidden",
      tabindex: "-1",
      "aria-label": t("Puzzle file"),
      onChange: () => {
        const chosen = file.files?.[0];
        file.value = "";
        void this.#open(chosen);
      },
    });
    return fold(
      t("Where puzzles come from"),
      "puzzles",
      h(
        "div",
        { class: "stack" },
        h(
          "p",
          { class: "small muted" },
          t(
            "The page comes with some puzzles from games that the engine played against itself at human strength. You can make more from any games, including your own: export them from the library, let the program look for puzzles, and open the file here.",
          ),
        ),
        h("code", { class: "small" }, "rukh puzzles games.pgn --out puzzles.csv"),
        h(
          "div",
          { class: "row" },
          button(t("Open a file"), () => file.click(), { icon: "upload", class: "small" }),
          this.#more,
          file,
        ),
        this.#progress,
      ),
    );
  }

  /* ------------------------------------------------------------------------------------------------------- drawing */

  #drawHead(): void {
    const { rating, deviation, solved, failed } = this.#play.player.value;
    const change = this.#play.change.value;
    const item = (value: string, name: string) =>
      h("div", null, h("strong", null, value), h("span", { class: "small muted" }, name));
    const sign = change === null ? "" : ` ${change < 0 ? "−" : "+"}${Math.abs(change)}`;
    fill(
      this.#head,
      item(`${Math.round(rating)}${deviation > 110 ? "?" : ""}`, t("rating") + sign),
      item(figure(solved), t("solved")),
      item(figure(failed), t("missed")),
      item(figure(this.#play.left.value), t("left")),
    );
  }

  #drawFilter(): void {
    const { themes, theme, total, variants, variant } = this.#play;
    const games = variants.value.map((name): [Variant, string] => [name, VARIANT_NAMES[name]]);
    const all: [string, string][] = [
      ["", t("all themes")],
      ...themes.value.map(([name, n]): [string, string] => [name, `${themeName(name)} (${n})`]),
    ];
    fill(
      this.#filter,
      games.length > 1 && select(t("Game"), games, variant.value, (value) => this.#choose(value)),
      total.value > 0 && select(t("Theme"), all, theme.peek(), (value) => this.#play.setTheme(value)),
    );
  }

  #draw(): void {
    const puzzle = this.#play.puzzle.value;
    const phase = this.#play.phase.value;
    if (!puzzle) return this.#drawEmpty();
    const { variant } = puzzle;
    const state = this.#play.state!;
    const { side, wanted } = this.#play;
    const hint = this.#play.hint.value;
    const wrong = this.#play.wrong.value;
    this.#desk.element.dataset.phase = phase;
    const arrow = wanted ? arrowOf(wanted, "good") : null;
    this.#desk.show({
      state,
      side,
      live: phase === "ask",
      arrows: hint === 2 && arrow ? [arrow] : [],
      marks: hint === 1 && arrow ? [{ square: arrow.from, kind: "circle", tone: "good" }] : [],
    });
    if (phase === "solved" || phase === "shown") return this.#drawOver(puzzle, phase === "solved");
    if (phase === "reply") {
      this.#desk.say(h("p", { class: "desk-title good" }, t("Good.")));
      return fill(this.#desk.buttons);
    }
    const piece = state.moves.find(({ uci }) => uci === wanted)?.piece ?? "k";
    this.#desk.say(
      h(
        "p",
        { class: "desk-title" },
        this.#play.ply.value > 0 && !wrong
          ? t("Good. And now?")
          : t("Only one move wins for {side}. Find it.", { side: sideName(side) }),
      ),
      wrong
        ? h(
            "p",
            { class: "bad" },
            ...parts<Node>("{move} does not win. Try again.", { move: moveText(wrong, variant) }),
          )
        : null,
      hint === 1
        ? h("p", null, t("Look at the {piece}.", { piece: kindName({ kind: piece[0]!.toLowerCase(), promoted: piece.endsWith("~") }, variant) })) // prettier-ignore
        : null,
    );
    fill(
      this.#desk.buttons,
      button(hint === 0 ? t("Hint") : t("Which move?"), () => void safely(() => this.#play.help()), {
        icon: "bulb",
        key: "h",
      }),
      button(t("Show the solution"), () => void safely(() => this.#play.show())),
      button(t("Skip"), () => this.#play.next(), { class: "quiet" }),
    );
  }

  #drawOver(puzzle: KeptPuzzle, solved: boolean): void {
    const { variant, fen, moves, themes, source, id } = puzzle;
    const { side } = this.#play;
    this.#desk.say(
      h("p", { class: `desk-title ${solved ? "good" : ""}` }, solved ? t("Solved.") : t("This is the solution.")),
      h(
        "p",
        null,
        lineButtons({ variant, fen }, moves, (shown) =>
          this.#desk.show({ state: rules().state({ variant, fen, moves: shown }), side, live: false }),
        ),
      ),
      themes.length
        ? h("p", { class: "small muted" }, t("Theme: {names}", { names: themes.map(themeName).join(", ") }))
        : null,
      source ? h("p", { class: "small muted" }, t("From: {source}", { source })) : null,
    );
    fill(
      this.#desk.buttons,
      button(t("Next"), () => this.#play.next(), { class: "primary", icon: "next", key: "n" }),
      h("a", { class: "button quiet", href: codeHref(variant, id.slice(id.indexOf(":") + 1)) }, t("Analyse")),
    );
  }

  #drawEmpty(): void {
    const none = this.#play.total.value === 0;
    const reading = none && this.#reading.value;
    this.#desk.element.dataset.phase = reading ? "reading" : "done";
    this.#desk.show({ state: rules().state({}), side: "white", live: false });
    if (reading) return this.#desk.say(h("p", { class: "muted", role: "status" }, t("Loading …")));
    this.#desk.say(
      h(
        "p",
        { class: "desk-title" },
        none ? t("There are no puzzles yet.") : t("All puzzles of this kind are solved for now."),
      ),
      h(
        "p",
        { class: "muted" },
        none ? t("Open a puzzle file, or drop it here.") : t("Missed puzzles come back after a day."),
      ),
    );
    fill(this.#desk.buttons);
  }
}
