import { ALL_64 } from "./common.ts";
import { t } from "../src/messages/messages.ts";

/**
 * A small calculator for sets of squares: `(P << 8) & ~occ`. Nothing is ever executed: the text is cut into tokens, parsed
 * by the precedence of Rust (`~`, then `-`, shifts, `&`, `^`, `|`) and computed in 64 bits.
 */
export interface Names {
  /** A set by its name; undefined when there is none. */
  set(name: string): bigint | undefined;
  /** A function of one or two sets; undefined when there is none. */
  call(name: string, values: readonly bigint[]): bigint | undefined;
}

const TOKEN = /\s*(0x[0-9a-f_]+|0b[01_]+|\d+|<<|>>|[~&|^()\-,]|[a-z_][a-z0-9_]*)/iy;
const LEVELS: readonly (readonly string[])[] = [["|"], ["^"], ["&"], ["<<", ">>"], ["-"]];
const MAX_LENGTH = 400;

/** Computes an expression, or throws an error whose message says what is wrong. */
export function compute(text: string, names: Names): bigint {
  if (text.length > MAX_LENGTH) throw new Error(t("At most {n} characters, please.", { n: MAX_LENGTH }));
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(t("“{text}” means nothing here.", { text: text.slice(start).trim()[0]! }));
    tokens.push(match[1]!);
  }
  if (tokens.length === 0) throw new Error(t("Write an expression, for example (P << 8) & ~occ."));
  let at = 0;
  const take = (): string => {
    const token = tokens[at];
    if (token === undefined) throw new Error(t("The expression ends too early."));
    at += 1;
    return token;
  };
  const expect = (wanted: string) => {
    const found = tokens[at];
    if (found !== wanted)
      throw new Error(
        found === undefined
          ? t("“{text}” is missing at the end.", { text: wanted })
          : t("“{text}” was expected before “{found}”.", { text: wanted, found }),
      );
    at += 1;
  };

  function binary(level: number): bigint {
    if (level === LEVELS.length) return unary();
    let value = binary(level + 1);
    while (LEVELS[level]!.includes(tokens[at] ?? "")) value = apply(take(), value, binary(level + 1));
    return value;
  }

  function unary(): bigint {
    const token = take();
    if (token === "~") return ALL_64 ^ unary();
    if (token === "(") {
      const value = binary(0);
      expect(")");
      return value;
    }
    if (/^\d/.test(token)) {
      const digits = token.replaceAll("_", "");
      if (/^0[xb]$/i.test(digits)) throw new Error(t("“{text}” has no digits.", { text: token }));
      const value = BigInt(digits);
      if (value > ALL_64) throw new Error(t("{text} needs more than 64 bits.", { text: token }));
      return value;
    }
    if (!/^[a-z_]/i.test(token)) throw new Error(t("“{text}” stands where a set was expected.", { text: token }));
    if (tokens[at] === "(") {
      at += 1;
      const values = [binary(0)];
      while (tokens[at] === ",") {
        at += 1;
        values.push(binary(0));
      }
      expect(")");
      const result = names.call(token, values);
      if (result === undefined)
        throw new Error(t("There is no function “{text}” of {n} sets.", { text: token, n: values.length }));
      return result & ALL_64;
    }
    const value = names.set(token);
    if (value === undefined) throw new Error(t("There is no set called “{text}”.", { text: token }));
    return value;
  }

  const value = binary(0);
  if (at < tokens.length) throw new Error(t("“{text}” was not expected.", { text: tokens[at]! }));
  return value;
}

function apply(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "&":
      return a & b;
    case "-":
      return a & (ALL_64 ^ b);
    default:
      if (b > 63n) throw new Error(t("A shift is 0 to 63."));
      return operator === "<<" ? (a << b) & ALL_64 : a >> b;
  }
}
