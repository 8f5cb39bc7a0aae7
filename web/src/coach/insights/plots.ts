import type { Tally, TallyRow } from "rukh-engine";
import { figure, said, t } from "../../messages/messages.ts";
import { h } from "../../ui/dom.ts";

/** Rows that a plot has at most. */
const ROWS = 14;

const tenth = (value: number): string => value.toFixed(1);
const percent = (value: number | null): string => (value === null ? "–" : `${Math.round(value)} %`);

/** A circumstance as the coach calls it; ratings are numbers in any language. */
const called = (name: string): string => said(name).replace(/^(\d+) to (\d+)$/, "$1–$2");

/** The corner of a table heads nothing. */
export const headCell = (text: string): HTMLElement => (text ? h("th", { scope: "col" }, text) : h("td"));

/** A table of numbers for whoever cannot see a plot, or wants to know exactly. */
function numbers(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  return h(
    "details",
    { class: "numbers" },
    h("summary", null, t("Numbers")),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      h(
        "table",
        null,
        h("caption", { class: "visually-hidden" }, caption),
        h("thead", null, h("tr", null, ...head.map(headCell))),
        h(
          "tbody",
          null,
          ...rows.map(([name, ...rest]) =>
            h("tr", null, h("th", { scope: "row" }, name), ...rest.map((text) => h("td", null, text))),
          ),
        ),
      ),
    ),
  );
}

/** Accuracy by circumstance: a dot with its 95 % interval for each row, numbers on hover, a table below. */
export function accuracyPlot(title: string, all: readonly TallyRow[]): HTMLElement | null {
  const rows = all.filter(({ moves }) => moves > 0);
  if (rows.length === 0) return null;
  const shown = rows.slice(0, ROWS);
  const least = Math.min(...shown.map(({ accuracy, margin }) => accuracy - margin));
  const low = Math.max(0, Math.floor((least - 1) / 10) * 10);
  const place = (value: number) => `${(100 * (Math.min(100, Math.max(low, value)) - low)) / (100 - low)}%`;
  const row = (tally: TallyRow) => {
    const { accuracy, margin } = tally;
    const [from, to] = [Math.max(low, accuracy - margin), Math.min(100, accuracy + margin)];
    const name = called(tally.name);
    return h(
      "div",
      { class: "plot-row", title: hover(name, tally) },
      h("span", { class: "plot-name" }, name),
      h(
        "span",
        { class: "plot-track" },
        h("span", { class: "plot-span", style: `left:${place(from)};right:calc(100% - ${place(to)})` }),
        h("span", { class: "plot-dot", style: `left:${place(accuracy)}` }),
      ),
      h("span", { class: "plot-value" }, tenth(accuracy)),
    );
  };
  return h(
    "section",
    { class: "card plot-card" },
    h("h2", null, title),
    h("div", { class: "plot", "aria-hidden": "true" }, ...shown.map(row), scale(low)),
    numbers(
      title,
      ["", t("Accuracy"), "±", t("Moves"), t("Games"), t("Score"), "?!", "?", "??"],
      rows.map((tally) => [
        called(tally.name),
        tenth(tally.accuracy),
        tenth(tally.margin),
        figure(tally.moves),
        figure(tally.games),
        percent(tally.score),
        ...[tally.inaccuracies, tally.mistakes, tally.blunders].map(figure),
      ]),
    ),
  );
}

const scale = (low: number): HTMLElement =>
  h(
    "div",
    { class: "plot-row plot-scale" },
    h("span"),
    h("span", { class: "plot-ends" }, h("span", null, String(low)), h("span", null, "100")),
    h("span"),
  );

const hover = (name: string, { accuracy, margin, moves, games, score }: Tally): string =>
  t("{name}: accuracy {accuracy} ± {margin} in {moves} moves of {games} games, score {score}", {
    name,
    accuracy: tenth(accuracy),
    margin: tenth(margin),
    moves,
    games,
    score: percent(score),
  });

/** Values as bars from zero: name, value, what is said on hover, and how often. */
export function barPlot(
  title: string,
  head: readonly string[],
  rows: readonly { readonly name: string; readonly value: number; readonly times: number; readonly hover: string }[],
): HTMLElement | null {
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ value }) => value), 1e-9);
  return h(
    "section",
    { class: "card plot-card" },
    h("h2", null, title),
    h(
      "div",
      { class: "plot", "aria-hidden": "true" },
      ...rows
        .slice(0, ROWS)
        .map(({ name, value, hover }) =>
          h(
            "div",
            { class: "plot-row", title: hover },
            h("span", { class: "plot-name" }, name),
            h(
              "span",
              { class: "plot-track bare" },
              h("span", { class: "plot-bar", style: `width:${(100 * value) / most}%` }),
            ),
            h("span", { class: "plot-value" }, tenth(value)),
          ),
        ),
    ),
    numbers(
      title,
      head,
      rows.map(({ name, value, times }) => [name, tenth(value), figure(times)]),
    ),
  );
}
