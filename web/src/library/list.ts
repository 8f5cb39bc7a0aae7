import { h } from "../ui/dom.ts";

// Rows above and below the window that are made ahead.
const SPARE = 8;

/** A list of which only the rows in sight exist. */
export class VirtualList<T> {
  #inner = h("ul", { class: "virtual-rows" });
  readonly element = h("div", { class: "virtual", tabindex: "0", role: "group" }, this.#inner);
  #items: readonly T[] = [];
  #rowHeight = 0;
  #drawn = "";
  #observer = new ResizeObserver(() => this.#draw());

  constructor(
    label: string,
    private readonly row: (item: T, index: number) => HTMLElement,
  ) {
    this.element.setAttribute("aria-label", label);
    this.element.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.#observer.observe(this.element);
  }

  leave(): void {
    this.#observer.disconnect();
  }

  show(items: readonly T[]): void {
    if (items.length !== this.#items.length || items[0] !== this.#items[0]) this.element.scrollTop = 0;
    this.#items = items;
    this.#drawn = "";
    this.#draw();
  }

  #draw(): void {
    const { clientHeight, scrollTop } = this.element;
    if (clientHeight === 0 && this.#items.length) return;
    this.#rowHeight ||= Number.parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) || 44;
    const first = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - SPARE);
    const last = Math.min(this.#items.length, Math.ceil((scrollTop + clientHeight) / this.#rowHeight) + SPARE);
    const drawn = `${first}-${last}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#inner.style.height = `${this.#items.length * this.#rowHeight}px`;
    const made = this.#items.slice(first, last).map((item, i) => {
      const element = this.row(item, first + i);
      element.style.top = `${(first + i) * this.#rowHeight}px`;
      element.setAttribute("aria-setsize", String(this.#items.length));
      element.setAttribute("aria-posinset", String(first + i + 1));
      return element;
    });
    this.#inner.replaceChildren(...made);
  }
}
