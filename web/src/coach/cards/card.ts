import type { Uci } from "rukh-engine";
import type { Variant } from "../../pieces/names.ts";

/** When a card comes back, in the terms of FSRS. Times are milliseconds since 1970. */
export interface Schedule {
  readonly due: number;
  /** Days until nine of ten would still know it. */
  readonly stability: number;
  /** 1 to 10. */
  readonly difficulty: number;
  /** Days between the last answer and `due`. */
  readonly interval: number;
  /** Which of the first short steps it is at. */
  readonly step: number;
  readonly reps: number;
  readonly lapses: number;
  /** 0 new, 1 being learned, 2 known, 3 being learned again. */
  readonly state: 0 | 1 | 2 | 3;
  readonly last: number | null;
}

/** A move that was a mistake here. */
export interface Mistake {
  readonly uci: Uci;
  /** Expected points of a hundred that it gave away. */
  readonly loss: number;
  /** What punishes it, in moves. */
  readonly line: readonly Uci[];
  /** The games of the library in which it was played. */
  readonly games: readonly string[];
  /** Why it is one, in words, where somebody has said so. */
  readonly why: string;
}

/** A position of one's openings in which masters play something else, or that they bring about and one has never met. */
export interface OpeningGap {
  readonly kind: "unusual" | "unmet";
  /** In words. */
  readonly why: string;
}

/** A position in which a mistake was made, or that one's openings lack: it comes back until the right move is known. */
export interface Card {
  /** `chess:fdc~hkv_~tog5`: the same position of several games is one card. */
  readonly id: string;
  readonly variant: Variant;
  readonly fen: string;
  /** Moves that are right; the first is the review's own. */
  readonly good: readonly Uci[];
  /** How the game would have gone on. */
  readonly line: readonly Uci[];
  /** Expected points of a hundred of the side to move with the right move. */
  readonly points: number;
  readonly mistakes: readonly Mistake[];
  /** What one's openings lack here; the right moves are those of masters then. */
  readonly gap?: OpeningGap;
  readonly made: number;
  readonly schedule: Schedule;
  /** Somebody does not want to see it; it is kept so that it is not made again. */
  readonly gone: boolean;
}

/** What a review says about a position, before there is a card. */
export type Draft = Omit<Card, "made" | "schedule" | "gone">;

/** How well a card was known. */
export type Grade = "again" | "hard" | "good";

export const NEW: Omit<Schedule, "due"> = {
  stability: 0,
  difficulty: 0,
  interval: 0,
  step: 0,
  reps: 0,
  lapses: 0,
  state: 0,
  last: null,
};

type Named = Pick<Card, "id" | "variant" | "fen">;

/** Finds the card of a position among these. An older version of the codes may have named it otherwise: it keeps that name. */
export function finder<T extends Named>(cards: ReadonlyMap<string, T>): (card: Named) => T | undefined {
  // A Makruk count is part of the position; other clocks are not.
  const place = ({ variant, fen }: Named) => {
    const fields = fen.split(" ");
    return [variant, ...fields.slice(0, variant === "makruk" && fields[3] !== "-" ? 5 : 4)].join(" ");
  };
  let places: Map<string, T> | undefined;
  return (card) => {
    const named = cards.get(card.id);
    if (named) return named;
    places ??= new Map([...cards.values()].map((known) => [place(known), known]));
    return places.get(place(card));
  };
}

/** Adds what a review has found to the card of its position, if there is one. */
export function merge(old: Card | undefined, draft: Draft, now: number): Card {
  if (!old) return { ...draft, made: now, schedule: { ...NEW, due: now }, gone: false };
  const mistakes = joinMistakes(old.mistakes, draft.mistakes);
  // What a review has found to be best stays the first answer, whatever masters play.
  if (draft.gap && old.mistakes.length)
    return { ...old, gap: draft.gap, good: [...new Set([...old.good, ...draft.good])], mistakes };
  return {
    ...old,
    ...(draft.gap && { gap: draft.gap }),
    // Answers that were found to be as good stay good.
    good: [...new Set([...draft.good, ...old.good])],
    line: draft.line,
    points: draft.points,
    mistakes,
  };
}

export function joinMistakes(old: readonly Mistake[], found: readonly Mistake[]): Mistake[] {
  const all = new Map(old.map((mistake) => [mistake.uci, mistake]));
  for (const mistake of found) {
    const known = all.get(mistake.uci);
    const games = [...new Set([...(known?.games ?? []), ...mistake.games])];
    // Of two reviews one may know the words, the other the line.
    const line = mistake.line.length ? mistake.line : (known?.line ?? []);
    all.set(mistake.uci, { ...mistake, line, games, why: mistake.why || (known?.why ?? "") });
  }
  return [...all.values()];
}

/** What a card is worth: how much was given away here, in all games together. */
export const cost = ({ mistakes }: Card): number =>
  mistakes.reduce((sum, { loss, games }) => sum + loss * Math.max(1, games.length), 0);
