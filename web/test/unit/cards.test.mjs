// Cards without a browser: what becomes a card, when it comes back, how it is answered, files in and out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "rukh-engine/learn";
import { loadRules } from "../../src/engine/rules.ts";
import { GameTree } from "../../src/game/tree.ts";
import { agenda, counted, dayOf, nextCard, streak } from "../../src/coach/cards/agenda.ts";
import { findGaps } from "../../src/coach/gaps.ts";
import { finder, merge } from "../../src/coach/cards/card.ts";
import { draftsOf, draftsOfGaps } from "../../src/coach/cards/collect.ts";
import { CardsController } from "../../src/coach/cards/controller.ts";
import { joinCards, readCards, writeCards } from "../../src/coach/cards/file.ts";
import { harvest, harvestReport, splitNames } from "../../src/coach/cards/harvest.ts";
import { loadScheduler } from "../../src/coach/cards/schedule.ts";
import { keepFinished } from "../../src/study/keptreview.ts";

const rules = await loadRules();
const scheduler = await loadScheduler();
const code = async (position) => (await encode(position)).text;
const DAY = 86_400_000;
const NOON = new Date(2026, 10, 16, 12).getTime();

/** 1. e4 e5 2. Qh5 Nf6: Black drops a pawn; then 3. Qxf7 loses the queen. */
function reviewed(start = "1. e4 e5 2. Qh5 Nf6 3. Qxf7+ Kxf7") {
  const pgn = `[White "You"]\n[Black "Other"]\n\n${start} *`;
  const tree = GameTree.fromPgn(rules.parsePgn(pgn).games[0]);
  const line = tree.mainLine();
  const scores = [20, 20, 20, -20, 100, -800, -800];
  const pvs = { 3: ["b8c6", "f1c4"], 4: ["h5e5"], 5: ["e8f7"] };
  const found = line.map((node, i) => ({ node, score: { cp: scores[i] }, pv: pvs[i] ?? [] }));
  const review = rules.review("chess", "white", scores.map((cp) => ({ cp }))); // prettier-ignore
  const verdicts = [null, null, null, "mistake", "blunder", null];
  return { pgn, tree, result: { line, found, review, verdicts } };
}

const drafts = (mine = () => true) => {
  const { tree, result } = reviewed();
  return draftsOf(tree, result, mine, "g1", code);
};

test("mistakes of a review become cards, named by their position", async () => {
  const both = await drafts();
  assert.deepEqual(both.map(({ good, mistakes: [{ uci, line }] }) => [good, uci, line]), [
    [["b8c6"], "g8f6", ["h5e5"]],
    [["h5e5"], "h5f7", ["e8f7"]],
  ]); // prettier-ignore
  assert.match(both[0].id, /^chess:[0-9a-z_~-]{13}/);
  const [own] = await drafts((side) => side === "white");
  assert.equal(own.mistakes[0].uci, "h5f7");
  assert.ok(own.points > 50 && own.mistakes[0].loss > 30);
});

test("the same mistake in several games is one card", async () => {
  const [draft] = await drafts((side) => side === "white");
  const first = merge(undefined, draft, NOON);
  const again = merge({ ...first, good: ["h5e5", "b1c3"] }, { ...draft, mistakes: [{ ...draft.mistakes[0], games: ["g2"] }] }, NOON + DAY); // prettier-ignore
  assert.deepEqual(again.mistakes.map(({ games }) => games), [["g1", "g2"]]); // prettier-ignore
  assert.deepEqual(again.good, ["h5e5", "b1c3"], "what was found to be as good stays");
  assert.deepEqual(again.schedule, first.schedule);
});

test("cards come back by FSRS: sooner when missed, later with every right answer", async () => {
  let { schedule } = merge(undefined, (await drafts())[0], NOON);
  const gaps = [];
  for (let i = 0, now = NOON; i < 6; i += 1, now = schedule.due) {
    schedule = scheduler.next(schedule, "good", now);
    gaps.push(schedule.due - now);
  }
  assert.ok(gaps.slice(1).every((gap, i) => gap > gaps[i]), `${gaps}`); // prettier-ignore
  assert.ok(gaps.at(-1) > 20 * DAY);
  const missed = scheduler.next(schedule, "again", schedule.due);
  assert.ok(missed.due - schedule.due < DAY && missed.lapses === 1 && missed.state === 3);
});

test("what is due: known cards first, a few new ones a day, the same sitting once more", async () => {
  const [draft] = await drafts();
  const fresh = Array.from({ length: 30 }, (_, i) => merge(undefined, { ...draft, id: `chess:${i}` }, NOON));
  const known = { ...fresh[0], id: "known", schedule: { ...fresh[0].schedule, state: 2, due: NOON - DAY } };
  const soon = { ...fresh[0], id: "soon", schedule: { ...fresh[0].schedule, state: 1, due: NOON + 600_000 } };
  const now = agenda([...fresh, known, soon, { ...known, id: "gone", gone: true }], undefined, NOON);
  assert.equal(now.due.length, 11);
  assert.equal(nextCard(now, NOON).id, "known");
  assert.equal(agenda(fresh, { fresh: 8 }, NOON).due.length, 2);
  assert.equal(nextCard({ due: [], later: [soon] }, NOON).id, "soon");
  assert.equal(nextCard({ due: [], later: [{ ...soon, schedule: { ...soon.schedule, state: 2 } }] }, NOON), null);
});

test("a streak counts days in a row, over the end of summer time too", () => {
  const days = new Map();
  const did = (...ids) => ids.forEach((id) => days.set(id, counted(undefined, id, true, false)));
  did("2026-10-24", "2026-10-25", "2026-10-26");
  const at = (month, day) => new Date(2026, month - 1, day, 12).getTime();
  assert.equal(streak(days, at(10, 26)), 3);
  assert.equal(streak(days, at(10, 27)), 3, "today is not over");
  assert.equal(streak(days, at(10, 28)), 0);
  assert.equal(dayOf(at(3, 5)), "2026-03-05");
});

/** A store in memory. */
function memory(cards = []) {
  const kept = { cards: new Map(cards.map((card) => [card.id, card])), days: new Map(), harvested: new Map() };
  return {
    kept,
    all: async () => ({ cards: new Map(kept.cards), days: new Map(kept.days) }),
    put: async (card, day) => {
      kept.cards.set(card.id, card);
      if (day) kept.days.set(day.id, day);
    },
    harvested: async () => kept.harvested,
    harvest: async (drafts, games, now) => {
      for (const game of games) kept.harvested.set(game.id, `${game.rev} ${game.names}`);
      return drafts.map((draft) => {
        const card = merge(finder(kept.cards)(draft), draft, now);
        kept.cards.set(card.id, card);
        return card;
      });
    },
  };
}

async function session(cp) {
  const [draft] = await drafts((side) => side === "white");
  const store = memory([merge(undefined, draft, NOON)]);
  let asked = 0;
  const engine = {
    run: async () => ((asked += 1), { lines: [{ score: { cp }, turn: "black", pv: ["b8c6"] }] }),
    stop: async () => {},
  };
  const play = new CardsController(store, scheduler, engine, () => NOON);
  await play.load();
  const move = (uci) => play.state.moves.find((each) => each.uci === uci);
  return { play, move, store, asked: () => asked };
}

test("the right move is right, and the card comes back later", async () => {
  const { play, move, store, asked } = await session(0);
  assert.equal(play.due.value, 1);
  await play.answer(move("h5e5"));
  assert.deepEqual([play.phase.value.is, play.phase.value.best, asked()], ["right", true, 0]);
  assert.ok(play.returns.value > NOON && play.due.value === 0 && play.streak.value === 1);
  assert.equal([...store.kept.cards.values()][0].schedule.reps, 1);
  assert.deepEqual([...store.kept.days.values()], [{ id: "2026-11-16", answered: 1, right: 1, fresh: 1 }]);
});

test("what was played in the game is wrong, with what punishes it", async () => {
  const { play, move, store, asked } = await session(0);
  await play.answer(move("h5f7"));
  const { is, missed } = play.phase.value;
  assert.deepEqual([is, missed.played, missed.line, asked()], ["wrong", true, ["e8f7"], 0]);
  assert.equal([...store.kept.days.values()][0].right, 0);
  play.ask();
  assert.equal(play.card.value.mistakes[0].uci, "h5f7", "it comes once more in this sitting");
});

test("another move is looked at: as good counts and is remembered, worse does not", async () => {
  const good = await session(-100);
  await good.play.answer(good.move("b1c3"));
  assert.deepEqual([good.play.phase.value.is, good.play.phase.value.best], ["right", false]);
  assert.deepEqual([...good.store.kept.cards.values()][0].good, ["h5e5", "b1c3"]);
  const bad = await session(600);
  await bad.play.answer(bad.move("b1c3"));
  assert.deepEqual([bad.play.phase.value.is, bad.play.phase.value.missed.line], ["wrong", ["b8c6"]]);
});

test("a hint costs a grade, a removed card stays away", async () => {
  const { play, move, store } = await session(0);
  play.hint();
  await play.answer(move("h5e5"));
  const plain = scheduler.next(merge(undefined, (await drafts())[0], NOON).schedule, "good", NOON);
  assert.ok([...store.kept.cards.values()][0].schedule.stability < plain.stability);
  await play.remove();
  assert.equal(play.total.value, 0);
  assert.equal([...store.kept.cards.values()][0].gone, true);
});

test("reviews of the library are looked through once, for one's own names", async () => {
  const { pgn, tree, result } = reviewed();
  const row = { id: "g1", rev: 3, white: "You", black: "Other", trashed: 0 };
  const game = { id: "g1", pgn, path: [], review: keepFinished(tree, result), row };
  let read = 0;
  const games = { rows: async () => [row], get: async () => ((read += 1), game) };
  const store = memory();
  const heard = [];
  const look = (names) => harvest(games, store, names, code, (cards) => heard.push(cards.length), () => false); // prettier-ignore
  await look([]);
  await look([]);
  assert.deepEqual([heard, read], [[1], 1]);
  assert.deepEqual(splitNames("Menchik, Vera; menchik, vera ;"), ["menchik, vera"]);
  await look(splitNames(" Somebody ; OTHER;"));
  assert.deepEqual([heard, store.kept.cards.size], [[1, 2], 2]);
});

test("what the background review found becomes cards too, once for each state of it", async () => {
  const [draft] = await drafts((side) => side === "white");
  const fact = { text: "The queen is lost." };
  const common = { variant: "chess", code: draft.id.slice(6), fen: draft.fen, before: 62, after: 4, theme: null, facts: [fact], plies: [4] }; // prettier-ignore
  const mistakes = [
    { ...common, played: "h5f7", best: ["h5e5", "f8e7"], judgement: "blunder", games: [1, 0] },
    { ...common, played: "h5g5", best: ["h5e5"], judgement: "inaccuracy", games: [0] },
  ];
  const store = memory([merge(undefined, draft, NOON)]);
  let asked = 0;
  const look = (reviewed) =>
    harvestReport("You", reviewed, store, async () => ((asked += 1), { mistakes, ids: ["g7", "g1"] }), ({ text }) => text); // prettier-ignore
  assert.deepEqual(await look(0), []);
  const [card] = await look(2);
  assert.deepEqual(card.mistakes, [{ uci: "h5f7", loss: 58, line: ["e8f7"], games: ["g1", "g7"], why: "The queen is lost." }]); // prettier-ignore
  assert.deepEqual([(await look(2)).length, asked, store.kept.cards.size], [0, 1, 1]);
  await look(3);
  assert.equal(asked, 2);
});

test("a file of cards comes back as it was", async () => {
  const cards = (await drafts()).map((draft) => merge(undefined, draft, NOON));
  const answered = { ...cards[0], schedule: scheduler.next(cards[0].schedule, "good", NOON) };
  const days = [{ id: "2026-11-16", answered: 2, right: 1, fresh: 1 }];
  const read = await readCards(writeCards([answered, cards[1]], days), code);
  assert.deepEqual(read, { cards: [answered, cards[1]], days });
  assert.deepEqual(joinCards(cards[0], answered).schedule, answered.schedule, "who answered last knows when");
  assert.deepEqual(joinCards(answered, cards[0]).schedule, answered.schedule);
});

test("a card of an older version gets the code of today, and its twin of today is the same card", async () => {
  // As version 2 of Makruk's codes wrote it: another code for the same position.
  const fen = "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1";
  const old = { id: "makruk:0000000000000", variant: "makruk", fen, good: ["e3e4"], line: ["e3e4"], points: 52, mistakes: [{ uci: "a3a4", loss: 12, line: [], games: ["g1"], why: "" }], made: NOON, schedule: { due: NOON, stability: 4, difficulty: 5, interval: 4, step: 0, reps: 1, lapses: 0, state: 2, last: NOON }, gone: false }; // prettier-ignore
  const id = `makruk:${await code({ variant: "makruk", fen })}`;
  assert.notEqual(old.id, id);
  const twin = { ...old, id, good: ["d3d4"], schedule: { ...old.schedule, last: NOON - DAY } };
  const file = (...cards) => JSON.stringify({ format: "rukh-cards", version: 1, cards, days: [] });
  const read = await readCards(file(old), code);
  assert.deepEqual(read.cards, [{ ...old, id }]);
  const both = await readCards(file(old, twin), code);
  assert.equal(both.cards.length, 1);
  assert.deepEqual([both.cards[0].id, both.cards[0].schedule.last, both.cards[0].good], [id, NOON, ["e3e4", "d3d4"]]);
});

test("a card that is kept under an older code is found by its position, and stays one card", async () => {
  const [draft, other] = await drafts();
  const old = {
    ...merge(undefined, { ...draft, fen: draft.fen.replace(/ 1 3$| \d+ \d+$/, " 0 9") }, NOON),
    id: "chess:0000000000000",
  };
  const kept = new Map([[old.id, old], [other.id, merge(undefined, other, NOON)]]); // prettier-ignore
  assert.equal(finder(kept)(draft), old);
  assert.equal(finder(kept)({ ...draft, variant: "chess960" }), undefined);
  assert.equal(finder(kept)({ ...draft, fen: other.fen, id: "chess:1111111111111" }), kept.get(other.id));
  const again = merge(finder(kept)(draft), draft, NOON + DAY);
  assert.deepEqual([again.id, again.made], [old.id, NOON]);
  // A file that was written today, with today's code.
  const answered = { ...old, id: draft.id, schedule: scheduler.next(old.schedule, "good", NOON) };
  const joined = joinCards(finder(kept)(answered), answered);
  assert.deepEqual([joined.id, joined.schedule], [old.id, answered.schedule]);
  // A Makruk count is part of the position.
  const counted = { id: "makruk:1", variant: "makruk", fen: "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1" };
  const counts = new Map([[counted.id, counted]]);
  assert.equal(finder(counts)({ ...counted, id: "makruk:2" }), counted);
  assert.equal(finder(counts)({ ...counted, id: "makruk:2", fen: counted.fen.replace(" 8 1", " 9 1") }), undefined);
});

test("what one's openings lack becomes a card, and a card of a mistake keeps its answer", async () => {
  const gap = { kind: "unusual", side: "white", variant: "chess", fen: (await drafts())[1].fen, ply: 4, games: 3, points: 1, uci: "h5f7", san: "Qxf7+", masters: 200, with: 1, key: (await drafts())[1].id, ask: (await drafts())[1].fen, answers: [{ uci: "b1c3", san: "Nc3", games: 150 }], answered: 200, expected: 55, text: "" }; // prettier-ignore
  const [draft] = draftsOfGaps([gap], () => "why");
  const card = merge(undefined, draft, NOON);
  assert.deepEqual([card.good, card.gap, card.mistakes[0].uci], [["b1c3"], { kind: "unusual", why: "why" }, "h5f7"]);
  assert.deepEqual((await readCards(writeCards([card], []), code)).cards, [card]);
  const mistake = merge(undefined, (await drafts())[1], NOON);
  assert.deepEqual(merge(mistake, draft, NOON).good, ["h5e5", "b1c3"]);
  assert.equal(merge(mistake, draft, NOON).gap.kind, "unusual");
});

test("a file that is no file of cards is refused, with the place and the reason", async () => {
  const [draft] = await drafts();
  const card = merge(undefined, draft, NOON);
  const known = { ...card, schedule: { ...card.schedule, state: 2, stability: 4, difficulty: 5, last: NOON } };
  const text = (change) => JSON.stringify({ format: "rukh-cards", version: 1, cards: [card, { ...known, ...change }], days: [] }); // prettier-ignore
  const schedule = (change) => text({ schedule: { ...known.schedule, ...change } });
  const cases = [
    ["no JSON {", /not JSON/],
    ["[]", /not a card file/],
    ["null", /not a card file/],
    ['{"format":"rukh-cards","version":3,"cards":[],"days":[]}', /newer version/],
    ['{"format":"rukh-cards","version":1,"cards":{},"days":[]}', /cards/],
    [text({ variant: "shogi" }), /Card 2: variant/],
    [text({ fen: "nonsense" }), /Card 2: fen/],
    [text({ id: 7 }), /Card 2: id/],
    [text({ gap: { kind: "none", why: "" } }), /Card 2: gap.kind/],
    [text({ gap: "unmet" }), /Card 2: gap/],
    [text({ good: [] }), /Card 2: good/],
    [text({ good: ["a1a8"] }), /Card 2: good/],
    [text({ good: "e2e4" }), /Card 2: good/],
    [text({ line: ["b8c6", "a1a8"] }), /Card 2: line/],
    [text({ points: "50" }), /Card 2: points/],
    [text({ points: 1e9 }), /Card 2: points/],
    [text({ mistakes: [{ ...known.mistakes[0], why: "x".repeat(5000) }] }), /Card 2: mistakes.why/],
    [text({ mistakes: [null] }), /Card 2: mistakes/],
    [text({ gone: 1 }), /Card 2: gone/],
    [schedule({ due: null }), /Card 2: schedule.due/],
    [schedule({ due: 1e300 }), /Card 2: schedule.due/],
    [schedule({ stability: 0 }), /Card 2: schedule.stability/],
    [schedule({ state: 7 }), /Card 2: schedule.state/],
    [schedule({ reps: 1.5 }), /Card 2: schedule.reps/],
    ['{"format":"rukh-cards","version":1,"cards":[],"days":[{"id":"yesterday"}]}', /Day 1: id/],
  ];
  for (const [file, expected] of cases) await assert.rejects(readCards(file, code), expected, file.slice(0, 60));
});

test("positions whose rules have no database do not hide the gaps of the others", async () => {
  const wanted = (key, variant) => ({ key, variant, fen: key });
  const open = [1, 2, 3, 4, 5, 6].map((n) => wanted(`makruk:${n}`, "makruk")).concat(wanted("chess:1", "chess"));
  const engine = async () => ({
    ask: async ({ masters }) => {
      const told = new Set(masters.map(({ key }) => key));
      return { wanted: open.filter(({ key }) => !told.has(key)), gaps: told.has("chess:1") ? [{ games: 2 }] : [] };
    },
  });
  const asked = [];
  const masters = async ({ key, variant }) => (asked.push(key), variant === "chess" ? [] : null);
  assert.equal((await findGaps(engine, { white: [{}], black: [] }, masters)).length, 1);
  assert.ok(asked.length <= 2 * open.length, String(asked));
});
