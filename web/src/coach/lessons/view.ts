import "../../styles/desk.css";
import type { Route, View } from "../../app/router.ts";
import { load, save } from "../../app/settings.ts";
import { effect } from "../../app/store.ts";
import { parts, said, t } from "../../messages/messages.ts";
import { kindName } from "../../pieces/names.ts";
import { countBadge } from "../../play/counting.ts";
import { button, fill, h } from "../../ui/dom.ts";
import { Desk, arrowOf, safely } from "../desk.ts";
import { LearnWorker } from "../worker.ts";
import { LessonController, type Progress } from "./controller.ts";
import { ENDINGS, type Ending, STAGES } from "./endings.ts";

const KEPT = "rukh.coach.lessons";

/** What is kept, as far as it makes sense. */
function readProgress(): Progress {
  const stored = load<Record<string, unknown>>(KEPT) ?? {};
  return Object.fromEntries(
    ENDINGS.flatMap(({ id }) => (typeof stored[id] === "number" ? [[id, Math.max(0, Math.min(STAGES.length, Math.floor(stored[id])))]] : [])), // prettier-ignore
  );
}

/** `Rua + Met` */
const nameOf = ({ pieces }: Ending): string =>
  pieces.map((letter) => kindName({ kind: letter.toLowerCase(), promoted: false }, "makruk")).join(" + ");

/** Makruk's endings against a bare Khun: mate within the count, against the longest defence there is. */
export class LessonsView implements View {
  readonly element: HTMLElement;
  #worker = new LearnWorker();
  #desk = new Desk(t("Lesson"), (move) => this.#safely(() => this.#play.play(move)));
  #play: LessonController;
  #list = h("div", { class: "desk-endings", role: "group", "aria-label": t("Lessons") });
  #effects: (() => void)[];
  #gone = false;

  constructor(_route: Route) {
    this.#play = new LessonController(
      async (position) => {
        return (await (await this.#worker.engine()).ask({ ask: "tables", variant: "makruk", ...position })).probe;
      },
      readProgress(),
      (progress) => save(KEPT, progress),
    );
    this.#desk.panel.append(
      h(
        "p",
        { class: "muted desk-about" },
        t(
          "Makruk: mate the bare Khun before the count runs out. It puts up the longest possible defence; the tablebases know every position.",
        ),
      ),
      this.#list,
      this.#desk.card,
    );
    this.element = this.#desk.element;
    this.#effects = [effect(() => this.#drawList()), effect(() => this.#draw())];
    const first = ENDINGS.find((ending) => !this.#play.knows(ending)) ?? ENDINGS[0]!;
    void this.#safely(() => this.#play.start(first));
  }

  leave(): void {
    this.#gone = true;
    for (const end of this.#effects) end();
    this.#desk.leave();
    this.#play.leave();
    this.#worker.end();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "h") void this.#safely(() => this.#play.help());
    else if (event.key === "u") void this.#safely(() => this.#play.takeBack());
    else if (event.key === "n") this.#again();
    else return false;
    return true;
  }

  #again(): void {
    const ending = this.#play.ending.peek();
    if (ending) void this.#safely(() => this.#play.start(ending));
  }

  #safely(work: () => Promise<void>): Promise<void> {
    return safely(
      () =>
        work().catch((error: unknown) => {
          // What failed may be tried again, by another worker.
          this.#worker.end();
          throw error;
        }),
      () => this.#gone,
    );
  }

  #drawList(): void {
    const { ending, progress } = this.#play;
    const buttons = ENDINGS.map((each) => {
      const stars = progress.value[each.id] ?? 0;
      return button(
        `${nameOf(each)} ${"★".repeat(stars)}${"☆".repeat(STAGES.length - stars)}`,
        () => void this.#safely(() => this.#play.start(each)),
        { class: "small", pressed: ending.value?.id === each.id },
      );
    });
    fill(this.#list, ...buttons);
  }

  #draw(): void {
    const phase = this.#play.phase.value;
    const state = this.#play.state.value;
    const hint = this.#play.hint.value;
    this.#desk.element.dataset.phase = phase;
    if (state)
      this.#desk.show({
        state,
        side: "white",
        live: phase === "play",
        arrows: hint ? [arrowOf(hint, "good")] : [],
      });
    const race = this.#play.race.value;
    const needs = race?.needs ?? 0;
    const left = race?.left ?? 0;
    const count = state?.count
      ? h("p", null, ...parts<Node>("Count {count}", { count: countBadge(state.count)! }))
      : null;
    switch (phase) {
      case "dealing":
        this.#desk.say(h("p", { class: "muted" }, t("Generating the tablebases and looking for a position …")));
        return fill(this.#desk.buttons);
      case "play":
      case "thinking":
        this.#desk.say(
          h("p", { class: "desk-title" }, t("You need {n} moves and have {left}.", { n: needs, left })),
          count,
          h(
            "p",
            { class: "small muted" },
            t("Stage {at} of {n}", { at: this.#play.stage.value + 1, n: STAGES.length }),
          ),
        );
        return fill(
          this.#desk.buttons,
          button(t("Hint"), () => void this.#safely(() => this.#play.help()), { icon: "bulb", key: "h" }),
          button(t("Take back"), () => void this.#safely(() => this.#play.takeBack()), { icon: "undo", key: "u" }),
          button(t("Another position"), () => this.#again(), { class: "quiet", key: "n" }),
        );
      case "slipped":
        this.#desk.say(
          h("p", { class: "desk-title bad" }, t("This move lets the win slip.")),
          h(
            "p",
            null,
            race?.needs === null
              ? t("Mate cannot be forced any more.")
              : t("Mate needs {n} moves now, and the count leaves {left}.", { n: needs, left }),
          ),
          count,
        );
        return fill(
          this.#desk.buttons,
          button(t("Take back"), () => void this.#safely(() => this.#play.takeBack()), {
            class: "primary",
            icon: "undo",
            key: "u",
          }),
          button(t("Another position"), () => this.#again(), { class: "quiet", key: "n" }),
        );
      case "won":
      case "drawn": {
        const ending = this.#play.ending.value!;
        this.#desk.say(
          h(
            "p",
            { class: `desk-title ${phase === "won" ? "good" : "bad"}` },
            phase === "won" ? t("Mate within the count.") : said(state?.ended?.text ?? ""),
          ),
          phase === "won" && this.#play.knows(ending) ? h("p", null, t("You know this ending.")) : null,
        );
        const next = ENDINGS.find((each) => !this.#play.knows(each));
        return fill(
          this.#desk.buttons,
          button(t("Another position"), () => this.#again(), { class: "primary", key: "n" }),
          this.#play.knows(ending) &&
            next &&
            button(
              t("Next: {ending}", { ending: nameOf(next) }),
              () => void this.#safely(() => this.#play.start(next)),
            ),
        );
      }
    }
  }
}
