import "../../styles/desk.css";
import type { Route, View } from "../../app/router.ts";
import { effect } from "../../app/store.ts";
import { moveText } from "../../game/movetext.ts";
import { codeHref } from "../../game/codes.ts";
import { figure, parts, t } from "../../messages/messages.ts";
import { kindName, sideName } from "../../pieces/names.ts";
import { rules } from "../../engine/rules.ts";
import { fold, select } from "../../ui/controls.ts";
import { button, fill, h } from "../../ui/dom.ts";
import { notice } from "../../ui/notice.ts";
import { Desk, arrowOf, lineButtons, safely } from "../desk.ts";
import { type TrainingDb, trainingDb } from "../training.ts";
import { PuzzlesController } from "./controller.ts";
import { PuzzleStore } from "./db.ts";
import { MOST_BYTES, readPuzzles } from "./file.ts";
import type { KeptPuzzle } from "./puzzle.ts";

const THEMES: Readonly<Record<string, string>> = {
  backRankMate: t("mate on the back rank"),
  skewer: t("skewer"),
  fork: t("fork"),
  discoveredCheck: t("discovered check"),
  discoveredAttack: t("discovered attack"),
  removedGuard: t("guard removed"),
  deflection: t("guard led away"),
  pin: t("pin"),
  trappedPiece: t("trapped piece"),
  hangingPiece: t("hanging piece"),
  exchange: t("exchange"),
  promotion: t("promotion"),
  mate: t("mate"),
};
const themeName = (theme: string): string => THEMES[theme] ?? theme;

/** Positions in which one move wins, from a file of `rukh puzzles`. */
export class PuzzlesView implements View {
  readonly element: HTMLElement;
  #desk = new Desk(t("Puzzle"), (move) => this.#play.answer(move));
  #play: PuzzlesController;
  #store: PuzzleStore;
  #head = h("div", { class: "desk-figures" });
  #filter = h("div");
  #progress = h("p", { class: "small muted", role: "status" });
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
  }

  static async open(_route: Route): Promise<PuzzlesView> {
    const view = new PuzzlesView(await trainingDb());
    await view.#play.load();
    // There is something to solve from the first visit on.
    if (view.#play.total.peek() === 0) void view.#shipped();
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

  async #open(file: File | undefined): Promise<void> {
    if (!file) return;
    await safely(async () => {
      if (file.size > MOST_BYTES) throw new Error(t("This is no file of puzzles: it is too large."));
      const n = await this.#take(await file.text());
      notice(t("{n} puzzles were read.", { n }));
    });
  }

  /** The page's own puzzles, from games of the engine against itself. */
  async #shipped(): Promise<void> {
    await safely(async () => {
      const { default: text } = await import("./shipped.csv?raw");
      await this.#take(text);
    });
  }

  async #take(text: string): Promise<number> {
    try {
      const puzzles = await readPuzzles(text, (done, n) => {
        this.#progress.textContent = t("{done} of {n} puzzles", { done, n });
      });
      this.#play.take(await this.#store.add(puzzles));
      return puzzles.length;
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
      "aria-label": t("File of puzzles"),
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
            "The page brings some of its own, from games that the engine has played against itself at the levels of people. More come from any games, your own too: export them from the library, let the program look for puzzles, and open the file here.",
          ),
        ),
        h("code", { class: "small" }, "rukh puzzles games.pgn --out puzzles.csv"),
        h(
          "div",
          { class: "row" },
          button(t("Open a file"), () => file.click(), { icon: "upload", class: "small" }),
          button(t("Add the page’s own"), () => void this.#shipped(), { class: "small" }),
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
    const { themes, theme, total } = this.#play;
    const all: [string, string][] = [
      ["", t("all themes")],
      ...themes.value.map(([name, n]): [string, string] => [name, `${themeName(name)} (${n})`]),
    ];
    fill(this.#filter, total.value > 0 && select(t("Theme"), all, theme.peek(), (value) => this.#play.setTheme(value)));
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
          : t("{side} wins with one move only. Find it.", { side: sideName(side) }),
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
    this.#desk.element.dataset.phase = "done";
    this.#desk.show({ state: rules().state({}), side: "white", live: false });
    this.#desk.say(
      h(
        "p",
        { class: "desk-title" },
        none ? t("There are no puzzles yet.") : t("All puzzles of this kind are solved for now."),
      ),
      h(
        "p",
        { class: "muted" },
        none ? t("Open a file of puzzles, or drop it here.") : t("What was missed comes again after a day."),
      ),
    );
    fill(this.#desk.buttons);
  }
}
