import { h } from "../ui/dom.ts";
import { t } from "../messages/messages.ts";

const WIDTH = 600;
const HEIGHT = 120;

/** One point of the graph. */
export interface GraphPoint {
  /** White's expected points of a hundred; null where nobody has looked yet. */
  readonly share: number | null;
  readonly label: string;
  readonly judgement: "inaccuracy" | "mistake" | "blunder" | null;
}

/** The course of the game: White's share over the moves. Click, drag and arrow keys choose a move. */
export class EvalGraph {
  #svg = h("div", {
    class: "graph",
    role: "slider",
    tabindex: "0",
    "aria-label": t("Evaluation over the game"),
    "aria-valuemin": "0",
  });
  readonly element = this.#svg;
  #points: readonly GraphPoint[] = [];
  #at = 0;

  constructor(private readonly onPick: (ply: number) => void) {
    const pick = (event: PointerEvent) => {
      const box = this.#svg.getBoundingClientRect();
      const ply = Math.round(((event.clientX - box.left) / box.width) * (this.#points.length - 1));
      this.onPick(Math.max(0, Math.min(this.#points.length - 1, ply)));
    };
    this.#svg.addEventListener("pointerdown", (event) => {
      this.#svg.setPointerCapture(event.pointerId);
      pick(event);
    });
    this.#svg.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) pick(event);
    });
    this.#svg.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.onPick(Math.max(0, Math.min(this.#points.length - 1, this.#at + step)));
    });
  }

  draw(points: readonly GraphPoint[], at: number): void {
    this.#points = points;
    const x = (i: number) => (points.length > 1 ? (i * WIDTH) / (points.length - 1) : 0);
    const y = (share: number) => HEIGHT - (share / 100) * HEIGHT;
    let line = "";
    let dots = "";
    let last = -1;
    points.forEach((point, i) => {
      if (point.share === null) return;
      line += `${line ? "L" : "M"}${x(i).toFixed(1)} ${y(point.share).toFixed(1)}`;
      last = i;
      if (point.judgement)
        // Ends of lines: they stay round in a picture that is drawn out.
        for (const look of ["ring", point.judgement])
          dots += `<path class="graph-${look}" d="M${x(i).toFixed(1)} ${y(point.share).toFixed(1)}h0"/>`;
    });
    const first = points.findIndex((point) => point.share !== null);
    const area = last >= 0 ? `${line}L${x(last).toFixed(1)} ${HEIGHT}L${x(first).toFixed(1)} ${HEIGHT}Z` : "";
    this.#svg.innerHTML = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="graph-white" d="${area}"/><path class="graph-middle" d="M0 ${HEIGHT / 2}H${WIDTH}"/><path class="graph-line" d="${line}"/><path class="graph-cursor" d=""/></svg><svg class="graph-dots" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${dots}</svg>`;
    this.#svg.setAttribute("aria-valuemax", String(Math.max(0, points.length - 1)));
    this.select(at);
  }

  select(at: number): void {
    this.#at = at;
    const x = this.#points.length > 1 ? (at * WIDTH) / (this.#points.length - 1) : 0;
    this.#svg.querySelector(".graph-cursor")?.setAttribute("d", at >= 0 ? `M${x.toFixed(1)} 0V${HEIGHT}` : "");
    this.#svg.setAttribute("aria-valuenow", String(Math.max(0, at)));
    this.#svg.setAttribute("aria-valuetext", this.#points[at]?.label ?? "");
  }
}
