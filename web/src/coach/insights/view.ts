import type { CoachMeeting, CoachMistake, HeldGames, RepertoireGap } from "rukh-engine";
import { type View, href } from "../../app/router.ts";
import { effect } from "../../app/store.ts";
import { verdictSign } from "../../game/signs.ts";
import { moveText } from "../../game/movetext.ts";
import { library } from "../../library/db.ts";
import { playersOf } from "../../library/rows.ts";
import { select } from "../../ui/controls.ts";
import { button, fill, h, setText } from "../../ui/dom.ts";
import { figure, reason, t } from "../../messages/messages.ts";
import { gapText } from "../gaptext.ts";
import { drawnSentence } from "../reasons.ts";
import { reviewQueue } from "../running.ts";
import { coachStore, sameName } from "../store.ts";
import type { Report } from "../report.ts";
import { InsightsController } from "./controller.ts";
import { openingTree, pointsText } from "./openings.ts";
import { accuracyPlot, barPlot, headCell } from "./plots.ts";
import { smallBoard } from "./smallboard.ts";

/** Motifs as people call them. */
const THEMES: Readonly<Record<string, string>> = {
  backRankMate: t("Back-rank mate"),
  fork: t("Fork"),
  pin: t("Pin"),
  skewer: t("Skewer"),
  discoveredAttack: t("Discovered attack"),
  discoveredCheck: t("Discovered check"),
  trappedPiece: t("Trapped piece"),
  deflection: t("Deflection"),
  removedGuard: t("Removed defender"),
  hangingPiece: t("Hanging piece"),
  exchange: t("Losing exchange"),
  promotion: t("Promotion"),
  mate: t("Mate"),
};
/** Mistakes and positions that are shown at first, and with each further wish. */
const STEP = 4;
const GAMES = 5;

/** What all games of one player say together, and the review of the library that it comes from. */
export class InsightsView implements View {
  readonly element = h("div", { class: "insights" });
  #ends: (() => void)[] = [];
  #left = false;

  constructor() {
    void this.#open();
  }

  leave(): void {
    this.#left = true;
    for (const end of this.#ends) end();
  }

  async #open(): Promise<void> {
    try {
      const [games, store, queue] = await Promise.all([library(), coachStore(), reviewQueue()]);
      const coach = new InsightsController(games, store, queue);
      if (this.#left) return coach.leave();
      this.#ends.push(() => coach.leave());
      await coach.read();
      if (!this.#left) this.#build(coach);
    } catch (error) {
      fill(this.element, h("p", { class: "error", role: "alert" }, reason(error)));
    }
  }

  #build(coach: InsightsController): void {
    const head = h("section", { class: "card stack", "aria-label": t("Review of your games") });
    const body = h("div", { class: "insights-body" });
    const repertoire = h("div", { class: "insights-gaps" });
    fill(this.element, head, body, repertoire);
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("Review progress") });
    const text = h("p", { class: "small muted", role: "status" });
    const act = button("", () => {
      const { state } = coach.queue.progress.peek();
      if (active(state)) coach.queue.pause();
      else coach.queue.start(coach.player.peek());
    }, { class: "primary" }); // prettier-ignore
    this.#ends.push(
      effect(() => {
        const players = coach.players.value;
        if (players.length === 0) {
          fill(
            head,
            h("h2", null, t("Your games, explained")),
            h("p", { class: "muted" }, t("The coach works with the games in your library. There are none yet.")),
            h("p", null, h("a", { class: "button primary", href: href("library") }, t("Open the library"))),
          );
          return;
        }
        const names = players.slice(0, 200).map(([name, n]): [string, string] => [name, `${name} (${figure(n)})`]);
        fill(
          head,
          h(
            "div",
            { class: "row apart" },
            select(t("Player"), names, coach.player.value, (name) => coach.choose(name)),
            act,
          ),
          bar,
          text,
          h(
            "p",
            { class: "small muted" },
            t("Everything is analysed and stored on this computer. Nothing is sent anywhere unless you ask for it."),
          ),
        );
      }),
      effect(() => {
        const { state, player, games, total, searched, problem } = coach.queue.progress.value;
        const own = sameName(player) === sameName(coach.player.value);
        // When all is done, new games are reviewed as they come.
        act.hidden = own && state === "done";
        setText(act.lastElementChild!, active(state) && own ? t("Pause") : t("Review my games"));
        bar.hidden = !own || total === 0 || state === "done";
        bar.max = Math.max(1, total);
        bar.value = games;
        const counts = { games, total, n: searched };
        const words = {
          paused: own && total ? t("Paused: {games} of {total} games.", counts) : t("The review runs in the background while you do other things here. You can stop it at any time."),
          running: t("{games} of {total} games, {n} positions searched.", counts),
          waiting: t("{games} of {total} games. Paused while you are using the engine.", counts),
          elsewhere: t("Another tab of this page is doing the review."),
          done: t("All {n} games have been reviewed.", { n: total }),
          failed: t("The review has stopped: {why}", { why: problem }),
        }[own ? state : "paused"]; // prettier-ignore
        setText(text, words);
      }),
      effect(() => fill(repertoire, gaps(coach.gaps.value))),
      effect(() => {
        const report = coach.report.value;
        const problem = coach.problem.value;
        if (problem) fill(body, h("p", { class: "error", role: "alert" }, problem));
        else if (report?.insights.games) fill(body, ...sections(report));
        else if (coach.player.value)
          fill(
            body,
            h(
              "p",
              { class: "muted" },
              coach.making.value
                ? t("Reading your games …")
                : t("Insights appear here as soon as the first game has been reviewed."),
            ),
          );
      }),
    );
  }
}

const active = (state: string): boolean => ["running", "waiting", "elsewhere"].includes(state);

/** The whole report. */
function sections(report: Report): (HTMLElement | null)[] {
  const { insights } = report;
  const { total, results } = insights;
  const cell = (name: string, value: string) => h("div", null, h("dt", null, name), h("dd", null, value));
  const themes = insights.costs.map(({ theme, missed, times, points }) => {
    const title = THEMES[theme] ?? theme;
    const name = missed ? t("Missed: {what}", { what: title }) : title;
    return { name, value: points, times, hover: t("{name}: {n} times, {points} points", { name, n: times, points }) };
  });
  return [
    h(
      "section",
      { class: "card" },
      h("h2", { class: "visually-hidden" }, t("Summary")),
      h(
        "dl",
        { class: "figures" },
        cell(t("Games"), figure(insights.games)),
        cell(t("Won, drawn, lost"), `${results.won} · ${results.drawn} · ${results.lost}`),
        cell(t("Accuracy"), total.moves ? `${total.accuracy.toFixed(1)} %` : "–"),
        cell(t("Inaccuracies"), figure(total.inaccuracies)),
        cell(t("Mistakes"), figure(total.mistakes)),
        cell(t("Blunders"), figure(total.blunders)),
      ),
    ),
    mistakes(report),
    h(
      "div",
      { class: "plots" },
      insights.variant.length > 1 ? accuracyPlot(t("Accuracy by game"), insights.variant) : null,
      accuracyPlot(t("Accuracy by phase"), insights.phase),
      accuracyPlot(t("Accuracy by colour"), insights.colour),
      accuracyPlot(t("Accuracy by opening"), insights.opening),
      accuracyPlot(t("Accuracy by opponent’s rating"), insights.rating),
      accuracyPlot(t("Accuracy by time left"), insights.clock),
      accuracyPlot(t("Accuracy by day of the week"), insights.weekday),
      barPlot(t("What your mistakes cost, in points"), [t("Motif"), t("Points"), t("Times")], themes),
      held(insights.conversion, insights.defence),
    ),
    openingTree(report),
    meetings(insights.met),
  ];
}

function held(won: HeldGames, lost: HeldGames): HTMLElement | null {
  if (won.games + lost.games === 0) return null;
  const row = (name: string, { games, ...results }: HeldGames) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, name),
      ...[games, results.won, results.drawn, results.lost].map((n) => h("td", null, figure(n))),
    );
  const title = t("Won and lost positions");
  return h(
    "section",
    { class: "card plot-card" },
    h("h2", null, title),
    h(
      "table",
      { class: "held" },
      h("caption", { class: "small muted" }, t("Games in which one side had an expected score of at least 85 %")),
      h("thead", null, h("tr", null, ...["", t("Games"), t("Won"), t("Drawn"), t("Lost")].map(headCell))),
      h("tbody", null, row(t("You were winning"), won), row(t("You were losing"), lost)),
    ),
  );
}

/** A list that grows when somebody wants more. */
function growing<T>(title: string, all: readonly T[], draw: (item: T) => HTMLElement): HTMLElement | null {
  if (all.length === 0) return null;
  const list = h("div", { class: "finds" });
  let shown = 0;
  const more = button(t("Show more"), () => grow(), { class: "more" });
  const grow = () => {
    list.append(...all.slice(shown, shown + STEP).map(draw));
    shown = Math.min(all.length, shown + STEP);
    more.hidden = shown >= all.length;
  };
  grow();
  return h("section", { class: "stack" }, h("h2", null, title), list, more);
}

/** `24… Ne3`, with its number from the position. */
function numbered(fen: string, san: string, variant: CoachMistake["variant"]): HTMLElement {
  const [, turn, , , , number = "1"] = fen.split(" ");
  return h("span", null, `${number}${turn === "w" ? "." : "…"} `, moveText({ san }, variant));
}

function mistakes({ insights, rows }: Report): HTMLElement | null {
  return growing(t("Costliest mistakes"), insights.mistakes, (mistake: CoachMistake) => {
    const { variant, fen, played, san, best, judgement, before, after, facts, games, plies } = mistake;
    const links = games.slice(0, GAMES).map((game, i) => {
      const row = rows[game]!;
      const at = String((plies[i] ?? 0) + 1);
      return h(
        "a",
        { href: href("review", { game: row.id, at }) },
        `${playersOf(row) || row.event || t("The game")}${row.date ? `, ${row.date}` : ""}`,
      );
    });
    return h(
      "article",
      { class: "card find" },
      smallBoard(variant, fen, [
        [played, "threat"],
        [best[0], "good"],
      ]),
      h(
        "div",
        { class: "stack tight" },
        h("h3", null, numbered(fen, san, variant), h("span", { class: `nag ${judgement}` }, verdictSign(judgement))),
        h(
          "p",
          { class: "small muted" },
          t("{before} % → {after} % expected score", { before: Math.round(before), after: Math.round(after) }),
          games.length > 1 ? ` · ${t("in {n} games", { n: games.length })}` : "",
        ),
        ...facts.map((fact) => h("p", null, drawnSentence(fact, variant))),
        ...links.map((link) => h("p", { class: "small" }, link)),
      ),
    );
  });
}

/** Where one's openings part from what masters play. */
function gaps(all: readonly RepertoireGap[]): HTMLElement | null {
  return growing(t("Gaps in your repertoire"), all, (gap: RepertoireGap) => {
    const { kind, variant, fen, ask, uci, answers } = gap;
    return h(
      "article",
      { class: "card find" },
      kind === "unusual"
        ? smallBoard(variant, fen, [
            [uci, "second"],
            [answers[0]?.uci, "good"],
          ])
        : smallBoard(variant, ask, [[answers[0]?.uci, "good"]]),
      h(
        "div",
        { class: "stack tight" },
        h("p", null, gapText(gap)),
        h(
          "p",
          { class: "small" },
          h("a", { href: href("analyse", { variant, fen: ask }) }, t("Open the analysis board")),
        ),
      ),
    );
  });
}

function meetings(met: readonly CoachMeeting[]): HTMLElement | null {
  return growing(t("Positions you reached more than once and played differently"), met, (meeting: CoachMeeting) => {
    const { variant, fen, times, best, moves } = meeting;
    const points = moves.reduce((sum, move) => sum + move.points, 0);
    return h(
      "article",
      { class: "card find" },
      smallBoard(variant, fen, [
        [moves[0]?.move, "second"],
        [best, "good"],
      ]),
      h(
        "div",
        { class: "stack tight" },
        h(
          "h3",
          null,
          t("You reached this position {n} times and played {moves} different moves, scoring {points}.", {
            n: times,
            moves: moves.length,
            points: pointsText(points),
          }),
        ),
        h(
          "table",
          null,
          h("caption", { class: "visually-hidden" }, t("Moves in your games")),
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ...[t("Move"), t("Times"), t("Points"), t("Chances lost")].map((text) => h("th", { scope: "col" }, text)),
            ),
          ),
          h(
            "tbody",
            null,
            ...moves.map(({ san, times, points, loss }) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, numbered(fen, san, variant)),
                h("td", null, figure(times)),
                h("td", null, pointsText(points)),
                h("td", null, `${loss.toFixed(1)} %`),
              ),
            ),
          ),
        ),
        h("p", { class: "small" }, h("a", { href: href("analyse", { variant, fen }) }, t("Open the analysis board"))),
      ),
    );
  });
}
