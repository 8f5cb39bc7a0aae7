// Reads the page's sources for the test of its messages: which messages they ask for, and which texts are not messages.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

const ROOT = new URL("../..", import.meta.url).pathname;

/** All TypeScript files below a folder of the page. */
export const sources = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));

/** What people never read: names of classes, markup, styles. */
const SILENT_PROPS = new Set(["class", "html", "style", "dataset", "accept"]);
/** What people read or hear even if it is one word. */
const LOUD_PROPS = new Set(["spoken", "title", "aria-label", "placeholder", "alt"]);
/** Calls whose texts are for programs. */
const SILENT_CALLS =
  /(^|\.)(tag|querySelector|querySelectorAll|closest|addEventListener|load|save|matchMedia|setOption|source|presetNames)$/;
const TYPES = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);
const WORDS = /\p{L}\p{Ll}+.*\s.*\p{L}|^\s*\p{Lu}\p{Ll}/su;
const MARKUP = /^\s*[<[]|^M\d|=\"|^[\w-]+:[^ ]|^[\d/a-zA-Z]+ [wb] /;

/** What a condition may come to. */
const alternatives = (node) =>
  node.type === "ConditionalExpression"
    ? [node.consequent, node.alternate].flatMap(alternatives)
    : node.type === "LogicalExpression"
      ? alternatives(node.right)
      : [node];

/** The messages that a source asks for, and the texts in it that look as if people read them and are no messages. */
export function readSource(file, text = readFileSync(join(ROOT, file), "utf8")) {
  const keys = [];
  const bare = [];
  const at = (node) => `${file}:${text.slice(0, node.start).split("\n").length}`;
  const written = (node) =>
    node.type === "Literal" ? node.value : node.quasis.map(({ value }) => value.cooked).join("…");
  const messages = (node) => {
    if (node.type === "ConditionalExpression") return [node.consequent, node.alternate].forEach(messages);
    if (node.type === "Literal") keys.push({ key: node.value, at: at(node) });
  };
  const word = (node) => {
    for (const { value, start } of alternatives(node))
      if (typeof value === "string" && /^\p{Ll}[\p{Ll}-]{2,}$/u.test(value))
        bare.push({ text: value, at: at({ start }) });
  };
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!node || typeof node.type !== "string") return;
    if (/^Import/.test(node.type) || (/^TS/.test(node.type) && !TYPES.has(node.type))) return;
    if (node.type === "Property" && LOUD_PROPS.has(node.key.name ?? node.key.value)) word(node.value);
    if (node.type === "Property" && SILENT_PROPS.has(node.key.name ?? node.key.value)) return;
    if (node.type === "BinaryExpression" && /^[!=]==$/.test(node.operator)) return;
    if (node.type === "SwitchCase") return visit(node.consequent);
    if (node.type === "CallExpression") {
      const name = text.slice(node.callee.start, node.callee.end);
      if (name === "t" || name === "parts") {
        messages(node.arguments[0]);
        return visit(node.arguments.slice(1));
      }
      // A word alone that an element holds is read, too: `h("em", null, "legal")`.
      if (name === "h") node.arguments.slice(2).forEach(word);
      if (SILENT_CALLS.test(name))
        return visit([node.callee, ...node.arguments.filter(({ type }) => type !== "Literal")]);
    }
    if ((node.type === "Literal" && typeof node.value === "string") || node.type === "TemplateLiteral") {
      const words = written(node);
      if (WORDS.test(words) && !MARKUP.test(words)) bare.push({ text: words, at: at(node) });
    }
    for (const [name, child] of Object.entries(node)) if (name !== "key" || node.computed) visit(child);
  };
  visit(parseSync(file, text).program);
  return { keys, bare };
}
