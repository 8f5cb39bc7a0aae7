import type { Messages } from "./messages.ts";

/** What is loaded with the page, and what comes with a section. */
export type Part = "page" | "learn" | "coach" | "cards";
type File = () => Promise<{ default: Messages }>;
export type Files = { readonly page: File } & { readonly [part in Part]?: File };

/**
 * The page's languages beside English by their tags, each with its files of messages. One file of everything, as `page`, is enough: a
 * message that no file has is shown in English.
 */
export const LANGUAGES = {
  th: {
    page: () => import("./th.ts"),
    learn: () => import("./th-learn.ts"),
    coach: () => import("./th-coach.ts"),
    cards: () => import("./th-cards.ts"),
  },
} satisfies Record<string, Files>;
export type Language = "en" | keyof typeof LANGUAGES;

/** What a language calls itself. */
export const nameOf = (language: Language): string =>
  new Intl.DisplayNames(language, { type: "language" }).of(language) ?? language;
