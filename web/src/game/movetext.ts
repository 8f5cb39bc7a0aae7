import { settings } from "../app/settings.ts";
import type { Variant } from "../pieces/names.ts";
import { h } from "../ui/dom.ts";

const FIGURE: Readonly<Record<string, string>> = { K: "k", Q: "q", R: "r", B: "b", N: "n" };
const MAKRUK_FIGURE: Readonly<Record<string, string>> = { K: "k", M: "m", S: "s", N: "n", R: "r" };

/** A move as it stands in lists: SAN with small drawings for its letters, or Thai notation in Makruk. */
export function moveText(move: { san: string; thai?: string | undefined }, variant: Variant): HTMLElement {
  if (variant === "makruk" && settings.makrukNotation === "thai" && move.thai)
    return h("span", { class: "san thai", lang: "th" }, move.thai);
  const makruk = variant === "makruk" && !settings.westernMakruk;
  const figures = makruk ? MAKRUK_FIGURE : FIGURE;
  if (!settings.figurines || (variant === "makruk" && !makruk)) return h("span", { class: "san" }, move.san);
  const parts: string[] = [];
  for (const char of move.san) {
    const figure = figures[char];
    parts.push(
      figure && !move.san.startsWith("O")
        ? `<svg class="figurine" viewBox="0 0 100 100" role="img" aria-label="${char}"><use href="#${makruk ? "mk" : "we"}-${figure}"/></svg>`
        : char === "<" || char === "&"
          ? ""
          : char,
    );
  }
  return h("span", { class: "san", html: parts.join("") });
}
