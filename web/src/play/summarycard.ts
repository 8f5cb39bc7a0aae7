import type { Level } from "rukh-engine";
import { href } from "../app/router.ts";
import { settings } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import { engineService } from "../engine/service.ts";
import { moveText } from "../game/movetext.ts";
import { moveNumber } from "../game/notation.ts";
import { VERDICT_NAMES } from "../game/signs.ts";
import { GameTree } from "../game/tree.ts";
import { library } from "../library/db.ts";
import { parts, reason, said, t } from "../messages/messages.ts";
import { timesPlayed } from "../study/database.ts";
import { keepFinished, readFinished } from "../study/keptreview.ts";
import { type ReviewResult, bestMove, reviewGame } from "../study/review.ts";
import { button, fill, h } from "../ui/dom.ts";
import { announce } from "../ui/notice.ts";
import type { PlayRecord } from "./game.ts";
import { type Phase, type Thing, levelAdvice, threeThings } from "./summary.ts";

const PHASES: Readonly<Record<Phase, string>> = {
  opening: t("the opening"),
  middle: t("the middlegame"),
  ending: t("the endgame"),
};

/** Reviews a finished game and says three things about it. The review goes to the library with the game. */
export class SummaryCard {
  readonly element = h("section", { class: "card stack summary-card", "aria-label": t("Three things") });
  #serial = 0;

  constructor(
    private readonly record: PlayRecord,
    private readonly pgn: string,
    private readonly level: Level,
  ) {
    void this.#run();
  }

  leave(): void {
    this.#serial += 1;
    void engineService.stop();
  }

  async #run(): Promise<void> {
    const serial = (this.#serial += 1);
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("Review progress") });
    fill(this.element, h("p", null, t("Reviewing your game …")), bar);
    try {
      const games = await library();
      const { kept } = this.record;
      const game = kept ? await games.get(kept.id) : null;
      const tree = GameTree.fromPgn(rules().parsePgn(game?.pgn ?? this.pgn).games[0]!);
      const result =
        readFinished(tree, game?.review) ??
        (await reviewGame(
          tree,
          engineService,
          { nodes: settings.reviewNodes, timesPlayed },
          (_, done, total) => Object.assign(bar, { max: total, value: done }),
          () => serial !== this.#serial,
        ));
      if (!result || serial !== this.#serial) return;
      if (game && !game.review) {
        const { id, pgn, path, lineage } = game;
        const saved = await games.save({ id, pgn, path, review: keepFinished(tree, result) }, game.row.rev, lineage);
        if (kept && !saved.copied) kept.rev = saved.rev;
      }
      this.#show(tree, result, levelAdvice(await games.rows(), this.level.name));
    } catch (error) {
      if (serial !== this.#serial) return;
      fill(
        this.element,
        h("p", { class: "error" }, reason(error)),
        button(t("Try again"), () => void this.#run(), { class: "small" }),
      );
    }
  }

  #show(tree: GameTree, result: ReviewResult, advice: 1 | -1 | 0): void {
    const { human, kept } = this.record;
    const things = threeThings(tree, result, human).map((thing) => h("li", null, ...this.#words(tree, result, thing)));
    fill(
      this.element,
      h("h2", null, t("Three things")),
      h("ol", { class: "stack" }, ...things),
      advice === 0
        ? null
        : h(
            "p",
            { class: "small" },
            advice > 0
              ? t("You score well against {level}: try the next level.", { level: said(this.level.name) })
              : t("{level} is hard for you now: try the level before it.", { level: said(this.level.name) }),
          ),
      kept
        ? h(
            "div",
            { class: "row" },
            h("a", { class: "button small", href: href("review", { game: kept.id }) }, t("The whole review")),
            h("a", { class: "button small quiet", href: href("coach/cards") }, t("Cards")),
          )
        : null,
    );
    announce(this.element.textContent ?? "");
  }

  /** A sentence of facts. */
  #words(tree: GameTree, { line, found, verdicts }: ReviewResult, thing: Thing): (Node | string)[] {
    const start = tree.state(tree.root);
    const move = (at: number): HTMLElement =>
      h("strong", null, `${moveNumber(at, start, true)} `, moveText(line[at + 1]!, tree.variant));
    const better = (at: number): HTMLElement | string => {
      const best = bestMove(tree, found[at]!);
      return best ? moveText(best, tree.variant) : t("unknown");
    };
    switch (thing.is) {
      case "mistake":
        return parts<Node>("{move} gave away {lost} %: {better} was better.", {
          move: move(thing.at),
          lost: Math.round(thing.loss),
          better: better(thing.at),
        });
      case "chance":
        return parts<Node>(
          "{move} was a mistake by your opponent, but your reply gave {lost} % back: {better} was the right move.",
          {
            move: move(thing.at),
            lost: Math.round(thing.loss),
            better: better(thing.at + 1),
          },
        );
      case "good":
        return parts<Node>("{move} was a good find: {verdict}.", {
          move: move(thing.at),
          verdict: t(VERDICT_NAMES[verdicts[thing.at]!]).toLowerCase(),
        });
      case "clean":
        return [t("You made no serious mistakes.")];
      case "accuracy":
        return [t("Your accuracy was {value} %.", { value: thing.value.toFixed(1) })];
      case "opening":
        return [t("You followed the book for {n} moves: {name}.", { n: thing.moves, name: thing.name })];
      case "phase":
        return [
          t("You gave away most in {phase}: {lost} % in {n} moves.", {
            phase: PHASES[thing.phase],
            lost: Math.round(thing.loss),
            n: thing.moves,
          }),
        ];
    }
  }
}
