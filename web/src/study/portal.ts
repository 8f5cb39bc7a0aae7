import type { PgnGame } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import { GameTree, type TreeNode } from "../game/tree.ts";
import { VARIANTS, type Variant } from "../pieces/names.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, fill, h } from "../ui/dom.ts";
import { notice } from "../ui/notice.ts";
import { freshGames } from "./fresh.ts";

/** Larger files belong into a database (`rukh db`): each move becomes an object here. */
const MOST_BYTES = 2 << 20;

/** What was found in a text: games to choose from, and what was wrong with the others. */
export interface Found {
  games: PgnGame[];
  problems: string[];
}

/** Reads a FEN or a PGN text. */
export function readText(text: string, variant: Variant): Found {
  const trimmed = text.trim();
  if (looksLikeFen(trimmed)) {
    // Somebody who pastes a Makruk position need not say so first.
    const tried = [variant, ...VARIANTS.filter((other) => other !== variant)].map((name) => ({
      name,
      check: rules().checkFen(name, trimmed),
    }));
    const good = tried.find(({ check }) => check.ok);
    if (!good) return { games: [], problems: [tried[0]!.check.reason] };
    return { games: [{ tags: [], variant: good.name, start: good.check.fen, result: "*", nodes: [] }], problems: [] };
  }
  const file = rules().parsePgn(text);
  return {
    games: file.games,
    problems: file.errors.map((error) => `Game ${error.game}, line ${error.line}: ${error.reason}`),
  };
}

const looksLikeFen = (text: string): boolean =>
  !text.includes("\n") && /^[a-zA-Z1-8~]+(\/[a-zA-Z1-8~]+){6,}/.test(text);

/** A line for a list of games. */
export function gameTitle(game: PgnGame): string {
  const tag = (name: string) => game.tags.find(([key]) => key === name)?.[1] ?? "";
  const players = [tag("White"), tag("Black")].map((name) => name || "?").join(" – ");
  return [players, tag("Event"), tag("Date"), game.result, `${Math.max(0, game.nodes.length - 1)} moves`]
    .filter((part) => part && part !== "?" && part !== "????.??.??")
    .join(" · ");
}

/** Imports and exports: paste, file, drop; FEN and PGN of what is on the board. */
export class Portal {
  constructor(
    private readonly current: () => { tree: GameTree; node: TreeNode },
    private readonly onLoad: (tree: GameTree) => void,
  ) {}

  /** Lets files and texts be dropped on an element. */
  acceptDrops(target: HTMLElement): void {
    target.addEventListener("dragover", (event) => {
      event.preventDefault();
      target.classList.add("dropping");
    });
    target.addEventListener("dragleave", () => target.classList.remove("dropping"));
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      target.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (file) void this.#file(file);
      else this.take(event.dataTransfer?.getData("text") ?? "");
    });
  }

  /** Loads a text, asking which game if there are several. Returns what was wrong. */
  take(text: string): string[] {
    if (!text.trim() || this.#tooLong("This text", text.length)) return [];
    const { games, problems } = readText(text, this.current().tree.variant);
    if (games.length === 0) {
      const reasons = problems.length ? problems : ["There is neither a game nor a position in this text."];
      notice(reasons[0]!, "warn", 10);
      return reasons;
    }
    if (problems.length)
      notice(
        `${problems.length} of ${games.length + problems.length} games could not be read. ${problems[0]!}`,
        "warn",
        12,
      );
    if (games.length === 1) this.onLoad(treeOf(games[0]!));
    else this.#choose(games, problems);
    return problems;
  }

  async #file(file: File): Promise<void> {
    if (!this.#tooLong(file.name, file.size)) this.take(await file.text());
  }

  #tooLong(name: string, bytes: number): boolean {
    if (bytes <= MOST_BYTES) return false;
    notice(
      `${name} has ${(bytes / 1048576).toFixed(1)} MiB; up to ${MOST_BYTES >> 20} can be read here. “rukh db” reads any size.`,
      "warn",
      10,
    );
    return true;
  }

  #choose(games: readonly PgnGame[], problems: readonly string[]): void {
    const list = h("ul", { class: "game-list" });
    const draw = (filter: string) => {
      const fitting = games
        .filter((game) => gameTitle(game).toLowerCase().includes(filter.toLowerCase()))
        .slice(0, 200);
      fill(
        list,
        ...fitting.map((game) =>
          h(
            "li",
            null,
            button(
              gameTitle(game),
              () => {
                close();
                this.onLoad(treeOf(game));
              },
              { class: "quiet" },
            ),
          ),
        ),
      );
    };
    const search = h("input", {
      class: "input",
      type: "search",
      placeholder: "Player, event, year …",
      "aria-label": "Filter games",
      onInput: () => draw(search.value),
    });
    const { close } = openDialog(
      `${games.length} games`,
      [
        search,
        list,
        ...(problems.length
          ? [
              h(
                "details",
                { class: "small" },
                h("summary", null, `${problems.length} unreadable`),
                h("ul", null, ...problems.slice(0, 100).map((text) => h("li", null, text))),
              ),
            ]
          : []),
      ],
      { class: "wide" },
    );
    draw("");
  }

  /** The window for texts in and out. */
  open(): void {
    const { tree, node } = this.current();
    const error = h("p", { class: "error", role: "alert" });
    const text = h("textarea", {
      class: "input",
      rows: 7,
      placeholder: "Paste a FEN or PGN here, or drop a file on the page.",
      "aria-label": "FEN or PGN to load",
      spellcheck: "false",
    });
    const file = h("input", {
      type: "file",
      accept: ".pgn,.fen,.txt,text/plain",
      class: "visually-hidden",
      "aria-label": "Choose a file",
      onChange: () => {
        const chosen = file.files?.[0];
        if (chosen) void this.#file(chosen);
        close();
      },
    });
    const load = () => {
      const { games, problems } = readText(text.value, tree.variant);
      text.setAttribute("aria-invalid", String(games.length === 0));
      error.textContent = games.length ? "" : (problems[0] ?? "There is neither a game nor a position in this text.");
      if (!games.length) return;
      close();
      this.take(text.value);
    };
    const out = (label: string, value: string, rows: number, name?: string) => {
      const field = h("textarea", {
        class: "input",
        readonly: true,
        rows,
        value,
        spellcheck: "false",
        onFocus: () => field.select(),
      });
      return h(
        "div",
        { class: "field" },
        h("label", { class: "field" }, h("span", null, label), field),
        h(
          "div",
          { class: "row" },
          button("Copy", () => void copy(value), { icon: "copy", class: "small" }),
          name ? button("Save", () => download(name, value), { icon: "download", class: "small" }) : null,
        ),
      );
    };
    const { close } = openDialog(
      "Import and export",
      [
        text,
        error,
        h(
          "div",
          { class: "row" },
          button("Load", load, { class: "primary" }),
          button("Open a file …", () => file.click(), { icon: "upload" }),
          file,
        ),
        h(
          "div",
          { class: "field" },
          h("span", null, "Or an empty game of"),
          freshGames((fresh) => {
            close();
            this.onLoad(fresh);
          }),
        ),
        out("FEN of the board", node.fen, 2),
        out("PGN of the game", tree.toPgn(), 8, "rukh.pgn"),
      ],
      { class: "wide" },
    );
  }
}

function treeOf(game: PgnGame): GameTree {
  return game.nodes.length ? GameTree.fromPgn(game) : new GameTree(game.variant, game.start);
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice("Copied.", "plain", 2);
  } catch {
    notice("The browser did not allow copying.", "warn");
  }
}

export function download(name: string, text: string): void {
  const link = h("a", {
    href: URL.createObjectURL(new Blob([text], { type: "application/x-chess-pgn" })),
    download: name,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
