// Walking, playing, changing and keeping a game, without a page.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { effect } from "../../src/app/store.ts";
import { loadRules } from "../../src/engine/rules.ts";
import { GameTree } from "../../src/game/tree.ts";
import { StudyController } from "../../src/study/controller.ts";
import { handOver } from "../../src/study/handover.ts";
import { shareQuery } from "../../src/study/share.ts";

const rules = await loadRules();
const read = (pgn) => GameTree.fromPgn(rules.parsePgn(pgn).games[0]);

beforeEach(() => {
  const kept = new Map();
  globalThis.localStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
    clear: () => kept.clear(),
  };
});

function table(address = "") {
  const warnings = [];
  const study = new StudyController((text) => warnings.push(text));
  study.load(["analyse"], new URLSearchParams(address));
  return { study, warnings };
}

test("walking: every step is told with where it came from", () => {
  const { study } = table();
  study.open(read("1. e4 e5 (1... c5) 2. Nf3 *"));
  const seen = [];
  const end = effect(() => {
    const { node, before, grown } = study.place.value;
    seen.push(`${before?.san ?? "-"} ${node.san} ${grown}`);
  });
  study.forward();
  study.toEnd();
  study.back();
  study.nextVariation();
  study.nextVariation();
  study.forward();
  study.toStart();
  study.back();
  end();
  assert.deepEqual(seen, [
    "-  true",
    " e4 false",
    "e4 Nf3 false",
    "Nf3 e5 false",
    "e5 c5 false",
    "c5 e5 false",
    "e5 Nf3 false",
    "Nf3  false",
    "  false",
  ]);
  study.store();
});

test("playing: a known move is followed, a new one grows the tree, an answer is taken away", () => {
  const { study } = table();
  study.open(read("1. e4 e5 *"));
  study.playUci("e2e4");
  assert.equal(study.place.value.grown, false);
  study.playUci("c7c5");
  assert.equal(study.place.value.grown, true);
  study.playUci("a1a8");
  assert.equal(study.node.san, "c5");
  study.intercept = () => true;
  study.playUci("g1f3");
  assert.equal(study.node.san, "c5");
  study.intercept = () => false;
  study.remove();
  assert.equal(study.node.san, "e4");
  assert.equal(study.node.children.length, 1);
  study.store();
});

test("the game, its words and the place in it survive a reload", () => {
  const { study } = table();
  study.open(read("1. e4 e5 2. Nf3 *"));
  study.forward();
  study.node.comments = ["a note"];
  study.edited();
  study.store();
  const { study: again } = table();
  assert.equal(again.node.san, "e4");
  assert.deepEqual(again.node.comments, ["a note"]);
});

test("a link into the stored game keeps the game, another link opens another", () => {
  const { study } = table();
  study.open(read("1. e4 e5 2. Nf3 {kept} *"));
  study.store();
  const same = table("moves=e2e4,e7e5");
  assert.equal(same.study.node.san, "e5");
  assert.deepEqual(same.study.tree.mainLine().at(-1).comments, ["kept"]);
  const other = table("moves=d2d4");
  assert.equal(other.study.tree.mainLine().length, 2);
  const wrong = table("moves=e2e5");
  assert.match(wrong.warnings[0], /e2e5 in the link cannot be played/);
});

test("a position in a link may have underscores for blanks, or be a board alone", () => {
  for (const fen of ["8/P6k/8/8/8/8/8/K7_b_-_-_3_9", "8/P6k/8/8/8/8/8/K7"]) {
    const { study, warnings } = table(`fen=${fen}`);
    assert.deepEqual([study.node.fen.split(" ")[0], warnings], ["8/P6k/8/8/8/8/8/K7", []], fen);
  }
  assert.match(table("fen=8/8/8/8/8/8/8/8_w").warnings[0], /king/);
});

test("a link into a game with a pass keeps the game, and makes it where there is none", () => {
  const query = () => new URLSearchParams(shareQuery(first.study.tree, first.study.node));
  const first = table();
  first.study.open(read("1. e4 -- 2. d4 Z0 3. Nf3 *"));
  for (let i = 0; i < 4; i += 1) first.study.forward();
  const [link, { fen }] = [query(), first.study.node];
  first.study.store();
  const again = table(link);
  assert.equal(again.study.tree.mainLine().length, 6);
  assert.equal(again.study.node.ply, 4);
  localStorage.clear();
  const other = table(link);
  assert.equal(other.study.node.ply, 4);
  assert.equal(other.study.node.fen, fen);
  assert.match(other.study.tree.toPgn(), /1\. e4 -- 2\. d4 --/);
});

test("a game handed over by another section is opened", () => {
  handOver("1. d4 d5 *");
  const { study } = table("moves=e2e4");
  assert.equal(study.tree.mainLine()[1].san, "d4");
  handOver("1. c4 *");
  assert.equal(study.update(["review"], new URLSearchParams()), JSON.parse(JSON.stringify("1. c4 *")));
  assert.equal(study.part.value, "review");
  study.update(["nonsense"], new URLSearchParams());
  assert.equal(study.part.value, "analyse");
  study.store();
});

test("undo brings back removed moves, and games that another one replaced", () => {
  const { study } = table();
  assert.equal(study.undoable.value, false);
  study.open(read("1. e4 {mine} e5 2. Nf3 (2. Nc3 Nf6) *"));
  const pgn = study.tree.toPgn();
  study.forward();
  study.forward();
  study.remove();
  assert.equal(study.tree.mainLine().length, 2);
  study.open(read("1. d4 *"));
  study.open(GameTree.fresh("makruk"));
  study.undo();
  assert.equal(study.tree.mainLine()[1].san, "d4");
  study.undo();
  assert.equal(study.node.san, "e4");
  study.undo();
  assert.equal(study.node.san, "e5");
  assert.equal(study.tree.toPgn(), pgn);
  assert.equal(study.undoable.value, false);
  study.undo();
  assert.equal(study.tree.toPgn(), pgn);
  study.store();
});

test("a link that replaces the stored game can be undone", () => {
  const { study } = table();
  study.open(read("1. e4 {kept} *"));
  study.store();
  const other = table("moves=d2d4").study;
  assert.equal(other.tree.mainLine()[1].san, "d4");
  other.undo();
  assert.deepEqual(other.tree.mainLine()[1].comments, ["kept"]);
  other.store();
});
