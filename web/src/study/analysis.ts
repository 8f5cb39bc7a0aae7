import type { Info } from "rukh-engine";
import { set, settings } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import { server } from "../engine/server.ts";
import { readPlacement } from "../board/placement.ts";
import { browserThreads, engineService } from "../engine/service.ts";
import { passed } from "../game/passing.ts";
import { scoreText } from "../game/notation.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";
import { button, h, icon, setText } from "../ui/dom.ts";
import { notice } from "../ui/notice.ts";
import { LinesCard } from "./lines.ts";
import { whiteScore, whiteShare } from "./score.ts";
import { reason, said, t } from "../messages/messages.ts";

const MOST_LINES = 5;

/** From so few men on the engine looks at Makruk's tables. */
const TABLE_MEN = 10;
/** After so long without a word the engine's silence is explained. */
const PATIENCE_MS = 500;

/** What the board should draw about the search. */
export interface AnalysisView {
  share: number;
  text: string;
}

/** The engine card: switch, number of lines, threat view, and the running search of the shown position. */
export class AnalysisCard {
  readonly lines: LinesCard;
  readonly element: HTMLElement;
  #switch: HTMLButtonElement;
  #threatButton: HTMLButtonElement;
  #count = h("output", { class: "line-count" });
  #where = button(t("Engine"), () => void this.#otherEngine(), { class: "small quiet where" });
  #threat = false;
  #at: { tree: GameTree; node: TreeNode } | null = null;
  #suspended = false;
  #patience = 0;
  // A page that nobody sees lets the machine rest.
  #onVisibility = () => {
    if (this.#suspended) return;
    if (document.hidden) void engineService.stop();
    else this.#search();
  };

  constructor(
    onPlay: (moves: readonly string[]) => void,
    private readonly onChange: (view: AnalysisView) => void,
  ) {
    this.lines = new LinesCard(onPlay);
    this.#switch = button(t("Engine"), () => this.toggle(), {
      class: "switch",
      title: t("Engine on or off (e)"),
      key: "e",
    });
    this.#threatButton = button(t("Threat"), () => this.toggleThreat(), {
      icon: "threat",
      class: "small threat",
      title: t("What would the opponent play? (x)"),
      pressed: false,
      key: "x",
    });
    const fewer = button(t("Fewer lines"), () => this.moreLines(-1), { hideLabel: true, class: "small square quiet" });
    const more = button(t("More lines"), () => this.moreLines(1), { hideLabel: true, class: "small square quiet" });
    fewer.append("−");
    more.append("+");
    this.element = h(
      "section",
      { class: "card flush engine-card", "aria-label": t("Engine") },
      h(
        "header",
        { class: "engine-head" },
        this.#switch,
        this.#where,
        h("span", { class: "grow" }),
        this.#threatButton,
        h("span", { class: "row line-stepper" }, fewer, this.#count, more),
      ),
      this.lines.element,
    );
    this.#drawHead();
    document.addEventListener("visibilitychange", this.#onVisibility);
  }

  /** Shows another position and searches it. */
  show(tree: GameTree, node: TreeNode): void {
    this.#at = { tree, node };
    this.#search();
  }

  toggle(): void {
    set("engineOn", !settings.engineOn);
    this.#search();
  }

  toggleThreat(): void {
    this.#threat = !this.#threat;
    this.#search();
  }

  moreLines(by: number): void {
    set("lines", Math.min(MOST_LINES, Math.max(1, settings.lines + by)));
    this.#search();
  }

  /** Lets another user of the engine work, then goes on. */
  suspend(on: boolean): void {
    if (this.#suspended === on) return;
    this.#suspended = on;
    if (!on) this.#search();
    else void engineService.stop();
    this.#drawHead();
  }

  /** The engine was exchanged or its settings were. */
  restart(): void {
    this.#search();
  }

  /** The evaluation and the best line, in words. */
  spoken(): string {
    const best = this.lines.best;
    if (!best) return settings.engineOn ? t("Nothing found yet.") : t("The engine is off.");
    const points = Math.round(whiteShare(best));
    const score = t("{score}, White is expected to score {points} %", { score: scoreText(whiteScore(best)), points });
    return `${score}. ${best.san.slice(0, 6).join(", ")}. ${t("Depth {depth}", { depth: best.depth })}.`;
  }

  get threat(): boolean {
    return this.#threat;
  }

  leave(): void {
    clearTimeout(this.#patience);
    document.removeEventListener("visibilitychange", this.#onVisibility);
    void engineService.stop();
    this.lines.dispose();
  }

  #drawHead(): void {
    const on = settings.engineOn && !this.#suspended;
    this.#switch.setAttribute("aria-pressed", String(on));
    this.element.classList.toggle("off", !settings.engineOn);
    this.#threatButton.setAttribute("aria-pressed", String(this.#threat));
    setText(this.#count, t("{n} lines", { n: settings.lines }));
    const threads = settings.engine === "browser" && crossOriginIsolated ? browserThreads() : 1;
    const guest = settings.engine === "computer" ? settings.guest : "";
    this.#where.replaceChildren(
      icon(settings.engine === "browser" ? "browser" : "computer"),
      guest ||
        (threads > 1 ? t("{n} threads", { n: threads }) : settings.engine === "browser" ? t("browser") : t("computer")),
    );
    this.#where.setAttribute(
      "aria-label",
      guest
        ? t("Engine on this computer: {name}", { name: guest })
        : settings.engine === "browser"
          ? t("Engine in this browser")
          : t("Engine on this computer"),
    );
    this.#where.title = t("Where the engine runs; click to change");
  }

  async #otherEngine(): Promise<void> {
    const status = await server();
    const guests = status?.engines ?? [];
    // From the browser to Rukh on this computer, to the other engines there, and back.
    const next = settings.engine === "browser" ? "" : guests[guests.indexOf(settings.guest) + 1];
    if (status && next !== undefined) {
      set("guest", next);
      set("engine", "computer");
    } else if (settings.engine === "computer") set("engine", "browser");
    else notice(t("Open this page with “rukh serve” to use this computer’s engine with all its cores."));
  }

  #search(): void {
    this.#drawHead();
    const at = this.#at;
    if (!at || this.#suspended) return;
    const { tree, node } = at;
    const state = tree.state(node);
    const first = tree.state(tree.root);
    let { fen: start, moves } = tree.spec(node);
    let message: string | null = settings.engineOn ? null : t("The engine is off.");
    if (state.ended) message = said(state.ended.text);
    if (this.#threat && !message) {
      const other = passed(tree.variant, node.fen);
      if (other === null) message = t("There is no threat to show while in check.");
      else [start, moves] = [other, []];
    }
    const ply = this.#threat ? node.ply + 1 : node.ply;
    this.lines.begin({ variant: tree.variant, start, moves, ply, first }, message);
    if (message !== null) {
      void engineService.stop();
      const known = state.ended ? endShare(state.ended.winner) : null;
      this.onChange(
        known ?? {
          share: node.eval ? rules().chances(tree.variant, node.eval).expectation : 50,
          text: node.eval ? scoreText(node.eval) : "",
        },
      );
      return;
    }
    const threat = this.#threat;
    const origin = { variant: tree.variant, start, moves, ply, first };
    clearTimeout(this.#patience);
    if (tree.variant === "makruk" && readPlacement(node.fen).size <= TABLE_MEN) {
      // The first search of an ending makes tables before it says anything.
      this.#patience = window.setTimeout(() => {
        if (this.#at?.node === node && !this.lines.best)
          this.lines.begin(origin, t("Generating the bare-Khun tablebases: this takes a few seconds, once."));
      }, PATIENCE_MS);
    }
    void engineService
      .run(
        { variant: tree.variant, start, moves, elo: null, go: { infinite: true, multipv: settings.lines } },
        (info: Info) => {
          if (this.#at?.node !== node || this.#threat !== threat) return;
          this.lines.take(info);
          // Every line has an arrow; the bar follows the first.
          const best = this.lines.best ?? info;
          this.onChange({ share: whiteShare(best), text: scoreText(whiteScore(best)) });
        },
      )
      .catch((error: unknown) => {
        if (this.#at?.node === node) this.lines.begin(origin, reason(error));
      });
  }
}

function endShare(winner: "white" | "black" | null): AnalysisView {
  return winner === null
    ? { share: 50, text: "½" }
    : winner === "white"
      ? { share: 100, text: "1–0" }
      : { share: 0, text: "0–1" };
}
