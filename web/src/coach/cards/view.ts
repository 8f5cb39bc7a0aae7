import "../../styles/desk.css";
import type { Uci } from "rukh-engine";
import type { Route, View } from "../../app/router.ts";
import { href } from "../../app/router.ts";
import { load, save } from "../../app/settings.ts";
import { effect, signal, untracked } from "../../app/store.ts";
import { rules } from "../../engine/rules.ts";
import { server } from "../../engine/server.ts";
import { engineService } from "../../engine/service.ts";
import { codeOf } from "../../game/codes.ts";
import { moveText } from "../../game/movetext.ts";
import { library } from "../../library/db.ts";
import { figure, language, parts, t } from "../../messages/messages.ts";
import { kindName, sideName } from "../../pieces/names.ts";
import { download } from "../../study/portal.ts";
import { fold } from "../../ui/controls.ts";
import { button, fill, h } from "../../ui/dom.ts";
import { notice } from "../../ui/notice.ts";
import { Desk, arrowOf, lineButtons, safely } from "../desk.ts";
import { findGaps } from "../gaps.ts";
import { gapText } from "../gaptext.ts";
import { lastOrder } from "../queue.ts";
import { reasonsFor, sentenceOf } from "../reasons.ts";
import { makeReport } from "../report.ts";
import { coachStore } from "../store.ts";
import { type TrainingDb, trainingDb } from "../training.ts";
import { LearnWorker } from "../worker.ts";
import type { Card } from "./card.ts";
import { draftsOfGaps } from "./collect.ts";
import { CardsController, type Missed } from "./controller.ts";
import { CardStore } from "./db.ts";
import { setDue } from "./due.ts";
import { MOST_BYTES, joinCards, joinDays, readCards, writeCards } from "./file.ts";
import { HERE, harvest, harvestReport, splitNames } from "./harvest.ts";
import { type Scheduler, loadScheduler } from "./schedule.ts";

const NAMES = "rukh.coach.names";

/** Positions of one's own mistakes, until they are known. */
export class CardsView implements View {
  readonly element: HTMLElement;
  #desk = new Desk(t("Card"), (move) => this.#play.answer(move));
  #play: CardsController;
  #store: CardStore;
  #head = h("div", { class: "desk-figures" });
  #progress = h("p", { class: "small muted", role: "status" });
  #effects: (() => void)[];
  #gone = false;
  /** For the report: it takes long, and the page's own engine shall not wait. */
  #worker = new LearnWorker();
  /** Games are being looked through: that there are no cards is not known yet. */
  #collecting = signal(0);

  private constructor(db: TrainingDb, scheduler: Scheduler) {
    this.#store = new CardStore(db);
    this.#play = new CardsController(this.#store, scheduler, engineService);
    this.#desk.panel.append(this.#head, this.#desk.card, this.#about());
    this.element = this.#desk.element;
    this.#effects = [
      effect(() => this.#drawHead()),
      effect(() => this.#draw()),
      effect(() => setDue(this.#play.due.value)),
    ];
  }

  static async open(_route: Route): Promise<CardsView> {
    const [db, scheduler] = await Promise.all([trainingDb(), loadScheduler()]);
    const view = new CardsView(db, scheduler);
    await view.#play.load();
    void view.#collect();
    return view;
  }

  leave(): void {
    this.#gone = true;
    for (const end of this.#effects) end();
    this.#desk.leave();
    this.#play.leave();
    this.#worker.end();
  }

  key(event: KeyboardEvent): boolean {
    const { is } = this.#play.phase.peek();
    if (event.key === "n" && (is === "right" || is === "wrong")) this.#play.ask();
    else if (event.key === "h") this.#play.hint();
    else return false;
    return true;
  }

  /* ------------------------------------------------------------------------------------------ where cards come from */

  /** Games whose review was finished since the last visit: one by one in Review, or many in the background. */
  async #collect(): Promise<void> {
    this.#collecting.value += 1;
    await safely(
      () => this.#collectAll(),
      () => this.#gone,
    );
    this.#collecting.value -= 1;
  }

  async #collectAll(): Promise<void> {
    const names = splitNames(this.#names);
    const games = await library();
    await harvest(
      games,
      this.#store,
      names,
      codeOf,
      (cards, done, total) => {
        this.#play.take(cards);
        this.#progress.textContent = done < total ? t("{done} of {n} games checked", { done, n: total }) : "";
      },
      () => this.#gone,
      async (tree, review, index) => (await reasonsFor(tree, review, index)).slice(0, 2).map(sentenceOf).join(" "),
    );
    const store = await coachStore();
    for (const player of [HERE, ...names]) {
      const reviewed = (await store.reviewed(player)).size;
      const report = async () => {
        const made = await makeReport(() => this.#worker.engine(), games, store, await games.rows(), player);
        const gaps = await findGaps(
          () => this.#worker.engine(),
          made,
          undefined,
          () => this.#gone,
        );
        return {
          mistakes: made.insights.mistakes,
          ids: made.rows.map(({ id }) => id),
          gaps: draftsOfGaps(gaps, gapText),
        };
      };
      if (this.#gone) return;
      const masters = ((await server())?.databases.length ?? 0) > 0;
      this.#play.take(await harvestReport(player, reviewed, this.#store, report, sentenceOf, masters));
    }
  }

  /** As they were written here, or else whoever the background review is about. */
  get #names(): string {
    const names = load<unknown>(NAMES);
    return typeof names === "string" ? names : (lastOrder().player ?? "");
  }

  #about(): HTMLElement {
    const names = h("input", {
      class: "input",
      value: this.#names,
      spellcheck: "false",
      maxlength: "500",
      onChange: () => {
        save(NAMES, names.value);
        void this.#collect();
      },
    });
    const file = h("input", {
      type: "file",
      accept: ".json,application/json",
      class: "visually-hidden",
      tabindex: "-1",
      "aria-label": t("Card file"),
      onChange: () => {
        const chosen = file.files?.[0];
        file.value = "";
        if (chosen) void safely(() => this.#import(chosen));
      },
    });
    return fold(
      t("Where cards come from"),
      "cards",
      h(
        "div",
        { class: "stack" },
        h(
          "p",
          { class: "small muted" },
          t(
            "Every mistake and blunder that a finished review finds in your games becomes a card; the same position in several games is one card. Cards stay in this browser.",
          ),
        ),
        h("label", { class: "field" }, h("span", null, t("Your names in games, separated by semicolons")), names),
        this.#progress,
        h(
          "div",
          { class: "row" },
          button(t("Export"), () => this.#export(), { icon: "download", class: "small" }),
          button(t("Import"), () => file.click(), { icon: "upload", class: "small" }),
          file,
        ),
      ),
    );
  }

  #export(): void {
    const { cards, days } = this.#play.everything;
    download("cards.json", writeCards(cards, days), "application/json");
  }

  async #import(file: File): Promise<void> {
    if (file.size > MOST_BYTES) throw new Error(t("This is not a card file: it is too large."));
    const read = await readCards(await file.text(), codeOf);
    const find = this.#play.finder();
    const cards = read.cards.map((card) => joinCards(find(card), card));
    const days = read.days.map((day) => joinDays(this.#play.findDay(day.id), day));
    await this.#store.putAll(cards, days);
    this.#play.take(cards, days);
    notice(t("{n} cards were imported.", { n: cards.length }));
  }

  /* ------------------------------------------------------------------------------------------------------- drawing */

  #drawHead(): void {
    const { due, streak, total, today } = this.#play;
    const item = (value: number, name: string) =>
      h("div", null, h("strong", null, figure(value)), h("span", { class: "small muted" }, name));
    fill(
      this.#head,
      item(due.value, t("due")),
      item(today.value?.answered ?? 0, t("today")),
      item(streak.value, t("days in a row")),
      item(total.value, t("cards")),
    );
  }

  #draw(): void {
    const card = this.#play.card.value;
    const phase = this.#play.phase.value;
    if (!card) return this.#drawEmpty();
    const { variant, fen } = card;
    const state = this.#play.state!;
    const side = state.turn;
    const shown = (moves: readonly Uci[], live = false) => ({
      state: rules().state({ variant, fen, moves }),
      side,
      live,
    });
    const best = card.good[0]!;
    this.#desk.element.dataset.phase = phase.is;
    switch (phase.is) {
      case "ask": {
        const from = arrowOf(best, "good").from;
        this.#desk.show({
          ...shown([], true),
          marks: phase.hint ? [{ square: from, kind: "circle", tone: "good" }] : [],
        });
        const piece = state.moves.find(({ uci }) => uci === best)?.piece ?? "";
        this.#desk.say(
          h(
            "p",
            { class: "desk-title" },
            card.gap
              ? t("What do masters play for {side}?", { side: sideName(side) })
              : t("Find the best move for {side}.", { side: sideName(side) }),
          ),
          h("p", { class: "small muted" }, this.#history(card)),
          phase.hint
            ? h("p", null, t("Look at the {piece}.", { piece: kindName({ kind: piece[0]!.toLowerCase(), promoted: piece.endsWith("~") }, variant) })) // prettier-ignore
            : null,
        );
        fill(
          this.#desk.buttons,
          button(t("Hint"), () => this.#play.hint(), { icon: "bulb", key: "h" }),
          button(t("Show the move"), () => void safely(() => this.#play.show())),
          button(t("Remove this card"), () => void safely(() => this.#play.remove()), {
            icon: "trash",
            class: "quiet",
            hideLabel: true,
          }),
        );
        break;
      }
      case "looking":
        this.#desk.show(shown([phase.move.uci]));
        this.#desk.say(
          h("p", null, ...parts<Node>("The engine is checking {move} …", { move: moveText(phase.move, variant) })),
        );
        fill(this.#desk.buttons);
        break;
      case "right":
        this.#desk.show(shown([phase.move.uci]));
        this.#desk.say(
          h(
            "p",
            { class: "desk-title good" },
            ...rightText(card, phase.move.uci, phase.best, moveText(phase.move, variant)),
          ),
          this.#better(card),
          this.#returns(),
        );
        this.#drawNext();
        break;
      case "wrong":
        this.#desk.show({ ...shown([]), arrows: [arrowOf(best, "good")] });
        this.#desk.say(...this.#wrong(card, phase.missed), this.#better(card), this.#returns());
        this.#drawNext();
    }
  }

  /** How often it happened. */
  #history({ mistakes, gap }: Card): string {
    if (gap?.kind === "unmet") return t("Masters reach this position, and you have not faced it yet.");
    if (gap) return t("A position from your openings in which masters play a different move.");
    const games = new Set(mistakes.flatMap((mistake) => mistake.games)).size;
    return t("It went wrong here in {n} games.", { n: games });
  }

  #wrong(card: Card, missed: Missed | null): (HTMLElement | null)[] {
    if (!missed) return [h("p", { class: "desk-title" }, t("This is the move."))];
    const { variant, fen } = card;
    const move = moveText(missed.move, variant);
    const lost = Math.max(1, Math.round(missed.loss));
    return [
      h("p", { class: "desk-title bad" }, ...wrongText(card, missed, { move, lost })),
      missed.why ? h("p", null, missed.why) : null,
      missed.line.length
        ? h(
            "p",
            null,
            ...parts<Node>("It is answered by {line}", {
              line: lineButtons({ variant, fen, moves: [missed.move.uci] }, missed.line.slice(0, 6), (moves) =>
                this.#look(card, moves),
              ),
            }),
          )
        : null,
    ];
  }

  #better(card: Card): HTMLElement {
    const { variant, fen } = card;
    const line = card.line[0] === card.good[0] ? card.line : card.good.slice(0, 1);
    return h(
      "p",
      null,
      ...parts<Node>(card.gap ? "Masters play {line}" : "Best was {line}", {
        line: lineButtons({ variant, fen }, line.slice(0, 6), (moves) => this.#look(card, moves)),
      }),
    );
  }

  /** A position of a line, to look at. */
  #look({ variant, fen }: Card, moves: readonly Uci[]): void {
    const side = rules().state({ variant, fen }).turn;
    this.#desk.show({ state: rules().state({ variant, fen, moves }), side, live: false });
  }

  #returns(): HTMLElement {
    const due = this.#play.returns.value;
    return h("p", { class: "small muted" }, due === null ? "" : t("It will come back {when}.", { when: fromNow(due) }));
  }

  #drawNext(): void {
    const card = untracked(() => this.#play.card.value)!;
    const game = card.mistakes.flatMap(({ games }) => games)[0];
    const next = button(t("Next"), () => this.#play.ask(), { class: "primary", icon: "next", key: "n" });
    fill(
      this.#desk.buttons,
      next,
      game && h("a", { class: "button quiet", href: href("review", { game }) }, t("The game")),
    );
  }

  #drawEmpty(): void {
    const { total, next } = this.#play;
    const looking = this.#collecting.value > 0;
    const due = next.value;
    this.#desk.element.dataset.phase = "done";
    this.#desk.show({ state: rules().state({}), side: "white", live: false });
    this.#desk.say(
      h(
        "p",
        { class: "desk-title" },
        total.value ? t("All done for now.") : looking ? t("Reading your games …") : t("There are no cards yet."),
      ),
      h(
        "p",
        { class: "muted" },
        total.value
          ? due === null
            ? t("More new cards come tomorrow.")
            : t("The next card comes {when}.", { when: fromNow(due) })
          : looking
            ? ""
            : t("Review one of your games: its mistakes become cards."),
      ),
    );
    fill(
      this.#desk.buttons,
      total.value || looking ? null : h("a", { class: "button primary", href: href("library") }, t("Open the library")),
    );
  }
}

function rightText({ gap, good }: Card, uci: Uci, best: boolean, move: Node): (string | Node)[] {
  if (gap && good.includes(uci)) return parts<Node>("{move} – so do masters.", { move });
  return parts<Node>(best ? "{move} – the engine’s move." : "{move} – just as good.", { move });
}

function wrongText({ gap }: Card, { played, loss }: Missed, values: { move: Node; lost: number }): (string | Node)[] {
  if (gap && played && loss === 0) return parts<Node>("{move} is your usual move; masters rarely play it.", values);
  return parts<Node>(
    played ? "{move} was played in the game: it gives away {lost} %." : "{move} gives away {lost} %.",
    values,
  );
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `in 3 days`, in the page's language. */
function fromNow(at: number): string {
  const ms = Math.max(at - Date.now(), 60_000);
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? UNITS[2];
  return new Intl.RelativeTimeFormat(language).format(Math.round(ms / length), unit);
}
