/** A line that names a tag: where moves have been read before it, another game begins. */
const TAG = /^\s*\[\s*[A-Za-z0-9_]+\s+"/;
/** It begins a game even inside a comment that was never closed. */
const EVENT = /^\[Event "/;

const MOST_LINE = 4 << 20;

/** Cuts a text that comes in pieces into games, without looking at their moves. */
export class GameSplitter {
  #rest = "";
  #lines: string[] = [];
  #moves = false;
  #comment = false;

  /** Takes the next piece; gives the games that are complete now. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split("\n");
    // A line without end is no game, and must not fill the memory.
    this.#rest = lines.at(-1)!.length > MOST_LINE ? "" : lines.pop()!;
    const games: string[] = [];
    for (const line of lines) this.#line(line.endsWith("\r") ? line.slice(0, -1) : line, games);
    return games;
  }

  /** The last game. */
  end(): string[] {
    const games = this.push("\n");
    this.#close(games);
    return games;
  }

  #line(line: string, games: string[]): void {
    const tag = line.startsWith("[") || line.startsWith(" ") ? TAG.test(line) : false;
    if (tag && this.#moves && (!this.#comment || EVENT.test(line))) this.#close(games);
    if (this.#lines.length === 0 && line.trim() === "") return;
    this.#lines.push(line);
    if ((tag && !this.#comment) || line.trim() === "") return;
    this.#moves = true;
    // Brackets in a comment are words.
    for (let at = 0; at < line.length;) {
      const next = this.#comment ? line.indexOf("}", at) : line.slice(at).search(/[{;]/);
      if (next < 0) break;
      const found = this.#comment ? next : at + next;
      if (line[found] === ";") break;
      this.#comment = !this.#comment;
      at = found + 1;
    }
  }

  #close(games: string[]): void {
    const text = this.#lines.join("\n").trim();
    if (text) games.push(`${text}\n`);
    this.#lines = [];
    this.#moves = false;
    this.#comment = false;
  }
}
