import type { Info, Uci } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { createBoard } from "../board/board.ts";
import { parseSquare } from "../board/geometry.ts";
import type { Arrow, Tone } from "../board/layers.ts";
import { rules } from "../engine/rules.ts";
import { moveText } from "../game/movetext.ts";
import { moveNumber, scoreText, shortNumber } from "../game/notation.ts";
import type { Variant } from "../pieces/names.ts";
import { button, fill, h, setText } from "../ui/dom.ts";
import { whiteScore } from "./score.ts";
import { t } from "../messages/messages.ts";

/** Where the searched lines begin. */
export interface LineOrigin {
  readonly variant: Variant;
  readonly start: string;
  readonly moves: readonly Uci[];
  /** Plies before the lines, and who began, for move numbers. */
  readonly ply: number;
  readonly first: { fullmove: number; turn: "white" | "black" };
}

const MOST_MOVES_SHOWN = 16;
const TONES: readonly Tone[] = ["best", "second", "third"];

/** The engine's lines: scores, moves to hover and click, and figures of the search. */
export class LinesCard {
  #list = h("ol", { class: "lines", "aria-label": t("Engine lines") });
  #figures = h("p", { class: "figures muted", "aria-hidden": "true" });
  readonly element = h("div", { class: "lines-body" }, this.#list, this.#figures);
  #infos: Info[] = [];
  #origin: LineOrigin | null = null;
  #rows: string[] = [];
  /** The lines, by their place, that somebody wants to see whole. */
  #whole = new Set<number>();
  #preview = h("div", { class: "preview", hidden: true });
  #previewBoard = createBoard(t("Preview"));
  #pending = 0;

  constructor(private readonly onPlay: (moves: readonly Uci[]) => void) {
    this.#preview.append(this.#previewBoard);
    document.body.append(this.#preview);
    this.#list.addEventListener("pointerover", (event) => this.#hover(event.target as Element));
    this.#list.addEventListener("focusin", (event) => this.#hover(event.target as Element));
    this.#list.addEventListener("pointerleave", () => (this.#preview.hidden = true));
    this.#list.addEventListener("focusout", () => (this.#preview.hidden = true));
    this.#list.addEventListener("click", (event) => {
      const item = (event.target as Element).closest<HTMLElement>("[data-line]");
      if (!item) return;
      const info = this.#infos[Number(item.dataset.line)];
      this.#preview.hidden = true;
      if (info) this.onPlay(info.pv.slice(0, Number(item.dataset.ply) + 1));
    });
  }

  dispose(): void {
    this.#preview.remove();
    cancelAnimationFrame(this.#pending);
  }

  /** Begins a new position; old lines fade until new ones come. */
  begin(origin: LineOrigin, message: string | null): void {
    this.#origin = origin;
    this.#infos = [];
    this.#rows = [];
    this.#preview.hidden = true;
    this.#list.classList.add("stale");
    if (message !== null) {
      this.#list.classList.remove("stale");
      fill(this.#list, h("li", { class: "lines-message muted" }, message));
      fill(this.#figures);
    }
  }

  /** A report of the search. Drawing waits for the next frame: reports come faster than eyes. */
  take(info: Info): void {
    if (info.score.bound !== "exact" && this.#infos[info.multipv - 1]) return;
    this.#infos[info.multipv - 1] = info;
    if (!this.#pending) {
      this.#pending = requestAnimationFrame(() => {
        this.#pending = 0;
        this.#draw();
      });
    }
  }

  get best(): Info | null {
    return this.#infos[0] ?? null;
  }

  /** One arrow for each line, thinner for what is worse. */
  arrows(): Arrow[] {
    const best = this.#infos[0];
    if (!best) return [];
    const worth = (info: Info) => (info.wdl.win + info.wdl.draw / 2) / 10;
    return this.#infos
      .flatMap((info, i) => {
        const move = info?.pv[0];
        const [from, to] = [parseSquare(move?.slice(0, 2) ?? ""), parseSquare(move?.slice(2, 4) ?? "")];
        if (from === null || to === null) return [];
        const loss = Math.max(0, worth(best) - worth(info));
        return [
          {
            from,
            to,
            tone: TONES[Math.min(i, 2)]!,
            width: Math.max(0.06, 0.17 - loss * 0.006),
            opacity: i === 0 ? 0.8 : Math.max(0.3, 0.65 - loss * 0.02),
          },
        ];
      })
      .reverse();
  }

  #draw(): void {
    const origin = this.#origin;
    const best = this.#infos[0];
    if (!origin || !best) return;
    if (!this.#rows.length || this.#list.children.length !== this.#infos.length) {
      this.#list.classList.remove("stale");
      this.#rows = [];
      fill(this.#list, ...this.#infos.map((_, i) => this.#row(i)));
    }
    this.#infos.forEach((info, i) => {
      const score = whiteScore(info);
      const key = `${scoreText(score)} ${info.pv.slice(0, MOST_MOVES_SHOWN).join(" ")}`;
      const row = this.#list.children[i] as HTMLElement | undefined;
      if (!row || this.#rows[i] === key) return;
      this.#rows[i] = key;
      const better = ("mate" in score ? score.mate : score.cp) > 0;
      const thai = this.#thai(info);
      const [value, moves] = row.children as unknown as [HTMLElement, HTMLElement];
      value.className = `line-score ${better ? "white" : "black"}`;
      setText(value, scoreText(score));
      fill(
        moves,
        ...info.san.slice(0, MOST_MOVES_SHOWN).map((san, ply) => {
          const number = moveNumber(origin.ply + ply, origin.first, ply === 0);
          const move = h(
            "button",
            { type: "button", class: "pv-move", dataset: { line: i, ply } },
            moveText({ san, thai: thai[ply] }, origin.variant),
          );
          return number ? h("span", { class: "ply" }, h("span", { class: "tree-number" }, number), move) : move;
        }),
      );
    });
    const figures = t("depth {depth}   {nodes} nodes   {speed}/s   hash {hash} %", {
      depth: `${best.depth}/${best.seldepth}`,
      nodes: shortNumber(best.nodes),
      speed: shortNumber(best.nps),
      hash: (best.hashfull / 10).toFixed(0),
    });
    fill(this.#figures, ...figures.split("   ").map((part) => h("span", null, part)));
  }

  /** An empty row: score, moves, and the button that shows all of them. */
  #row(i: number): HTMLElement {
    const more = button(
      t("Whole line"),
      () => {
        if (!this.#whole.delete(i)) this.#whole.add(i);
        show();
      },
      { icon: "next", hideLabel: true, class: "quiet line-more" },
    );
    const row = h("li", null, h("span"), h("span", { class: "line-moves" }), more);
    const show = () => {
      row.classList.toggle("whole", this.#whole.has(i));
      more.setAttribute("aria-expanded", String(this.#whole.has(i)));
    };
    show();
    return row;
  }

  /** Thai notation is not part of a report: the rules write it. */
  #thai(info: Info): (string | undefined)[] {
    const origin = this.#origin;
    if (!origin || origin.variant !== "makruk" || settings.makrukNotation !== "thai") return [];
    return rules()
      .line({ variant: origin.variant, fen: origin.start, moves: origin.moves }, info.pv.slice(0, MOST_MOVES_SHOWN))
      .moves.map((move) => move.thai);
  }

  #hover(target: Element): void {
    const item = target.closest<HTMLElement>("[data-line]");
    const origin = this.#origin;
    const info = item && this.#infos[Number(item.dataset.line)];
    if (!item || !origin || !info || innerWidth < 700) {
      this.#preview.hidden = true;
      return;
    }
    const line = rules().line(
      { variant: origin.variant, fen: origin.start, moves: origin.moves },
      info.pv.slice(0, Number(item.dataset.ply) + 1),
    );
    const last = line.moves.at(-1);
    if (!last) return;
    this.#previewBoard.variant = origin.variant;
    this.#previewBoard.orientation =
      document.querySelector<HTMLElement & { orientation: "white" | "black" }>(".table rukh-board")?.orientation ??
      "white";
    this.#previewBoard.setLook({ westernPieces: settings.westernMakruk, coordinates: false });
    this.#previewBoard.setFen(last.fen, false);
    this.#previewBoard.lastMove = [parseSquare(last.from)!, parseSquare(last.to)!];
    this.#preview.hidden = false;
    const box = item.getBoundingClientRect();
    const size = this.#preview.offsetWidth;
    this.#preview.style.left = `${Math.max(8, Math.min(box.left, innerWidth - size - 8))}px`;
    this.#preview.style.top = `${box.bottom + size + 10 < innerHeight ? box.bottom + 6 : box.top - size - 6}px`;
  }
}
