import { rules } from "../../engine/rules.ts";
import { t } from "../../messages/messages.ts";
import { VARIANTS } from "../../pieces/names.ts";
import type { Puzzle } from "./puzzle.ts";

// docs/formats/puzzles.md
const HEAD = "code,variant,fen,moves,themes,difficulty,depth,nodes,points,second,source";
export const MOST_BYTES = 64 << 20;
const MOST_PUZZLES = 200_000;
const MOST_MOVES = 39;
// So many are read before the page may do something else.
const STEP = 200;

/** Reads a file of puzzles, all of it or nothing; `hear` is told how far it is. */
export async function readPuzzles(text: string, hear: (done: number, total: number) => void): Promise<Puzzle[]> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines[0] !== HEAD)
    throw new Error(t("This is not a puzzle file: “rukh puzzles games.pgn --out FILE” makes one."));
  while (lines.at(-1) === "") lines.pop();
  const total = lines.length - 1;
  if (total > MOST_PUZZLES) throw new Error(t("There are more than {n} puzzles.", { n: MOST_PUZZLES }));
  const puzzles = new Map<string, Puzzle>();
  for (let i = 1; i < lines.length; i += 1) {
    const puzzle = readPuzzle(lines[i]!);
    if (typeof puzzle === "string") throw new Error(t("Line {n}: {why}", { n: i + 1, why: puzzle }));
    puzzles.set(puzzle.id, puzzle);
    if (i % STEP === 0) {
      hear(i, total);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  return [...puzzles.values()];
}

/** The names of the puzzles in a file, without reading more of them. */
export const puzzleIds = (text: string): string[] =>
  [...text.matchAll(/^([^,\n]+),([^,\n]+),.*$/gm)].slice(1).map(([, code, variant]) => `${variant}:${code}`);

/** A row of the file, or what is wrong with it. */
function readPuzzle(line: string): Puzzle | string {
  const fields = line.split(",");
  const [code = "", name, fen = "", moves = "", themes = "", difficulty = ""] = fields;
  const wrong = (field: string) => t("{field} is missing or wrong", { field });
  if (fields.length < 11) return t("it has too few fields");
  if (!/^[0-9a-z_~-]{13,40}$/i.test(code)) return wrong("code");
  const variant = VARIANTS.find((variant) => variant === name);
  if (!variant) return wrong("variant");
  const check = rules().checkFen(variant, fen);
  if (!check.ok) return `${wrong("fen")}: ${check.reason}`;
  const solution = moves.split(" ");
  const legal = solution.length % 2 === 1 && solution.length <= MOST_MOVES;
  if (!legal || rules().line({ variant, fen: check.fen }, solution).error) return wrong("moves");
  const names = themes.split(" ").filter(Boolean);
  if (!names.every((theme) => /^[a-zA-Z]{1,30}$/.test(theme)) || names.length > 20) return wrong("themes");
  if (!/^\d{1,5}$/.test(difficulty)) return wrong("difficulty");
  const source = fields.slice(10).join(",").replace(/^"|"$/g, "").replaceAll('""', '"').slice(0, 300);
  return {
    id: `${variant}:${code}`,
    variant,
    fen: check.fen,
    moves: solution,
    themes: names,
    difficulty: Number(difficulty),
    source,
  };
}
