import type { PgnGame } from "rukh-engine";
import { href } from "../app/router.ts";
import type { RukhBoard } from "../board/board.ts";
import { rules } from "../engine/rules.ts";
import { findCode, readCode } from "../game/codes.ts";
import { commandAsPgn, epdAsPgn, looksLikePosition, readPosition } from "../game/positions.ts";
import { GameTree, type TreeNode } from "../game/tree.ts";
import type { Variant } from "../pieces/names.ts";
import { droppedFiles } from "../library/dropped.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, h } from "../ui/dom.ts";
import { notice } from "../ui/notice.ts";
import { freshGames } from "./fresh.ts";
import { readShare, shareQuery } from "./share.ts";
import { said, t } from "../messages/messages.ts";

/** Longer texts, packed files and files with many games go into the library. */
const MOST_BYTES = 2 << 20;
const NOTHING = t("No game or position was found in this text.");
const ELSEWHERE = t("This page asks no other site for games. Copy the game’s PGN there, and paste that.");

/** What was found in a text: games to choose from, what was wrong with the others, and what was odd about these. */
export interface Found {
  games: PgnGame[];
  problems: string[];
  notes: string[];
}

/** Reads a position or a PGN text. */
export function readText(text: string, variant: Variant): Found {
  const trimmed = text.trim();
  const command = commandAsPgn(trimmed, variant);
  if (command !== null && typeof command !== "string") return nothing(command.error);
  if (command === null && /^https?:\S+$/.test(trimmed) && !looksLikePosition(trimmed)) return nothing(ELSEWHERE);
  if (command === null && !trimmed.includes("\n") && looksLikePosition(trimmed)) {
    const read = readPosition(trimmed, variant);
    if ("error" in read) return nothing(read.error);
    if (!read.remarks) return alone(read);
  }
  const file = rules().parsePgn(command ?? epdAsPgn(text, variant));
  const words = (problems: typeof file.errors) =>
    problems.map((error) =>
      t("Game {game}, line {line}: {why}", { game: error.game, line: error.line, why: said(error.reason) }),
    );
  return { games: file.games, problems: words(file.errors), notes: words(file.notes) };
}

const nothing = (problem: string): Found => ({ games: [], problems: [said(problem)], notes: [] });

/** A position without moves. */
function alone({ variant, fen }: { variant: Variant; fen: string }): Found {
  return { games: [{ tags: [], result: "*", nodes: [], variant, start: fen }], problems: [], notes: [] };
}

/** A link of this page to a game: what its address says. */
const SHARED = /^\S+#\/\w+\?(\S+)$/;

/** Reads a position, its code, a link to one, or a PGN text. */
async function readAny(text: string, variant: Variant): Promise<Found> {
  const [, query] = SHARED.exec(text.trim()) ?? [];
  const shared = query ? readShare(new URLSearchParams(query)) : null;
  if (shared) return shared.error ? nothing(shared.error) : readText(shared.tree.toPgn(), variant);
  const coded = findCode(text, variant);
  if (!coded) return readText(text, variant);
  const read = await readCode(coded.variant, coded.code);
  return "error" in read ? nothing(read.error) : alone(read);
}

/** Imports and exports: paste, file, drop; FEN and PGN of what is on the board. */
export class Portal {
  constructor(
    private readonly current: () => { tree: GameTree; node: TreeNode },
    private readonly onLoad: (tree: GameTree) => void,
    private readonly board: RukhBoard,
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
      const { dataTransfer } = event;
      if (dataTransfer?.files.length) void droppedFiles(dataTransfer).then(({ files }) => this.files(files));
      else void this.take(dataTransfer?.getData("text") ?? "");
    });
  }

  /** Loads a text; several games go into the library. */
  async take(text: string, name = "Pasted"): Promise<void> {
    if (!text.trim()) return;
    if (text.length > MOST_BYTES) return many([new File([text], name)]);
    const { games, problems, notes } = await readAny(text, this.current().tree.variant);
    if (games.length > 1) return many([new File([text], name)]);
    if (games.length === 0) {
      notice(problems[0] ?? NOTHING, "warn", 10);
      return;
    }
    if (problems.length)
      notice(
        t("{bad} of {n} games could not be read. {why}", {
          bad: problems.length,
          n: problems.length + 1,
          why: problems[0]!,
        }),
        "warn",
        12,
      );
    else if (notes.length) notice(notes[0]!, "warn", 12);
    this.onLoad(treeOf(games[0]!));
  }

  /** Loads files: one small plain one as if it were pasted, anything else into the library. */
  async files(files: readonly File[]): Promise<void> {
    const [file] = files;
    if (!file) return;
    const { isPacked, textOf } = await import("../library/unpack.ts");
    if (files.length > 1 || file.size > MOST_BYTES || (await isPacked(file))) await many(files);
    else await this.take(await textOf(file), file.name);
  }

  async #animation(): Promise<void> {
    const { gameGif } = await import("../board/animation.ts");
    const { tree } = this.current();
    notice(t("Drawing the game …"), "plain", 3);
    const fens = tree.mainLine().map(({ fen, uci }) => ({ fen, uci }));
    download("game.gif", await gameGif(this.board, fens), "image/gif");
  }

  async #diagram(kind: "svg" | "png"): Promise<void> {
    const { diagramPng, diagramSvg } = await import("../board/diagram.ts");
    if (kind === "svg") download("diagram.svg", diagramSvg(this.board), "image/svg+xml");
    else download("diagram.png", await diagramPng(this.board), "image/png");
  }

  /** The window for texts in and out. */
  open(): void {
    const { tree, node } = this.current();
    const error = h("p", { class: "error", role: "alert" });
    const text = h("textarea", {
      class: "input",
      rows: 7,
      placeholder: t("Paste a FEN, a position code or a PGN here, or drop a file on the page."),
      "aria-label": t("FEN or PGN to load"),
      spellcheck: "false",
    });
    const file = h("input", {
      type: "file",
      multiple: true,
      accept: ".pgn,.epd,.fen,.txt,.gz,.zst,text/plain",
      class: "visually-hidden",
      "aria-label": t("Choose a file"),
      onChange: () => {
        void this.files([...(file.files ?? [])]);
        close();
      },
    });
    const load = async () => {
      const { games, problems } = await readAny(text.value, tree.variant);
      text.setAttribute("aria-invalid", String(games.length === 0));
      error.textContent = games.length ? "" : (problems[0] ?? NOTHING);
      if (!games.length) return;
      close();
      await this.take(text.value);
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
          button(t("Copy"), () => void copy(value), { icon: "copy", class: "small" }),
          name ? button(t("Save"), () => download(name, value), { icon: "download", class: "small" }) : null,
        ),
      );
    };
    const { close } = openDialog(
      t("Import and export"),
      [
        text,
        error,
        h(
          "div",
          { class: "row" },
          button(t("Load"), () => void load(), { class: "primary" }),
          button(t("Open a file …"), () => file.click(), { icon: "upload" }),
          file,
        ),
        h(
          "div",
          { class: "field" },
          h("span", null, t("Or start a new game of")),
          freshGames((fresh) => {
            close();
            this.onLoad(fresh);
          }),
        ),
        out(t("FEN of the board"), node.fen, 2),
        out(
          t("Link with the moves up to here"),
          new URL(href("analyse", shareQuery(tree, node)), location.href).href,
          2,
        ),
        h(
          "div",
          { class: "row" },
          button(t("Diagram (SVG)"), () => void this.#diagram("svg"), { icon: "download", class: "small" }),
          button(t("Diagram (PNG)"), () => void this.#diagram("png"), { icon: "download", class: "small" }),
          button(t("Game (animated GIF)"), () => void this.#animation(), { icon: "download", class: "small" }),
        ),
        out(t("PGN of the game"), tree.toPgn(), 8, "rukh.pgn"),
      ],
      { class: "wide" },
    );
  }
}

/** The library's code is loaded when it is wanted. */
async function many(files: readonly File[]): Promise<void> {
  const { importFiles } = await import("../library/loading.ts");
  await importFiles(files);
}

function treeOf(game: PgnGame): GameTree {
  return game.nodes.length ? GameTree.fromPgn(game) : new GameTree(game.variant, game.start);
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice(t("Copied."), "plain", 2);
  } catch {
    notice(t("The browser did not allow copying."), "warn");
  }
}

export function download(name: string, content: BlobPart, type = "application/x-chess-pgn"): void {
  const link = h("a", {
    href: URL.createObjectURL(new Blob([content], { type })),
    download: name,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
