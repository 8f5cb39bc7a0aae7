/** Position codes: every legal position as a short text, and back. See docs/formats/position-code.md. */

import { createRules, specOf } from "./rules.js";
import type { PositionCode, PositionSpec, Rules, RulesOptions, Variant } from "./types.js";

let loading: Promise<Rules> | undefined;

/** The models are a megabyte and in a module of their own, which is loaded with the first code. */
async function codec(options: RulesOptions): Promise<Rules> {
  loading ??= createRules({ ...options, module: "learn" });
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

/**
 * The code of a position, without any table: its `text` has 13 characters where 63 bits hold it, 14 to 35 where not. A string is a FEN, or
 * "startpos", of this variant; an object says its own.
 */
export async function encode(
  position: PositionSpec | string,
  variant: Variant = "chess",
  options: RulesOptions = {},
): Promise<PositionCode> {
  return (await codec(options)).ask({ ask: "encode", variant, ...specOf(position) });
}

/**
 * The FEN of a code: what `encode` gave, its text, or its number, as a `bigint` or in decimal (with a sign if it has more than twelve digits).
 * Rejects with what is wrong with it.
 */
export async function decode(
  code: PositionCode | string | bigint,
  variant: Variant = "chess",
  options: RulesOptions = {},
): Promise<string> {
  const number = (value: bigint) => `${value < 0n ? "" : "+"}${value}`;
  const text = typeof code === "bigint" ? number(code) : typeof code === "object" ? code.text : code;
  return (await codec(options)).ask({ ask: "decode", variant, code: text }).fen;
}

/** n over k: how many sets of k squares there are among n. */
export function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let result = 1n;
  for (let i = 1n; i <= BigInt(Math.min(k, n - k)); i += 1n) result = (result * (BigInt(n) - i + 1n)) / i;
  return result;
}

/** The squares of a set, lowest first. */
function squares(set: bigint): bigint[] {
  return Array.from({ length: 64 }, (_, square) => BigInt(square)).filter((square) => (set >> square) & 1n);
}

/** The number of a set of squares (bit 0 is a1) among the sets of its size within `free`; `null` if it is no part of it. */
export function rank(set: bigint, free: bigint): bigint | null {
  if (set & ~free) return null;
  const places = squares(free);
  return squares(set).reduce((sum, square, at) => sum + choose(places.indexOf(square), at + 1), 0n);
}

/** The inverse of `rank`: the set of `size` squares of `free` with this number; `null` if there are not so many. */
export function unrank(number: bigint, size: number, free: bigint): bigint | null {
  const places = squares(free);
  if (number < 0n || number >= choose(places.length, size)) return null;
  let [set, left, top] = [0n, number, places.length];
  for (let k = size; k > 0; k -= 1) {
    do top -= 1;
    while (choose(top, k) > left);
    left -= choose(top, k);
    set |= 1n << places[top]!;
  }
  return set;
}
