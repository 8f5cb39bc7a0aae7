import "../styles/study.css";
import "../styles/learn.css";
import { createEngine } from "rukh-engine";
import "rukh-engine/learn";
import type { Engine } from "rukh-engine";
import { CHAPTERS } from "../../learn/chapters.ts";
import { type Route, type View, href, replaceAddress } from "../app/router.ts";
import { loadRules } from "../engine/rules.ts";
import { fill, h } from "../ui/dom.ts";
import type { ChapterContext, ChapterEntry } from "./chapter.ts";
import { reason, t } from "../messages/messages.ts";

/** A set of squares as a small picture: chapters are drawn with what the first of them explains. */
function bitPicture(set: bigint): string {
  const dots = Array.from({ length: 64 }, (_, square) => {
    const on = (set >> BigInt(square)) & 1n;
    return `<rect x="${(square % 8) * 10 + 1}" y="${(7 - (square >> 3)) * 10 + 1}" width="8" height="8" rx="1.5"${on ? ' class="on"' : ""}/>`;
  });
  return `<svg viewBox="0 0 80 80" aria-hidden="true">${dots.join("")}</svg>`;
}

/** The table of contents and the frame around a chapter. */
export class LearnView implements View {
  readonly element = h("div", { class: "learn" });
  #serial = 0;
  #leave: (() => void)[] = [];

  constructor(route: Route) {
    this.update(route);
  }

  update(route: Route): void {
    this.leave();
    const at = CHAPTERS.findIndex((chapter) => chapter.id === route.path[1]);
    if (at < 0) this.#contents(route.path[1]);
    else void this.#chapter(CHAPTERS[at]!, at, route);
  }

  leave(): void {
    this.#serial += 1;
    for (const callback of this.#leave.splice(0)) callback();
  }

  #contents(unknown: string | undefined): void {
    fill(
      this.element,
      h(
        "header",
        { class: "lesson-head" },
        h("h1", null, t("How an engine thinks")),
        h(
          "p",
          { class: "lead" },
          t("Each chapter runs the real engine in this page: what you see is read from its own memory."),
        ),
      ),
      unknown ? h("p", { class: "error" }, t("There is no chapter “{name}”.", { name: unknown })) : null,
      h(
        "ol",
        { class: "contents" },
        ...CHAPTERS.map((chapter, i) =>
          h(
            "li",
            null,
            h(
              "a",
              { class: "card", href: href(`learn/${chapter.id}`) },
              h("span", { class: "contents-picture", html: bitPicture(chapter.picture) }),
              h(
                "span",
                { class: "contents-text" },
                h("h2", null, h("span", { class: "contents-number" }, `${i + 1} `), chapter.title),
                h("span", { class: "muted" }, chapter.summary),
              ),
            ),
          ),
        ),
      ),
    );
  }

  async #chapter(entry: ChapterEntry, at: number, route: Route): Promise<void> {
    const serial = this.#serial;
    const body = h("div", { class: "lesson-body" }, h("p", { class: "muted", role: "status" }, t("Loading …")));
    const link = (to: ChapterEntry | undefined, label: string) =>
      to && h("a", { class: "button", href: href(`learn/${to.id}`) }, `${label}: ${to.title}`);
    fill(
      this.element,
      h(
        "nav",
        { class: "crumbs small", "aria-label": t("Chapters") },
        h("a", { href: "#/learn" }, t("All chapters")),
        h("span", { class: "muted" }, ` · ${t("{at} of {n}", { at: at + 1, n: CHAPTERS.length })}`),
      ),
      h(
        "article",
        { class: "lesson" },
        h(
          "header",
          { class: "lesson-head" },
          h("h1", { tabindex: "-1" }, entry.title),
          h("p", { class: "lead" }, entry.summary),
        ),
        body,
        h(
          "footer",
          { class: "row apart lesson-foot" },
          link(CHAPTERS[at - 1], t("Previous")) ?? h("span"),
          link(CHAPTERS[at + 1], t("Next")) ?? h("span"),
        ),
      ),
    );
    document.title = `${entry.title} – Rukh`;
    scrollTo(0, 0);
    let engine: Promise<Engine> | null = null;
    // One that could not be made, or died, is tried again.
    const forget = (): void => void (engine = null);
    this.#leave.push(
      () =>
        void engine?.then(
          (made) => made.terminate(),
          () => undefined,
        ),
    );
    try {
      const [module, rules] = await Promise.all([entry.load(), loadRules()]);
      const context: ChapterContext = {
        rules,
        engine: () =>
          (engine ??= createEngine({ module: "learn", onLost: forget }).ready.catch((error: unknown) => {
            forget();
            throw error;
          })),
        query: route.query,
        setQuery: (query) => {
          if (serial === this.#serial) replaceAddress(`learn/${entry.id}`, query);
        },
        onLeave: (callback) => this.#leave.push(callback),
      };
      const parts = await module.default(context);
      if (serial === this.#serial) fill(body, ...parts);
    } catch (error) {
      if (serial === this.#serial)
        fill(
          body,
          h("p", { class: "error", role: "alert" }, t("This chapter did not load: {why}", { why: reason(error) })),
        );
    }
  }
}
