import { decode, encode } from "rukh-engine/learn";
import { href } from "../app/router.ts";
import { reason, t } from "../messages/messages.ts";
import { VARIANTS, type Variant } from "../pieces/names.ts";

/** A position that a code means. */
export interface CodedPosition {
  readonly variant: Variant;
  readonly fen: string;
}

// Thirteen characters or more, with clocks or without, or a number.
const CODE = /^(?:[0-9a-z_~-]{13,40}(?:\.[0-9a-z_~-]+)?|[-+]?\d{1,19})$/i;
const LINK = /#\/p\/(?:([a-z0-9]+)\/)?([^\s?/]+)/i;

const variantNamed = (name: string | undefined): Variant | undefined => VARIANTS.find((variant) => variant === name);

/** The code in a text, if it is one or a link with one. A link says itself which game it is of; else it is of the one at hand. */
export function findCode(text: string, variant: Variant): { variant: Variant; code: string } | null {
  const trimmed = text.trim();
  const link = LINK.exec(trimmed);
  if (link) return { variant: variantNamed(link[1]) ?? "chess", code: link[2]! };
  return CODE.test(trimmed) ? { variant, code: trimmed } : null;
}

/** The position of a code; the error is for a person. */
export async function readCode(variant: Variant, code: string): Promise<CodedPosition | { error: string }> {
  try {
    return { variant, fen: await decode(code, variant) };
  } catch (error) {
    return { error: reason(error) };
  }
}

/** The position of an address `#/p/<code>` or `#/p/<variant>/<code>`. */
export function readCodePath(path: readonly string[]): Promise<CodedPosition | { error: string }> {
  const [first = "", second] = path;
  if (second === undefined) return readCode("chess", first);
  const variant = variantNamed(first);
  return variant
    ? readCode(variant, second)
    : Promise.resolve({ error: t("There is no game called {name}.", { name: first }) });
}

/** The code of a position: it needs no table, and so means the same everywhere. */
export async function codeOf({ variant, fen }: CodedPosition): Promise<string> {
  return (await encode({ variant, fen })).text;
}

/** The address of a position. */
export const codeHref = (variant: Variant, code: string): string =>
  href(variant === "chess" ? `p/${code}` : `p/${variant}/${code}`);
