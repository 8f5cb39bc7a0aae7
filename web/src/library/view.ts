import "../styles/study.css";
import "../styles/library.css";
import { type Route, type View, navigate } from "../app/router.ts";
import { effect } from "../app/store.ts";
import { rules } from "../engine/rules.ts";
import { findCode, readCode } from "../game/codes.ts";
import { readPosition } from "../game/positions.ts";
import { GameTree } from "../game/tree.ts";
import { VARIANT_NAMES } from "../pieces/names.ts";
import { follow } from "../study/share.ts";
import { readSlot } from "../study/slot.ts";
import { select } from "../ui/controls.ts";
import { confirm, openDialog } from "../ui/dialog.ts";
import { button, fill, h, setText } from "../ui/dom.ts";
import { announce, notice } from "../ui/notice.ts";
import { LibraryController } from "./controller.ts";
import { library } from "./db.ts";
import { droppedFiles, gameFiles } from "./dropped.ts";
import { VirtualList } from "./list.ts";
import { importFiles } from "./loading.ts";
import { askForUser } from "./users.ts";
import { playlist } from "./playlist.ts";
import { EVERYTHING, type Query, type Row, playersOf, positionKey } from "./rows.ts";
import { figure, reason, said, t } from "../messages/messages.ts";

const RESULTS = [
  ["", t("Any result")],
  ["1-0", "1–0"],
  ["0-1", "0–1"],
  ["1/2-1/2", "½–½"],
  ["*", t("Unfinished")],
] as const;

/** What was looked for last: whoever comes back from a game finds the list as it was. */
let remembered: Query = EVERYTHING;

/** All games of this browser: found, opened, put into folders, thrown away and brought back. */
export class LibraryView implements View {
  readonly element = h(
    "div",
    { class: "library" },
    h("p", { class: "loading", role: "status" }, t("Opening the library …")),
  );
  #games: LibraryController | null = null;
  #list: VirtualList<Row> | null = null;
  #effects: (() => void)[] = [];
  #left = false;
  #onPaste = (event: ClipboardEvent) => {
    if ((event.target as HTMLElement).closest("input, textarea, dialog")) return;
    const text = event.clipboardData?.getData("text") ?? "";
    const files = text.trim() ? [new File([text], "Pasted")] : [...(event.clipboardData?.files ?? [])];
    bringIn(files, false);
  };

  constructor(route: Route) {
    void this.#start(route);
  }

  async #start(route: Route): Promise<void> {
    try {
      const games = new LibraryController(await library());
      if (this.#left) return games.leave();
      this.#games = games;
      await games.read();
      if (this.#left) return;
      games.query.value = remembered;
      this.#build(games);
      if (route.query.size) this.update(route);
    } catch (error) {
      fill(
        this.element,
        h(
          "p",
          { class: "card", role: "alert" },
          t("The library cannot be opened in this browser: {why}", { why: reason(error) }),
        ),
      );
    }
  }

  update(route: Route): void {
    const [games, folder, trash] = [this.#games, route.query.get("folder"), route.query.has("trash")];
    const old = games?.query.peek();
    // Who comes to the same list again has chosen there.
    if (!games || (old?.folder === folder && old.trash === trash)) return;
    games.search({ folder, trash });
    games.selectAll(false);
  }

  leave(): void {
    this.#left = true;
    if (this.#games) remembered = this.#games.query.peek();
    document.removeEventListener("paste", this.#onPaste);
    for (const end of this.#effects) end();
    this.#games?.leave();
    this.#list?.leave();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "/") this.element.querySelector<HTMLInputElement>("input[type=search]")?.focus();
    else if (event.key === "u") void this.#games?.undo();
    else return false;
    return true;
  }

  #build(games: LibraryController): void {
    const list = new VirtualList<Row>(t("Games"), (row) => this.#row(games, row));
    this.#list = list;
    const folders = h("nav", { class: "folders", "aria-label": t("Folders") });
    const count = h("p", { class: "muted small", role: "status" });
    const all = h("input", {
      type: "checkbox",
      "aria-label": t("Select all"),
      onChange: () => games.selectAll(all.checked),
    });
    const actions = h("div", { class: "row library-actions" });
    const empty = h("div", { class: "library-empty" });
    const undo = button(t("Undo"), () => void games.undo(), { icon: "undo", key: "u", class: "small" });
    const file = h("input", {
      type: "file",
      multiple: true,
      accept: ".pgn,.epd,.txt,.gz,.zst",
      class: "visually-hidden",
      "aria-label": t("Files to import"),
      onChange: () => {
        const chosen = [...(file.files ?? [])];
        file.value = "";
        bringIn(chosen, false);
      },
    });
    const folder = h("input", {
      type: "file",
      webkitdirectory: true,
      class: "visually-hidden",
      "aria-label": t("Folder to import"),
      onChange: () => {
        const chosen = [...(folder.files ?? [])];
        folder.value = "";
        bringIn(gameFiles(chosen), true);
      },
    });
    fill(
      this.element,
      h("h1", { class: "visually-hidden" }, t("Library")),
      h(
        "aside",
        { class: "library-side" },
        folders,
        h(
          "div",
          { class: "row" },
          button(t("Import files"), () => file.click(), { icon: "upload" }),
          file,
          button(t("Import a folder"), () => folder.click(), { icon: "upload" }),
          folder,
          button(t("Games of a user"), () => void askForUser(), { icon: "download" }),
          button(t("Export all as PGN"), () => void this.#export(games, true), { icon: "download" }),
        ),
        h(
          "p",
          { class: "small muted" },
          t("Games are stored only in this browser. Drop files or folders here, or paste games."),
        ),
      ),
      h(
        "section",
        { class: "card flush library-main" },
        this.#filters(games),
        h("div", { class: "row library-bar" }, all, count, actions),
        empty,
        list.element,
      ),
    );
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      const dropped = event.dataTransfer && droppedFiles(event.dataTransfer);
      void dropped
        ?.then(({ files, folders }) => bringIn(files, folders))
        .catch((error) => notice(reason(error), "warn"));
    });
    document.addEventListener("paste", this.#onPaste);
    this.#effects = [
      effect(() => {
        const found = games.found.value;
        games.selected.value;
        empty.hidden = found.length > 0;
        list.element.hidden = !empty.hidden;
        // A list that is hidden draws nothing.
        list.show(found);
      }),
      effect(() => {
        const [found, chosen] = [games.found.value.length, games.selected.value.size];
        setText(count, chosen ? t("{n} games selected", { n: chosen }) : t("{n} games", { n: found }));
        all.checked = chosen > 0 && chosen === found;
      }),
      effect(() => {
        if (games.found.value.length === 0) fill(empty, ...this.#nothing(games, file));
      }),
      effect(() => void (undo.disabled = !games.undoable.value)),
      effect(() => fill(folders, ...this.#folders(games))),
      effect(() => fill(actions, ...this.#actions(games), undo)),
    ];
  }

  /** What to do where no game is to be seen. */
  #nothing(games: LibraryController, file: HTMLInputElement): HTMLElement[] {
    const { trash } = games.query.value;
    const { games: kept, trash: thrown } = games.counts.value;
    if (trash && thrown === 0) return [h("p", null, t("The trash is empty."))];
    if (trash || kept > 0)
      return [
        h("p", null, t("No games match your search.")),
        button(t("Show all games"), () => {
          void games.searchPosition(null);
          games.query.value = EVERYTHING;
          navigate("library");
          for (const field of this.element.querySelectorAll<HTMLInputElement | HTMLSelectElement>(
            ".library-filters .input",
          ))
            field.value = "";
        }),
      ];
    return [
      h("h2", null, t("No games yet")),
      h(
        "p",
        { class: "muted" },
        t("Games you finish in Play are saved here automatically, and so is everything you put on the analysis board."),
      ),
      h(
        "div",
        { class: "row" },
        button(t("Import PGN files"), () => file.click(), { class: "primary", icon: "upload" }),
        button(t("Play a game"), () => navigate("play"), { icon: "play" }),
        button(t("Open the analysis board"), () => navigate("analyse"), { icon: "analyse" }),
      ),
    ];
  }

  #filters(games: LibraryController): HTMLElement {
    const words = h("input", {
      class: "input",
      type: "search",
      placeholder: t("Player, opening, event, label …"),
      value: games.query.peek().words,
      "aria-label": t("Search games"),
      onInput: () => games.search({ words: words.value }),
    });
    const year = (label: string, name: "from" | "to") => {
      const field = h("input", {
        class: "input year",
        inputmode: "numeric",
        value: games.query.peek()[name],
        placeholder: name === "from" ? "1850" : "2026",
        "aria-label": label,
        onInput: () => games.search({ [name]: field.value.trim().replaceAll("-", ".") }),
      });
      return h("label", { class: "field" }, h("span", null, label), field);
    };
    const position = h("input", {
      class: "input",
      placeholder: t("FEN or code"),
      "aria-label": t("Position"),
      spellcheck: "false",
      onChange: () => void this.#position(games, position),
    });
    const more = button(
      t("Filters"),
      () => {
        const open = filters.classList.toggle("open");
        more.setAttribute("aria-expanded", String(open));
      },
      { class: "small more-filters" },
    );
    more.setAttribute("aria-expanded", "false");
    const filters = h(
      "div",
      { class: "library-filters" },
      words,
      more,
      select(t("Result"), RESULTS, games.query.peek().result, (result) => games.search({ result })),
      year(t("From"), "from"),
      year(t("To"), "to"),
      h("label", { class: "field grow" }, h("span", null, t("Position")), position),
      button(
        t("On the board"),
        () => {
          position.value = position.value ? "" : boardFen();
          void this.#position(games, position);
        },
        { class: "small", title: t("Games with the position on the analysis board; click again for all games") },
      ),
    );
    return filters;
  }

  async #position(games: LibraryController, field: HTMLInputElement): Promise<void> {
    field.removeAttribute("aria-invalid");
    if (!field.value.trim()) return games.searchPosition(null);
    const coded = findCode(field.value, "chess");
    const read = coded ? await readCode(coded.variant, coded.code) : readPosition(field.value, "chess");
    if ("error" in read) {
      field.setAttribute("aria-invalid", "true");
      notice(t("This is neither a FEN nor a position code: {why}", { why: said(read.error) }), "warn", 10);
      return;
    }
    await games.searchPosition(positionKey(rules().state({ variant: read.variant, fen: read.fen })));
  }

  #folders(games: LibraryController): HTMLElement[] {
    const { folder, trash } = games.query.value;
    const { games: kept, trash: thrown } = games.counts.value;
    const link = (name: string, count: number, query: string, here: boolean) =>
      h(
        "a",
        { href: `#/library${query}`, class: "folder", ...(here ? { "aria-current": "true" } : {}) },
        h("span", null, name),
        h("span", { class: "muted small" }, figure(count)),
      );
    return [
      link(t("All games"), kept, "", folder === null && !trash),
      ...games.folders.value.map(([name, count]) =>
        link(name, count, `?${new URLSearchParams({ folder: name })}`, folder === name && !trash),
      ),
      link(t("Trash"), thrown, "?trash", trash),
    ];
  }

  #actions(games: LibraryController): HTMLElement[] {
    const ids = () => games.chosen.map(({ id }) => id);
    const disabled = games.found.value.length === 0;
    const whole = games.selected.value.size === 0;
    const look = { class: "small" } as const;
    const acts = games.query.value.trash
      ? [
          button(t("Restore"), () => void games.restore(ids()), look),
          button(t("Delete permanently"), () => void this.#purge(games, ids()), { ...look, icon: "trash" }),
        ]
      : [
          button(
            t("Folder …"),
            () =>
              this.#ask(t("Move to a folder"), t("Folder"), games.chosen[0]?.folder ?? "", (text) =>
                games.move(ids(), text),
              ),
            look,
          ),
          button(
            t("Labels …"),
            () =>
              this.#ask(
                t("Labels, separated by commas"),
                t("Labels"),
                games.chosen[0]?.labels.join(", ") ?? "",
                (text) => games.label(ids(), text.split(",")),
              ),
            look,
          ),
          button(t("Move to trash"), () => void games.trash(ids()).then(() => announce(t("Moved to the trash"))), {
            ...look,
            icon: "trash",
          }),
        ];
    const save = button("PGN", () => void this.#export(games, false), { ...look, icon: "download" });
    // Without a choice these would change every game in sight; writing them out does no harm.
    for (const act of acts) act.disabled = disabled || whole;
    save.disabled = disabled;
    return [...acts, save];
  }

  #row(games: LibraryController, row: Row): HTMLElement {
    const box = h("input", {
      type: "checkbox",
      checked: games.selected.peek().has(row.id),
      "aria-label": t("Select {game}", { game: titleOf(row) }),
      onChange: () => games.select(row.id, box.checked),
    });
    const open = () => {
      playlist.value = games.found.peek().map(({ id }) => id);
      navigate("analyse", { game: row.id });
    };
    const title = titleOf(row);
    const event = row.event === title ? "" : row.event;
    const detail = [row.eco, row.opening, event, row.variant === "chess" ? "" : VARIANT_NAMES[row.variant]];
    return h(
      "li",
      { class: "library-row" },
      box,
      h(
        "button",
        { type: "button", class: "library-open", onClick: open },
        h(
          "span",
          { class: "library-title" },
          title,
          ...row.labels.map((label) => h("span", { class: "tag-chip" }, label)),
        ),
        h("span", { class: "library-detail small muted" }, detail.filter(Boolean).join(" · ")),
        h("span", { class: "library-result" }, row.result.replace("1/2-1/2", "½–½").replace("-", "–")),
        h(
          "span",
          { class: "library-date small muted" },
          row.date.replace(/[.?]+$/, "") || new Date(row.changed).toISOString().slice(0, 10),
        ),
      ),
    );
  }

  #ask(title: string, label: string, value: string, done: (text: string) => Promise<void>): void {
    const field = h("input", { class: "input", value, maxlength: 120, autofocus: true });
    const form = h(
      "form",
      {
        class: "stack",
        onSubmit: (event: Event) => {
          event.preventDefault();
          close();
          void done(field.value);
        },
      },
      h("label", { class: "field" }, h("span", null, label), field),
      h("div", { class: "row end" }, h("button", { type: "submit", class: "button primary" }, t("Save"))),
    );
    const { close } = openDialog(title, [form]);
  }

  async #purge(games: LibraryController, ids: readonly string[]): Promise<void> {
    const text = t("{n} games will be deleted from this browser for good.", { n: ids.length });
    if (await confirm(t("Delete permanently?"), text, t("Delete"))) await games.purge(ids);
  }

  async #export(games: LibraryController, everything: boolean): Promise<void> {
    const parts: BlobPart[] = [];
    for await (const text of games.pgn(everything ? games.all : games.chosen)) parts.push(text);
    const link = h("a", { href: URL.createObjectURL(new Blob(parts)), download: "rukh-library.pgn" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}

/** Files into the library; somebody who chose a folder without games is told so. */
function bringIn(files: readonly File[], folder: boolean): void {
  if (files.length) void importFiles(files);
  else if (folder) notice(t("There are no PGN files in this folder."), "warn", 10);
}

const titleOf = (row: Row): string => playersOf(row) || row.event || t("{n} moves", { n: Math.ceil(row.plies / 2) });

/** The position on the analysis board, as its tab left it. */
function boardFen(): string {
  const slot = readSlot();
  const game = slot ? rules().parsePgn(slot.pgn).games[0] : undefined;
  const tree = game ? GameTree.fromPgn(game) : GameTree.fresh("chess");
  return (follow(tree, slot?.path ?? []) ?? tree.root).fen;
}
