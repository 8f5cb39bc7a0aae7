// Every text of the page is a message, and every language has every message.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chooseLanguage } from "../../src/messages/messages.ts";
import english from "../../src/messages/en.ts";
import { LANGUAGES, nameOf } from "../../src/messages/languages.ts";
import thaiCoach from "../../src/messages/th-coach.ts";
import thai from "../../src/messages/th.ts";
import { readSource, sources } from "./sources.mjs";

/** What is written the same in every language, and what is written into files. */
const SAME = new Set([
  ...["English", "Rukh", "Tab", "Esc", "Space", "Shift, Alt", "Nf3, e2e4", "Sf2, e3e4", "Hash", "Threads", "Rukh: …"],
  ...[
    "Bia",
    "Met",
    "Khon",
    "Ma",
    "Rua",
    "Khun",
    "Bia-ngai",
    "BroadcastChannel",
    "Imported",
    "Pasted",
    "RukhFolder",
    "Lichess",
  ],
  ...["good capture", "bad capture", "late move", "Arrow", "Nf3 d5 d4", "rukh puzzles games.pgn --out puzzles.csv"],
  ...["alpha", "beta", "null", "pat", "divide", "hex"],
  ...["RukhLabels", '15px "Noto Sans Thai"', "translate(…px, …px)", "the rules are not loaded yet"],
]);
/** Every language's messages: what comes with the page, and what comes with a section. */
const TRANSLATIONS = await Promise.all(
  Object.entries(LANGUAGES).map(async ([name, { page, ...sections }]) => {
    const [first, ...later] = await Promise.all(
      [page, ...Object.values(sections)].map(async (file) => (await file()).default),
    );
    return { name, page: first, later: Object.assign({}, ...later) };
  }),
);
const LATER = TRANSLATIONS.find(({ name }) => name === "th").later;
/** What the coach says: its sentences, and the words that stand in them. */
const coach = (file) => readFileSync(new URL(`../../../crates/coach/src/${file}`, import.meta.url), "utf8");
const REASONS = [
  ...coach("reasons/words.rs").matchAll(/"([^"\n]+\.)"|=> "([^"\n]+)",?$/gm),
  ...coach("insights.rs").matchAll(/\(\d, "([^"\n]+)"\)|"([A-Z]\w+day)"/g),
].map(([, sentence, word]) => sentence ?? word);
/** Files whose English goes into PGN or comes from the engine; it is translated where it is shown. */
const ENGLISH = new Map([
  ["src/game/signs.ts", /./],
  ["src/play/game.ts", /./],
  ["src/play/controller.ts", /^(White|Black)$|wins|^Draw/],
  ["src/study/review.ts", /Better was/],
  ["src/study/view.ts", /^(White|Black)$/],
  ["src/study/reviewcard.ts", /^(White|Black)$/],
]);
const files = [...sources("src"), ...sources("learn")].filter((file) => !file.startsWith("src/messages/"));
/** Expressions of sets, and positions. */
const FORMULA = / << | >> | & |^rook\(| [wb] - - /;

/** The holes of a message, in any order. */
const holes = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const texts = (message) => (typeof message === "string" ? [message] : Object.values(message));

test("no text of the page is outside the messages", () => {
  const bare = files.flatMap((file) =>
    readSource(file).bare.filter(
      ({ text }) => !SAME.has(text) && !FORMULA.test(text) && !ENGLISH.get(file)?.test(text),
    ),
  );
  assert.deepEqual(bare, []);
});

test("a text outside the messages is found", () => {
  const source =
    'h("p", { class: "two words" }, "Two words", `of ${n} moves`, t("Known"), x === "Other words", h("em", null, a ? "legal" : b));';
  const { bare, keys } = readSource("made-up.ts", source);
  assert.deepEqual(bare.map(({ text }) => text), ["Two words", "of … moves", "legal"]); // prettier-ignore
  assert.deepEqual(keys.map(({ key }) => key), ["Known"]); // prettier-ignore
});

test("every message is in every language, with the same holes", () => {
  const asked = files.flatMap((file) => readSource(file).keys);
  assert.ok(asked.length > 900);
  for (const { name, page, later } of TRANSLATIONS) {
    const known = { ...page, ...later };
    for (const { key, at } of asked) assert.ok(key in known, `${at}: “${key}” is not in src/messages/${name}.ts`);
    const forms = new Intl.PluralRules(name).resolvedOptions().pluralCategories.sort();
    for (const [key, message] of Object.entries(known)) {
      const { other, ...rest } = typeof message === "string" ? { other: message } : message;
      if (typeof message !== "string") assert.deepEqual(Object.keys(message).sort(), forms, `${name}: ${key}`);
      assert.deepEqual([...new Set(holes(other))], [...new Set(holes(key))], key);
      for (const text of Object.values(rest))
        assert.ok(
          holes(text).every((hole) => holes(key).includes(hole)),
          key,
        );
    }
  }
  for (const [key, message] of Object.entries({ ...thai, ...LATER, ...english }))
    for (const text of texts(message)) {
      assert.ok(text.trim(), `“${key}” is empty`);
      for (const hole of holes(text)) assert.ok(holes(key).includes(hole), `“${key}”: {${hole}} is not in the English`);
    }
});

test("a third language is one file: its plural forms, and English where it has no words", async () => {
  LANGUAGES.pl = {
    page: async () => ({
      default: {
        Play: "Graj",
        "{n} games": { one: "{n} partia", few: "{n} partie", many: "{n} partii", other: "{n} partii" },
        "{side} wins by checkmate": "{side}: mat",
      },
    }),
  };
  globalThis.localStorage = { getItem: () => '{"language":"pl"}' };
  try {
    assert.equal(nameOf("pl"), "polski");
    // Anew, as when the page is loaded.
    const { addForms, addMessages, language, said, t } = await import("../../src/messages/messages.ts?third");
    await addMessages("learn");
    await addForms();
    assert.equal(language, "pl");
    assert.deepEqual([1, 2, 5].map((n) => t("{n} games", { n })), ["1 partia", "2 partie", "5 partii"]); // prettier-ignore
    assert.equal(said("White wins by checkmate"), "White: mat");
    assert.equal(t("Analyse"), "Analyse");
    assert.deepEqual([1, 2].map((n) => t("{n} moves", { n })), ["1 move", "2 moves"]); // prettier-ignore
  } finally {
    delete LANGUAGES.pl;
    delete globalThis.localStorage;
  }
});

test("every reason has its Thai", () => {
  assert.ok(REASONS.length > 60, String(REASONS.length));
  assert.deepEqual(REASONS.filter((text) => !(text in thaiCoach) && !(text in thai)), []); // prettier-ignore
});

test("no message is left over", () => {
  const asked = new Set([...REASONS, ...files.flatMap((file) => readSource(file).keys.map(({ key }) => key))]);
  const names = Object.keys(thai);
  // Behind this line stands what the engine says.
  const own = names.slice(0, names.indexOf("{side} wins by checkmate"));
  assert.deepEqual([...own, ...Object.keys(LATER)].filter((key) => !asked.has(key)), []); // prettier-ignore
  assert.deepEqual(Object.keys(english).filter((key) => !asked.has(key)), []); // prettier-ignore
});

test("what counts has a form for every number that English tells apart", () => {
  const forms = new Intl.PluralRules("en").resolvedOptions().pluralCategories;
  for (const [key, message] of Object.entries(english)) {
    assert.deepEqual(Object.keys(message).sort(), [...forms].sort(), key);
    assert.equal(message.other, key);
    assert.ok(key.includes("{n}"), key);
  }
});

test("the language is the chosen one, else the browser's, else English", () => {
  assert.equal(chooseLanguage("th", ["en-US"]), "th");
  assert.equal(chooseLanguage("system", ["fr", "th-TH", "en"]), "th");
  assert.equal(chooseLanguage("en", ["th"]), "en");
  assert.equal(chooseLanguage(undefined, ["de"]), "en");
});
