import type { Kept, Saved } from "../library/db.ts";
import { type Lineage, grown } from "../library/lineage.ts";
import type { Row } from "../library/rows.ts";
import { type Slot, leftBehind, orphans, parkSlot, writeSlot } from "./slot.ts";
import { reason, t } from "../messages/messages.ts";

/** What is needed of the library. */
export interface Keeping {
  save(kept: Kept, rev: number, lineage: Lineage): Promise<Saved>;
  get(id: string): Promise<(Kept & { row: Row }) | null>;
  listen(hear: (ids: readonly string[]) => void): () => void;
}

/** A game on the board as the library knows it. */
export interface Document {
  id: string;
  rev: number;
  /** Counts the changes; what was written is compared with it. */
  changes: number;
  saved: number;
  review: unknown;
  /** Whose changes are counted here, and what they were made to. */
  writer: string;
  lineage: Lineage;
}

/** A game that the library is to have, or not before somebody changes it. */
export function newDocument(slot?: Slot): Document {
  return {
    id: slot?.id || crypto.randomUUID(),
    rev: slot?.rev ?? 0,
    changes: slot?.dirty ? 1 : 0,
    saved: 0,
    review: slot?.review ?? null,
    writer: crypto.randomUUID().slice(0, 8),
    lineage: slot?.lineage ?? [],
  };
}

export const lineageOf = ({ lineage, writer, changes }: Document): Lineage => grown(lineage, [writer, changes]);

const isDirty = (document: Document): boolean => document.changes !== document.saved;

function slotOf(document: Document, text: Text): Slot {
  const { id, rev, review } = document;
  return { id, rev, dirty: isDirty(document), ...text(), review, at: Date.now(), lineage: lineageOf(document) };
}

type Text = () => { pgn: string; path: readonly string[] };

/** Brings games into the library, one writing after the other, and what dead tabs left behind. */
export class Keeper {
  #writing: Promise<void> | null = null;
  #told = false;
  #leftBehind = leftBehind();
  #recovery: Promise<void> = Promise.resolve();
  /** The writings that were made of what was left behind: whoever has it on the board builds upon them. */
  #recovered = new Map<string, number>();
  /** What is on the board, with its text. */
  #current: { document: Document; text: Text } | null = null;

  constructor(
    private readonly open: () => Promise<Keeping>,
    private readonly warn: (text: string) => void,
  ) {}

  /** Writes the slot at once, and the library as soon as it can. `text` is asked for when it is needed. */
  keep(document: Document, text: Text): void {
    const last = this.#current;
    this.#current = { document, text };
    if (last && last.document !== document && isDirty(last.document)) {
      const forget = parkSlot(slotOf(last.document, last.text));
      void this.#save(last.document, last.text).then(() => !isDirty(last.document) && forget());
    }
    writeSlot(slotOf(document, text));
    if (isDirty(document)) void this.#save(document, text);
  }

  /** Resolves when all that was given is in the library. */
  async idle(): Promise<void> {
    await this.#recovery;
    await null;
    while (this.#writing) await this.#writing;
  }

  async #save(document: Document, text: Text): Promise<void> {
    // Whoever waits here writes the newest state when it is its turn.
    await this.#recovery;
    while (this.#writing) await this.#writing;
    if (!isDirty(document)) return;
    document.rev = Math.max(document.rev, this.#recovered.get(document.id) ?? 0);
    const { changes, id, rev, review } = document;
    const { pgn, path } = text();
    const lineage = lineageOf(document);
    this.#writing = (async () => {
      try {
        const library = await this.open();
        const saved = await library.save({ id, pgn, path, ...(review ? { review } : {}) }, rev, lineage);
        Object.assign(document, { id: saved.id, rev: saved.rev, saved: changes });
        if (saved.copied) this.warn(t("Another tab has changed this game: your version is saved as a separate game."));
        void this.#askToStay();
      } catch (error) {
        if (!this.#told) this.warn(t("The library cannot be written: {why}", { why: reason(error) }));
        this.#told = true;
        // The slot has it; another try comes with the next change.
        throw error;
      } finally {
        this.#writing = null;
      }
    })().catch(() => undefined);
    await this.#writing;
    if (this.#current?.document === document) writeSlot(slotOf(document, text));
  }

  /** Takes over what was left by tabs that were closed or killed before the library had it. Nothing is written before. */
  recover(): Promise<number> {
    const recovered = this.#recover();
    this.#recovery = recovered.then(
      () => undefined,
      () => undefined,
    );
    return recovered;
  }

  async #recover(): Promise<number> {
    let count = 0;
    for (const { slot, done } of await orphans(this.#leftBehind)) {
      if (slot.dirty) {
        const library = await this.open();
        const id = slot.id || crypto.randomUUID();
        const saved = await library.save({ id, pgn: slot.pgn, path: slot.path }, slot.rev, slot.lineage);
        if (!saved.copied) this.#recovered.set(id, saved.rev);
        count += 1;
      }
      done();
    }
    return count;
  }

  #asked = false;
  /** Games of one's own are not to be thrown away when the disk fills up. */
  async #askToStay(): Promise<void> {
    if (this.#asked) return;
    this.#asked = true;
    const storage = globalThis.navigator?.storage as StorageManager | undefined;
    if (!(await storage?.persisted?.())) await storage?.persist?.();
  }
}
