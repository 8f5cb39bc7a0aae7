import "../styles/coach.css";
import { type Route, type View, href } from "../app/router.ts";
import { effect } from "../app/store.ts";
import { fill, h } from "../ui/dom.ts";
import { type CoachTab, TABS } from "./tabs.ts";
import { figure, reason, t } from "../messages/messages.ts";

/** The Coach: a row of tabs, and the view of the one that is chosen. */
export class CoachView implements View {
  readonly element: HTMLElement;
  #body = h("div", { class: "coach-body" });
  #links = new Map<string, HTMLAnchorElement>();
  #tab = "";
  #view: View | null = null;
  #serial = 0;
  #badges: (() => void)[] = [];

  constructor(route: Route) {
    for (const { id, title, badge } of TABS) {
      const link = h("a", { href: href(`coach/${id}`) }, title);
      this.#links.set(id, link);
      if (!badge) continue;
      const due = badge();
      this.#badges.push(
        effect(() => fill(link, title, due.value > 0 && h("span", { class: "badge" }, figure(due.value)))),
      );
    }
    this.element = h(
      "div",
      { class: "coach" },
      h("h1", { class: "visually-hidden" }, t("Coach")),
      h("nav", { class: "subtabs", "aria-label": t("Coach") }, ...this.#links.values()),
      this.#body,
    );
    this.update(route);
  }

  update(route: Route): void {
    const tab = TABS.find(({ id }) => id === route.path[1]) ?? TABS[0]!;
    for (const [id, link] of this.#links) {
      if (id === tab.id) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (tab.id === this.#tab) this.#view?.update?.(route);
    else void this.#show(tab, route);
  }

  async #show(tab: CoachTab, route: Route): Promise<void> {
    this.#close();
    const serial = this.#serial;
    this.#tab = tab.id;
    fill(this.#body, h("p", { class: "muted", role: "status" }, t("Loading …")));
    try {
      const view = await tab.mount(route);
      if (serial !== this.#serial) return view.leave?.();
      this.#view = view;
      fill(this.#body, view.element);
    } catch (error) {
      if (serial === this.#serial) fill(this.#body, h("p", { class: "error", role: "alert" }, reason(error)));
    }
  }

  leave(): void {
    for (const end of this.#badges) end();
    this.#close();
  }

  #close(): void {
    this.#serial += 1;
    this.#view?.leave?.();
    this.#view = null;
  }

  key(event: KeyboardEvent): boolean {
    return this.#view?.key?.(event) ?? false;
  }
}
