import type { BoardState, LegalMove } from "rukh-engine";
import type { Variant } from "../pieces/names.ts";

/** Half-moves after which the book is closed, as in the program (`BookDepth`). */
export const BOOK_DEPTH = 40;

const RECORD = 16;
/** Letters by Polyglot's number; a Bia of Makruk becomes a Met. */
const PROMOTIONS = ["", "n", "b", "r", "qm"];

/** The program's own books, loaded when a game wants one. (A build names these files by their content.) */
const ADDRESSES = {
  chess: new URL("../../../crates/store/data/book.bin", import.meta.url),
  makruk: new URL("../../../crates/store/data/makruk.bin", import.meta.url),
};

const loaded = new Map<string, Promise<DataView>>();

/** The book for a variant; what could not be loaded is tried again at the next move. */
function bookFor(variant: Variant): Promise<DataView> {
  const address = ADDRESSES[variant === "makruk" ? "makruk" : "chess"].href;
  const known = loaded.get(address);
  if (known) return known;
  const book = (async () => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return new DataView(await response.arrayBuffer());
  })();
  loaded.set(address, book);
  book.catch(() => loaded.delete(address));
  return book;
}

/** The first record whose key is not smaller. */
function first(book: DataView, key: bigint): number {
  let [low, high] = [0, Math.floor(book.byteLength / RECORD)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (book.getBigUint64(middle * RECORD) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const square = (index: number): string => `${"abcdefgh"[index & 7]}${(index >> 3) + 1}`;

/** What a book in Polyglot's format knows of a position: legal moves with their weights. docs/book.md says how such a book is made. */
export function bookMoves(
  book: DataView,
  { key, moves }: Pick<BoardState, "key" | "moves">,
): { move: LegalMove; weight: number }[] {
  const wanted = BigInt(`0x${key}`);
  const found: { move: LegalMove; weight: number }[] = [];
  for (let at = first(book, wanted) * RECORD; at + RECORD <= book.byteLength; at += RECORD) {
    if (book.getBigUint64(at) !== wanted) break;
    const bits = book.getUint16(at + 8);
    const [to, from, becomes] = [square(bits & 63), square((bits >> 6) & 63), PROMOTIONS[bits >> 12] ?? ""];
    const means = (move: LegalMove) =>
      // Castling is the king taking its own rook.
      move.castle ? move.targets.includes(to) : move.to === to && fits(becomes, move.promotion);
    const move = moves.find((move) => move.from === from && means(move));
    if (move) found.push({ move, weight: book.getUint16(at + 10) });
  }
  return found;
}

const fits = (becomes: string, promotion: string | null): boolean =>
  promotion === null ? becomes === "" : becomes.includes(promotion);

/** One of them, drawn by weight with a number from 0 to 1; a weight of 0 is never drawn. */
export function drawn(found: readonly { move: LegalMove; weight: number }[], random: number): LegalMove | null {
  let ticket = random * found.reduce((sum, { weight }) => sum + weight, 0);
  for (const { move, weight } of found) {
    if (ticket < weight) return move;
    ticket -= weight;
  }
  return null;
}

/** A move of the program's own book, or none where it does not know the position or cannot be loaded. */
export async function bookMove(variant: Variant, state: BoardState): Promise<LegalMove | null> {
  try {
    return drawn(bookMoves(await bookFor(variant), state), Math.random());
  } catch {
    return null;
  }
}
