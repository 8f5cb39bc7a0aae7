import { batch, computed, signal } from "../app/store.ts";
import type { Library } from "./db.ts";
import { EVERYTHING, FOLDER_TAG, LABELS_TAG, type Query, type Row, filterRows, newestFirst, textsOf } from "./rows.ts";

// A reading that took longer is followed by a rest of so many times as long.
const LONG_READING_MS = 30;
const RESTS = 8;

/** The list of games: what is looked for, what was found, what is done with it. No document. */
export class LibraryController {
  readonly #rows = signal<readonly Row[]>([]);
  readonly loaded = signal(false);
  readonly query = signal<Query>(EVERYTHING);
  /** The games that reached the position somebody asks for; null: nobody does. */
  readonly #at = signal<ReadonlySet<string> | null>(null);
  readonly selected = signal<ReadonlySet<string>>(new Set());
  readonly found = computed(() => filterRows(this.#rows.value, this.query.value, this.#at.value));
  /** Folders with the number of their games. */
  readonly folders = computed(() => {
    const counts = new Map<string, number>();
    for (const { folder, trashed } of this.#rows.value)
      if (folder && !trashed) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => a.localeCompare(b));
  });
  readonly counts = computed(() => {
    const trash = this.#rows.value.reduce((sum, { trashed }) => sum + (trashed > 0 ? 1 : 0), 0);
    return { games: this.#rows.value.length - trash, trash };
  });
  readonly undoable = signal(false);
  #undo: Row[][] = [];
  #keys: { id: string; keys: Uint32Array }[] | null = null;
  #deaf: () => void;
  #reading: Promise<void> | null = null;
  #again = false;
  /** Games that were written since the list was read. */
  #changed = new Set<string>();

  constructor(private readonly library: Library) {
    this.#deaf = library.listen((ids) => void this.read(ids));
  }

  leave(): void {
    this.#deaf();
  }

  /** Reads the list, or what has changed of it; one reading at a time. */
  read(changed: readonly string[] = []): Promise<void> {
    this.#again = true;
    for (const id of changed) this.#changed.add(id);
    this.#reading ??= (async () => {
      while (this.#again) {
        this.#again = false;
        const began = performance.now();
        const ids = new Set(this.#changed);
        this.#changed.clear();
        const rows = this.loaded.peek()
          ? [...this.#rows.peek().filter(({ id }) => !ids.has(id)), ...(await this.library.some([...ids]))]
          : await this.library.rows();
        rows.sort(newestFirst);
        this.#keys = null;
        batch(() => {
          this.#rows.value = rows;
          this.loaded.value = true;
        });
        // The first word that somebody types shall not wait for this.
        setTimeout(() => textsOf(rows), 200);
        // While a large file comes in there is something new all the time: reading must not be all that is done.
        const took = performance.now() - began;
        if (took > LONG_READING_MS) await new Promise((resolve) => setTimeout(resolve, RESTS * took));
      }
      this.#reading = null;
    })();
    return this.#reading;
  }

  search(change: Partial<Query>): void {
    this.query.value = { ...this.query.peek(), ...change };
  }

  /** Only games that reached the position with this key; null takes the wish back. */
  async searchPosition(key: number | null): Promise<void> {
    if (key === null) {
      this.#at.value = null;
      return;
    }
    this.#keys ??= await this.library.keys();
    this.#at.value = new Set(this.#keys.filter(({ keys }) => keys.includes(key)).map(({ id }) => id));
  }

  get positionAsked(): boolean {
    return this.#at.value !== null;
  }

  /** Every game that is not in the trash, whatever is looked for. */
  get all(): Row[] {
    return filterRows(this.#rows.peek(), EVERYTHING, null);
  }

  /** What the buttons act upon: the chosen games, or all that were found. */
  get chosen(): Row[] {
    const selected = this.selected.value;
    return selected.size ? this.found.value.filter(({ id }) => selected.has(id)) : this.found.value;
  }

  select(id: string, on: boolean): void {
    const next = new Set(this.selected.peek());
    if (on) next.add(id);
    else next.delete(id);
    this.selected.value = next;
  }

  selectAll(on: boolean): void {
    this.selected.value = new Set(on ? this.found.peek().map(({ id }) => id) : []);
  }

  trash(ids: readonly string[]): Promise<void> {
    const now = Date.now();
    return this.#change(ids, () => ({ trashed: now }));
  }
  restore(ids: readonly string[]): Promise<void> {
    return this.#change(ids, () => ({ trashed: 0 }));
  }
  move(ids: readonly string[], folder: string): Promise<void> {
    return this.#change(ids, () => ({ folder: folder.trim() }));
  }
  label(ids: readonly string[], labels: readonly string[]): Promise<void> {
    const wanted = labels.map((label) => label.trim()).filter(Boolean);
    return this.#change(ids, () => ({ labels: [...new Set(wanted)] }));
  }

  /** Deletes for good; only what is in the trash. */
  async purge(ids: readonly string[]): Promise<void> {
    await this.library.purge(ids);
    this.selected.value = new Set();
    this.#undo = [];
    this.undoable.value = false;
  }

  /** Takes the last change of folder, labels or trash back. */
  async undo(): Promise<void> {
    const rows = this.#undo.pop();
    this.undoable.value = this.#undo.length > 0;
    if (!rows) return;
    const before = new Map(rows.map((row) => [row.id, row]));
    await this.library.change([...before.keys()], ({ id }) => {
      const { folder, labels, trashed } = before.get(id)!;
      return { folder, labels, trashed };
    });
  }

  async #change(ids: readonly string[], change: (row: Row) => Partial<Row>): Promise<void> {
    const before = await this.library.change(ids, change);
    this.#undo.push(before);
    this.undoable.value = true;
    this.selected.value = new Set();
  }

  /** Games as one PGN, in pieces; where they were kept stands in their tags. */
  async *pgn(rows: readonly Row[]): AsyncGenerator<string> {
    for await (const { row, pgn } of this.library.texts(rows.map(({ id }) => id))) yield `${withPlace(pgn, row)}\n`;
  }
}

/** The text of a game with its folder and labels as tags. */
export function withPlace(pgn: string, { folder, labels }: Pick<Row, "folder" | "labels">): string {
  const lines = pgn
    .split("\n")
    .filter((line) => !line.startsWith(`[${FOLDER_TAG} `) && !line.startsWith(`[${LABELS_TAG} `));
  const quoted = (text: string) => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\s+/g, " ");
  const tags = [
    ...(folder ? [`[${FOLDER_TAG} "${quoted(folder)}"]`] : []),
    ...(labels.length ? [`[${LABELS_TAG} "${quoted(labels.join(", "))}"]`] : []),
  ];
  if (tags.length === 0) return lines.join("\n");
  const hasTags = lines[0]?.startsWith("[") ?? false;
  return [...tags, ...(hasTags ? [] : [""]), ...lines].join("\n");
}
