import type { DatabaseGames, Explored, Figures } from "../engine/answers.ts";
import { rules } from "../engine/rules.ts";
import { moveText } from "../game/movetext.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";
import type { Variant } from "../pieces/names.ts";
import { button, fill, h } from "../ui/dom.ts";
import { explored } from "./database.ts";
import { handOver } from "./handover.ts";
import { missingText } from "./missing.ts";
import { figure, t } from "../messages/messages.ts";

/** Statistics of the shown position from the database behind `rukh serve`; opening names without one. */
export class ExploreCard {
  #body = h("div", { class: "explore-body", "aria-live": "polite" });
  readonly element = h("section", { class: "card flush explore-card", "aria-label": t("Explorer") }, this.#body);
  #serial = 0;
  #abort: AbortController | null = null;

  /** `onPoint` hears which move the pointer or the focus is on. */
  constructor(
    private readonly onPlay: (uci: string) => void,
    onPoint: (uci: string | null) => void,
  ) {
    const point = (event: Event) =>
      onPoint((event.target as Element).closest("tr")?.querySelector<HTMLElement>("[data-uci]")?.dataset.uci ?? null);
    for (const name of ["pointerover", "focusin"]) this.#body.addEventListener(name, point);
    for (const name of ["pointerleave", "focusout"]) this.#body.addEventListener(name, () => onPoint(null));
  }

  show(tree: GameTree, node: TreeNode): void {
    const serial = (this.#serial += 1);
    this.#abort?.abort();
    this.#abort = new AbortController();
    void explored(tree.variant, node.fen, this.#abort.signal).then((answer) => {
      if (serial !== this.#serial) return;
      if (typeof answer === "string") this.#names(tree, node, answer);
      else this.#draw(tree, answer);
    });
  }

  /** Plays a move. */
  #button(
    move: { uci: string; san: string; thai?: string | undefined },
    variant: Variant,
    title?: string | undefined,
  ): HTMLElement {
    const onClick = () => this.onPlay(move.uci);
    return h(
      "button",
      { type: "button", class: "move", title, dataset: { uci: move.uci }, onClick },
      moveText(move, variant),
    );
  }

  #draw(tree: GameTree, found: Explored): void {
    const missing = missingText(found.missing);
    const lacks = missing && h("p", { class: "explore-note", role: "status" }, missing);
    if (found.games === 0) {
      const none = t("No game in the database has reached this position.");
      fill(this.#body, lacks, h("p", { class: "explore-note muted" }, none));
      return;
    }
    const rows = found.moves.map((move) =>
      h(
        "tr",
        null,
        h("td", null, this.#button(move, tree.variant, move.opening)),
        h("td", { class: "number" }, `${Math.round((100 * move.games) / found.games)} %`),
        h("td", { class: "number" }, figure(move.games)),
        h("td", { class: "wide" }, resultBar(move)),
        h("td", { class: "number muted" }, move.meanRating ?? ""),
        h("td", { class: "number muted" }, move.lastYear ?? ""),
      ),
    );
    fill(
      this.#body,
      lacks,
      h(
        "table",
        { class: "explore-table" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ...[t("Move"), "", t("Games"), t("White · draw · Black"), t("Rating"), t("Last")].map((text) =>
              h("th", { scope: "col" }, text || h("span", { class: "visually-hidden" }, t("Share"))),
            ),
          ),
        ),
        h("tbody", null, ...rows),
        h(
          "tfoot",
          null,
          h(
            "tr",
            null,
            h("td", null, t("All")),
            h("td"),
            h("td", { class: "number" }, figure(found.games)),
            h("td", { class: "wide" }, resultBar(found)),
            h("td", { class: "number muted" }, found.meanRating ?? ""),
            h("td", { class: "number muted" }, found.lastYear ?? ""),
          ),
        ),
      ),
      found.examples.length
        ? h(
            "ul",
            { class: "game-list examples" },
            ...found.examples.map((game) =>
              h(
                "li",
                null,
                button(
                  `${game.white} – ${game.black}  ${game.result.replace("1/2-1/2", "½–½")}  ${game.year ?? ""}`,
                  () => void this.#open(game.id, tree.variant),
                  { class: "quiet small" },
                ),
              ),
            ),
          )
        : null,
    );
  }

  async #open(id: string, variant: Variant): Promise<void> {
    const response = await fetch(`./api/games?${new URLSearchParams({ id, variant })}`);
    const answer = (await response.json()) as Partial<DatabaseGames>;
    const pgn = answer.games?.[0]?.pgn;
    if (!pgn) return;
    handOver(pgn);
    // The same address again: the view takes the game over.
    dispatchEvent(new HashChangeEvent("hashchange"));
  }

  /** Without a database: the book moves of the engine's own table of openings. */
  #names(tree: GameTree, node: TreeNode, error: string): void {
    const spec = tree.spec(node);
    const path = spec.moves;
    const here = rules().opening(spec);
    const named =
      tree.variant === "chess"
        ? tree.state(node).moves.flatMap((move) => {
            const opening = rules().opening({ ...spec, moves: [...path, move.uci] });
            return opening && opening.ply === path.length + 1 ? [{ move, opening }] : [];
          })
        : [];
    // The code of the openings grows, roughly, from odd first moves to main lines.
    named.sort((a, b) => b.opening.eco.localeCompare(a.opening.eco));
    fill(
      this.#body,
      h(
        "p",
        { class: "explore-note" },
        h("strong", null, here ? `${here.eco} ${here.name}` : named.length ? t("Openings by name") : t("Your games")),
      ),
      named.length
        ? h(
            "table",
            { class: "explore-table names" },
            h(
              "tbody",
              null,
              ...named.map(({ move, opening }) =>
                h(
                  "tr",
                  null,
                  h("td", null, this.#button(move, tree.variant)),
                  h("td", { class: "wide" }, `${opening.eco} ${opening.name}`),
                ),
              ),
            ),
          )
        : null,
      h(
        "p",
        { class: "explore-note small muted" },
        error ||
          t(
            "Game statistics appear here when the page is served by “rukh serve --db games”; “rukh db import --db games my.pgn” creates the database.",
          ),
      ),
    );
  }
}

function resultBar(totals: Figures): HTMLElement {
  const percent = (part: number) => (100 * part) / Math.max(1, totals.games);
  const part = (name: string, value: number) =>
    h(
      "span",
      { class: name, style: `width:${percent(value).toFixed(2)}%` },
      percent(value) >= 14 ? `${Math.round(percent(value))}` : "",
    );
  return h(
    "div",
    {
      class: "result-bar",
      role: "img",
      "aria-label": t("White {white} %, draws {draws} %, Black {black} %", {
        white: Math.round(percent(totals.white)),
        draws: Math.round(percent(totals.draws)),
        black: Math.round(percent(totals.black)),
      }),
    },
    part("rb-white", totals.white),
    part("rb-draw", totals.draws),
    part("rb-black", totals.black),
  );
}
