import { loadRules } from "../engine/rules.ts";
import { button, fill, h, icon } from "../ui/dom.ts";
import { installNotices, notice } from "../ui/notice.ts";
import { type Route, type View, currentRoute } from "./router.ts";
import { load, set, settings } from "./settings.ts";
import { addForms, addMessages, reason, t } from "../messages/messages.ts";

/** A part of the page: its address, its tab and how its view is made. */
interface Section {
  readonly path: string;
  readonly title: string;
  readonly icon: Parameters<typeof icon>[0];
  /** Sections with the same group share one view and only change its address. */
  readonly group: string;
  /** Loads the code of its view, while the rules are being loaded too. */
  load(): Promise<new (route: Route) => View>;
}

/** Windows that most visits never open are loaded when somebody does. */
const openSettings = () => open(async () => (await import("./preferences.ts")).openSettings());
const openShortcuts = () => open(async () => (await import("./shortcuts.ts")).openShortcuts());
const open = (load: () => Promise<void>) => void load().catch((error: unknown) => notice(reason(error), "warn"));

const study = async () => (await import("../study/view.ts")).StudyView;

const SECTIONS: readonly Section[] = [
  {
    path: "play",
    title: t("Play"),
    icon: "play",
    group: "play",
    load: async () => (await import("../play/view.ts")).PlayView,
  },
  { path: "analyse", title: t("Analyse"), icon: "analyse", group: "study", load: study },
  { path: "review", title: t("Review"), icon: "review", group: "study", load: study },
  { path: "explore", title: t("Explore"), icon: "explore", group: "study", load: study },
  {
    path: "library",
    title: t("Library"),
    icon: "library",
    group: "library",
    load: async () => (await import("../library/view.ts")).LibraryView,
  },
  {
    path: "coach",
    title: t("Coach"),
    icon: "coach",
    group: "coach",
    load: async () => {
      await addMessages("coach");
      await addMessages("cards");
      return (await import("../coach/view.ts")).CoachView;
    },
  },
  {
    path: "learn",
    title: t("Learn"),
    icon: "learn",
    group: "learn",
    load: async () => {
      await addMessages("learn");
      return (await import("../learn/view.ts")).LearnView;
    },
  },
];

const REST_MS = 2000;

const carriesFiles = ({ dataTransfer }: DragEvent): boolean =>
  [...(dataTransfer?.items ?? [])].some(({ kind }) => kind === "file");

/** Header, tabs and the place where views come and go. */
export class Shell {
  #main = h("main", { id: "main", tabindex: "-1" });
  #tabs = new Map<string, HTMLAnchorElement>();
  #view: View | null = null;
  #group = "";
  #serial = 0;
  #wentOn = false;

  start(): void {
    const nav = h("nav", { class: "tabs", "aria-label": t("Sections") });
    for (const section of SECTIONS) {
      const tab = h("a", { href: `#/${section.path}` }, icon(section.icon), h("span", null, section.title));
      this.#tabs.set(section.path, tab);
      nav.append(tab);
    }
    const brand = h(
      "a",
      { class: "brand", href: "#/play", "aria-label": "Rukh" },
      h("span", {
        html: `<img src="./icon.svg" width="28" height="28" alt="" style="display:block;border-radius:6px">`,
      }),
      "Rukh",
    );
    const theme = button(
      t("Light or dark"),
      () => set("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      { icon: "sun", hideLabel: true, class: "quiet" },
    );
    const sound = button(
      t("Sound"),
      () => {
        set("sound", !settings.sound);
        sound.replaceChildren(icon(settings.sound ? "sound" : "mute"));
        sound.setAttribute("aria-pressed", String(settings.sound));
      },
      { icon: settings.sound ? "sound" : "mute", hideLabel: true, class: "quiet", pressed: settings.sound },
    );
    const tools = h(
      "div",
      { class: "shell-tools" },
      sound,
      theme,
      button(t("Keyboard shortcuts"), () => openShortcuts(), {
        icon: "help",
        hideLabel: true,
        class: "quiet",
        key: "?",
      }),
      button(t("Settings"), () => openSettings(), { icon: "gear", hideLabel: true, class: "quiet" }),
    );
    document.body.append(
      h(
        "a",
        {
          class: "skip",
          href: "#main",
          onClick: (event: Event) => {
            event.preventDefault();
            this.#main.focus();
          },
        },
        t("Skip to the board"),
      ),
      h("header", { class: "shell-head" }, brand, nav, tools),
      this.#main,
    );
    installNotices();
    addEventListener("hashchange", () => void this.#show());
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
    addEventListener("drop", (event) => this.#drop(event));
    void this.#show();
  }

  async #show(): Promise<void> {
    const route = currentRoute();
    // A position by its code is looked at where positions are.
    const path = route.path[0] === "p" ? "analyse" : (route.path[0] ?? "play");
    const section = SECTIONS.find((candidate) => candidate.path === path) ?? SECTIONS[0]!;
    for (const [path, tab] of this.#tabs) {
      if (path === section.path) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    document.title = `${section.title} – Rukh`;
    if (this.#view && this.#group === section.group) {
      this.#view.update?.(route);
      return;
    }
    const serial = ++this.#serial;
    this.#view?.leave?.();
    this.#view = null;
    this.#group = section.group;
    fill(this.#main, h("div", { class: "loading", role: "status" }, t("Loading the engine …")));
    try {
      const forms = section.group === "play" ? undefined : addForms();
      const [SectionView] = await Promise.all([section.load(), loadRules(), forms]);
      if (serial !== this.#serial) return;
      this.#view = new SectionView(route);
      fill(this.#main, this.#view.element);
      document.documentElement.dataset.ready = section.path;
      performance.mark("rukh-ready");
      this.#goOn();
    } catch (error) {
      if (serial === this.#serial) fill(this.#main, this.#failure(error));
    }
  }

  /** What somebody has left running in the background goes on; a page that opens has other things to do first. */
  #goOn(): void {
    if (this.#wentOn || !load<{ running?: boolean }>("rukh.coach")?.running) return;
    this.#wentOn = true;
    setTimeout(
      () => void import("../coach/running.ts").then(({ reviewQueue }) => reviewQueue()).catch(() => undefined),
      REST_MS,
    );
  }

  #failure(error: unknown): HTMLElement {
    return h(
      "div",
      { class: "card", role: "alert", style: "max-width:36rem;margin:10vh auto" },
      h("h1", null, t("The engine did not load")),
      h("p", { class: "muted", style: "margin:10px 0" }, error instanceof Error ? error.message : String(error)),
      button(t("Try again"), () => location.reload(), { class: "primary" }),
    );
  }

  /** Files that the section in sight does not take itself go into the library; the browser would leave the page for them. */
  #drop(event: DragEvent): void {
    if (event.defaultPrevented || !carriesFiles(event)) return;
    event.preventDefault();
    const files = [...event.dataTransfer!.files];
    open(async () => (await import("../library/loading.ts")).importFiles(files));
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    if (target.closest("input, textarea, select, [contenteditable], dialog")) return;
    // These keys belong to the control that has the focus.
    if ((event.key === " " || event.key === "Enter") && target.closest("a, button, summary")) return;
    if (event.key === "?") {
      openShortcuts();
      event.preventDefault();
    } else if (this.#view?.key?.(event)) {
      event.preventDefault();
    }
  }
}
