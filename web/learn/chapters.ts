import type { ChapterEntry } from "../src/learn/chapter.ts";
import { t } from "../src/messages/messages.ts";

/**
 * The chapters in reading order. Each module is loaded when its chapter is opened. To add one: write `learn/<id>.ts` with a
 * default export of type `Chapter`, and name it here. `learn/README.md` shows how.
 */
export const CHAPTERS: readonly ChapterEntry[] = [
  {
    id: "bitboards",
    title: t("Bitboards"),
    summary: t("A set of squares is one number, and one instruction moves a whole army."),
    picture: 0xa5ff7e3c3c3c7effn,
    load: () => import("./bitboards.ts"),
  },
  {
    id: "moves",
    title: t("Moves and attacks"),
    summary: t("What a piece attacks, where it could go, and why it may not."),
    picture: 0x0014220822140000n,
    load: () => import("./moves.ts"),
  },
  {
    id: "zobrist",
    title: t("Zobrist keys"),
    summary: t("A 64-bit name for every position, kept up to date by XOR."),
    picture: 0x4ba6699a65d42a4dn,
    load: () => import("./zobrist.ts"),
  },
  {
    id: "search",
    title: t("Search"),
    summary: t("Alpha-beta on a small tree, then the real one."),
    picture: 0x181824665adb99a5n,
    load: () => import("./search.ts"),
  },
  {
    id: "ordering",
    title: t("Which move first"),
    summary: t("Why a move is tried before another: the stages of the order, for any position."),
    picture: 0x0103070f1f3f7fffn,
    load: () => import("./ordering.ts"),
  },
  {
    id: "quiescence",
    title: t("Quiescence"),
    summary: t("What the horizon hides, and how captures are played out."),
    picture: 0x00003c7e7e3c0000n,
    load: () => import("./quiescence.ts"),
  },
  {
    id: "table",
    title: t("The transposition table"),
    summary: t("What the search remembers, and where it looks it up."),
    picture: 0x5affb4ff2dffd6ffn,
    load: () => import("./table.ts"),
  },
  {
    id: "evaluation",
    title: t("Evaluation"),
    summary: t("Who is better, and what each piece is worth here."),
    picture: 0xc0c0d8d8d9dbdbffn,
    load: () => import("./evaluation.ts"),
  },
  {
    id: "code",
    title: t("A position in 64 bits"),
    summary: t("Every position a number of its own, and back again."),
    picture: 0x00db99007e0099dbn,
    load: () => import("./code.ts"),
  },
  {
    id: "perft",
    title: t("Perft lab"),
    summary: t("Counting every line proves that the rules are right."),
    picture: 0xff5533110f050301n,
    load: () => import("./perft.ts"),
  },
  {
    id: "counting",
    title: t("Counting in Makruk"),
    summary: t("Mate in time or draw: the count, with exact tables."),
    picture: 0x183c183c7e3c7effn,
    load: () => import("./counting.ts"),
  },
];
