// The library without a browser: rows, filters, cutting files into games, positions as people write them, keeping.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { loadRules } from "../../src/engine/rules.ts";
import { commandAsPgn, epdAsPgn, looksLikePosition, readPosition } from "../../src/game/positions.ts";
import { GameTree } from "../../src/game/tree.ts";
import { withPlace } from "../../src/library/controller.ts";
import { droppedFiles } from "../../src/library/dropped.ts";
import { importFile } from "../../src/library/importer.ts";
import { grown, judge, readLineage } from "../../src/library/lineage.ts";
import { neighbours } from "../../src/library/playlist.ts";
import { EVERYTHING, filterRows, positionKey, readKeys, readRows, rowOf } from "../../src/library/rows.ts";
import { GameSplitter } from "../../src/library/split.ts";
import { textOf } from "../../src/library/unpack.ts";
import { StudyController } from "../../src/study/controller.ts";
import { playersOf } from "../../src/coach/queue.ts";

const rules = await loadRules();
const index = (pgn) => rules.ask({ ask: "indexPgn", text: pgn }).games[0];
const read = (pgn) => GameTree.fromPgn(rules.parsePgn(pgn).games[0]);

beforeEach(() => {
  const kept = new Map();
  globalThis.localStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
    key: (i) => [...kept.keys()][i] ?? null,
    get length() {
      return kept.size;
    },
  };
});

test("rows are found by player, opening, result, date, label and position", () => {
  const about = (id, more) => ({ id, rev: 1, changed: 0, ...more });
  const rows = [
    rowOf(index('[White "Håkon"]\n[Black "B"]\n[Date "1999.05.01"]\n\n1. e4 c5 2. Nf3 1-0'), about("a")),
    rowOf(index('[White "C"]\n[Black "D"]\n[Date "????.??.??"]\n\n1. d4 d5 0-1'), about("b", { labels: ["blitz"] })),
    rowOf(index('[White "E"]\n[RukhFolder "Old"]\n\n1. c4 *'), about("c", { trashed: 5 })),
  ];
  const ids = (query, at) =>
    filterRows(rows, { ...EVERYTHING, ...query }, at)
      .map(({ id }) => id)
      .join("");
  assert.equal(ids({}), "ab");
  assert.equal(ids({ words: "hakon sicilian" }), "a");
  assert.equal(ids({ words: "BLITZ" }), "b");
  assert.equal(ids({ result: "0-1" }), "b");
  assert.equal(ids({ from: "1999", to: "1999" }), "a");
  assert.equal(ids({ from: "2000" }), "");
  assert.equal(ids({ trash: true }), "c");
  assert.equal(rows[2].folder, "Old");
  assert.equal(ids({}, new Set(["b"])), "b");
  const keys = readKeys(index("1. e4 c5 (1... e5 2. f4) *").keys);
  const has = (moves) => keys.includes(positionKey(rules.state({ moves })));
  assert.ok(has(["e2e4", "e7e5", "f2f4"]) && has([]) && !has(["d2d4"]));
});

test("a text is cut into games wherever its pieces end", () => {
  const games = [
    '[Event "a"]\n[White "x"]\n\n1. e4 {a comment\n[Not "a tag"]\n} e5 *\n',
    '[White "y"]\n\n1. d4 ; [Event "no"]\nd5 1-0\n',
    '[Event "c"]\n\n1. c4 {never closed\n',
    '[Event "d"]\n\n*\n',
  ];
  const text = games.join("\r\n").replaceAll("\n", "\r\n");
  for (const size of [1, 7, 1000]) {
    const splitter = new GameSplitter();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...splitter.push(text.slice(at, at + size)));
    found.push(...splitter.end());
    assert.deepEqual(
      found.map((game) => game.replaceAll("\r", "")),
      games,
      `pieces of ${size}`,
    );
  }
});

test("files become games with what is wrong with the others", async () => {
  const added = [];
  const library = { add: async (games) => void added.push(...games), sources: async () => new Map() };
  const text = `[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1. Ke5 *\n\n[White "C"]\n\n1. e4 Ke5 e5 1-0\n\n1. d4 * 1. c4 *\n`;
  const done = await importFile(
    library,
    new Blob([text]),
    "mine",
    () => {},
    () => false,
  );
  assert.deepEqual([done.games, done.refused, done.short, done.cut], [4, 1, 1, 0]);
  assert.match(done.problems[0], /Game 2: move 1\. Ke5/);
  assert.match(done.firstShort, /Game 3: move 1\.\.\. Ke5: illegal move; the game was cut there/);
  // Nothing of the text is lost.
  assert.match(added[1].pgn, /1\. e4 \{1\.\.\. Ke5 e5\} 1-0/);
  assert.equal(added[0].row.folder, "mine");
  added.length = 0;
  await importFile(
    library,
    new Blob(["1. d4 * 1. c4 *"]),
    "two",
    () => {},
    () => false,
  );
  assert.deepEqual(
    added.map(({ pgn }) => /1\. (\w+)/.exec(pgn)[1]),
    ["d4", "c4"],
  );
  added.length = 0;
  // ISO 8859 and packed with gzip.
  const old = Buffer.from('[White "M\u00fcller"]\n\n1. e4 *\n', "latin1");
  const packed = new Blob([old]).stream().pipeThrough(new CompressionStream("gzip"));
  await importFile(
    library,
    await new Response(packed).blob(),
    "",
    () => {},
    () => false,
  );
  assert.equal(added[0].row.white, "Müller");
});

test("games that are there already are not stored twice, unless somebody wants it", async () => {
  const rows = [];
  const library = {
    add: async (games) => void rows.push(...games.map(({ row }) => row)),
    sources: async () => new Map(rows.map(({ source, id }) => [source, id])),
  };
  const bring = (text, only) =>
    importFile(
      library,
      new Blob([text]),
      "mine",
      () => {},
      () => false,
      only,
    );
  const one = '[White "A"]\n\n1. e4 {good} e5 *\n';
  const two = '[White "B"]\n\n1. d4 d5 *\n';
  assert.deepEqual([(await bring(`${one}\n${two}`)).games, rows.length], [2, 2]);
  // Laid out differently, and as the library writes them out.
  const again = await bring(
    `[RukhFolder "mine"]\r\n${one.replace("{good} e5", "{good}\r\ne5")}\n${two}\n[White "C"]\n\n1. c4 *\n`,
  );
  assert.deepEqual([again.games, [...again.known]], [1, [1, 2]]);
  // The same moves with other words are another text.
  assert.equal((await bring(one.replace("good", "bad"))).games, 1);
  assert.equal((await bring(`${two}\n${one}\n${one}`, new Set([2]))).games, 1);
  assert.equal(rows.length, 5);
});

test("positions as people write them", () => {
  const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  const board = start.split(" ")[0];
  for (const text of [start, start.replaceAll(" ", "_"), board, `${board} w KQkq -`])
    assert.deepEqual(readPosition(text, "chess"), { variant: "chess", fen: start, remarks: "" }, text);
  const epd = readPosition(`${board} w KQkq - bm e4; id "one";`, "chess");
  assert.deepEqual([epd.fen, epd.remarks], [start, 'bm e4; id "one";']);
  assert.equal(readPosition("4k3/8/8/8/8/8/8/4K2R", "chess").fen, "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
  assert.match(readPosition("8/8/8/8/8/8/8/8 w - - 0 1", "chess").error, /king/);
  // Links of other pages to a position.
  for (const link of [
    `https://example.org/analysis/${board}_w_KQkq_-_0_1`,
    `https://example.org/analysis/standard/${board}_w_KQkq_-_0_1?color=black`,
    `https://example.org/analysis?fen=${encodeURIComponent(board)}+w+KQkq+-+0+1&tab=analysis`,
    `https://example.org/analysis?fen=${encodeURIComponent(`${board} w KQkq - 0 1`)}`,
  ]) {
    assert.equal(looksLikePosition(link), true, link);
    assert.equal(readPosition(link, "chess").fen, start, link);
  }
  assert.ok(!looksLikePosition("1. e4 e5"));
  const pgn = epdAsPgn(`${board} w KQkq - id "one";\n4k3/8/8/8/8/8/8/4K2R w K - bm O-O;\n`);
  const { games } = rules.parsePgn(pgn);
  assert.deepEqual([games.length, games[0].tags[0][1], games[1].nodes[0].comments[0]], [2, "one", "bm O-O;"]);
  assert.equal(epdAsPgn("1. e4 *"), "1. e4 *");
});

test("what programs tell engines is a game", () => {
  const fen = "4k3/P7/8/8/8/8/8/4K2R w K - 0 1";
  const game = (text) => {
    const { games, errors, notes } = rules.parsePgn(commandAsPgn(text, "chess"));
    assert.deepEqual([games.length, errors, notes], [1, [], []], text);
    return [games[0].start.split(" ")[0], games[0].nodes.slice(1).map(({ uci }) => uci).join(" ")]; // prettier-ignore
  };
  const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
  assert.deepEqual(game("position startpos moves e2e4 e7e5"), [start, "e2e4 e7e5"]);
  assert.deepEqual(game("startpos"), [start, ""]);
  assert.deepEqual(game(`position fen ${fen} moves a7a8q e8d7 e1g1`), [fen.split(" ")[0], "a7a8q e8d7 e1g1"]);
  assert.deepEqual(game(`position fen ${fen}`), [fen.split(" ")[0], ""]);
  // Moves behind a FEN are no remarks of an EPD.
  assert.deepEqual(game(`${fen} moves e1g1`), [fen.split(" ")[0], "e1g1"]);
  assert.match(commandAsPgn("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "chess").error, /king/);
  for (const text of [
    "1. e4 e5",
    fen,
    `${fen.slice(0, -4)} bm O-O;`,
    '[Event "Three moves off"]\n\n1. e4 *',
    "position",
    "",
  ])
    assert.equal(commandAsPgn(text, "chess"), null, text);
});

test("commands of other programs are kept and not shown, passes can be walked over", () => {
  const tree = read("1. e4 {[%timestamp 12] hi [%emt 0:00:03]} -- 2. d4 {[%foo bar]} Z0 3. c4 *");
  assert.deepEqual(tree.mainLine()[1].comments, ["hi"]);
  const pgn = tree.toPgn().replace(/\s+/g, " ");
  for (const part of ["[%timestamp 12] [%emt 0:00:03] hi", "{[%foo bar]}", "1... --"])
    assert.ok(pgn.includes(part), pgn);
  const end = tree.mainLine().at(-1);
  assert.equal(tree.state(end).turn, "black");
  assert.deepEqual(tree.spec(end).moves, ["c2c4"]);
  const shown = read("1. e4 e5 (1... c5 2. Ke5 Nf6) 2. Nf3 *");
  assert.equal(shown.mainLine().length, 4);
});

test("folder and labels travel in tags; neighbours of a game in its list", () => {
  const pgn = withPlace('[Event "x"]\n\n1. e4 *\n', { folder: 'a "b"', labels: ["c", "d"] });
  const row = rowOf(index(pgn), { id: "", rev: 0, changed: 0 });
  assert.deepEqual([row.folder, row.labels], ['a "b"', ["c", "d"]]);
  assert.equal(withPlace(pgn, { folder: "", labels: [] }), '[Event "x"]\n\n1. e4 *\n');
  assert.deepEqual(neighbours(["a", "b", "c"], "b"), { at: 1, count: 3, previous: "a", next: "c" });
  assert.equal(neighbours(["a"], "b"), null);
});

/** A library in memory. */
function shelf() {
  const games = new Map();
  const ears = new Set();
  return {
    games,
    listen: (ear) => (ears.add(ear), () => ears.delete(ear)),
    get: async (id) => games.get(id) ?? null,
    tell: (id) => ears.forEach((ear) => ear([id])),
    async save(kept, rev, lineage) {
      await null;
      const old = games.get(kept.id);
      const fate = judge(
        old ? { rev: old.row.rev, lineage: old.lineage, same: old.pgn === kept.pgn } : null,
        rev,
        lineage,
      );
      if (fate === "there") return { id: kept.id, rev: old.row.rev, copied: false };
      const copied = fate === "copy";
      const id = copied ? `${kept.id}-copy` : kept.id;
      const next = copied ? 1 : (old?.row.rev ?? rev) + 1;
      games.set(id, { ...kept, id, lineage, row: { id, rev: next } });
      for (const ear of ears) ear([id]);
      return { id, rev: next, copied };
    },
  };
}

test("every change reaches the library, games that leave the board too, and a look at a link does not", async () => {
  const library = shelf();
  const study = new StudyController(
    () => undefined,
    async () => library,
  );
  study.load(["analyse"], new URLSearchParams("moves=e2e4"));
  await study.idle();
  assert.equal(library.games.size, 0);
  study.open(read("1. d4 *"));
  study.toEnd();
  study.node.comments = ["mine"];
  study.edited();
  study.open(read("1. c4 *"));
  await study.idle();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const texts = [...library.games.values()].map(({ pgn }) => pgn);
  assert.equal(texts.length, 2);
  assert.match(texts.join(), /d4 \{mine\}/);
  study.undo();
  assert.match(study.tree.toPgn(), /mine/);
  study.remove();
  await study.idle();
  assert.equal(library.games.size, 2, "a game that came back is still the same game");
  study.leave();
});

test("an older state of the same work is written over, a newer one is left, another’s work becomes a game of its own", () => {
  const a = (changes) => [["a", changes]];
  const old = (by, more) => ({ rev: 5, lineage: by ? [by] : [], same: false, ...more });
  assert.equal(judge(null, 0, a(1)), "write");
  assert.equal(judge(old(["x", 9]), 5, a(1)), "write", "nobody has written since");
  assert.equal(judge(old(["a", 3]), 4, a(4)), "write", "the answer to its own writing was lost");
  assert.equal(judge(old(["a", 4]), 4, a(3)), "there");
  assert.equal(judge(old(["b", 1]), 4, a(4)), "copy");
  assert.equal(judge(old(undefined), 4, a(4)), "copy", "a library of before");
  assert.equal(judge(old(undefined, { same: true }), 4, a(4)), "there");
  // What a dead tab left, changed by the next: the library may have it as it was found, or as the dead tab made it later.
  const next = grown(a(3), ["b", 1]);
  assert.equal(judge(old(["a", 3]), 4, next), "write");
  assert.equal(judge(old(["a", 4]), 4, next), "copy");
  // Both left something, and what the later one left is in the library already.
  assert.equal(judge({ rev: 5, lineage: next, same: false }, 4, a(3)), "there");
  assert.equal(judge({ rev: 5, lineage: next, same: false }, 4, a(4)), "copy", "it went on by itself");
  assert.deepEqual(readLineage([["a", 1], ["b"], 3, null]), [["a", 1]]);
  assert.deepEqual(readLineage("x"), []);
  let long = [];
  for (let i = 0; i < 1000; i += 1) long = grown(long, [String(i), i]);
  assert.equal(long.length, 501);
  // Forty tabs one after the other were killed before one of them had reached the library.
  let chain = [];
  for (let i = 0; i < 40; i += 1) chain = grown(chain, [`tab ${i}`, 1]);
  assert.equal(judge(old(["tab 0", 1]), 4, chain), "write");
});

test("a tab that dies between the library’s answer and its own note leaves one game", async () => {
  const library = shelf();
  const study = new StudyController(
    () => undefined,
    async () => library,
  );
  study.load(["analyse"], new URLSearchParams());
  study.open(read("1. d4 *"));
  await study.idle();
  const note = () =>
    Object.fromEntries(
      Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i)).map((key) => [
        key,
        localStorage.getItem(key),
      ]),
    );
  study.toEnd();
  study.node.comments = ["one"];
  study.edited();
  study.node.comments = ["two"];
  study.edited();
  // What is noted now, before the library has answered.
  const before = note();
  await study.idle();
  study.leave();
  for (const [key, value] of Object.entries(before)) localStorage.setItem(key, value);
  const [kept] = library.games.values();
  const [[writer, changes]] = kept.lineage;
  library.games.set(kept.id, { ...kept, pgn: kept.pgn.replace("two", "one"), lineage: [[writer, changes - 1]] });
  const next = new StudyController(
    () => undefined,
    async () => library,
  );
  next.load(["analyse"], new URLSearchParams());
  await next.idle();
  assert.equal(library.games.size, 1);
  assert.match([...library.games.values()][0].pgn, /two/);
  next.leave();
});

test("what a killed tab wrote last does not replace the later state that it left", async () => {
  const library = shelf();
  const study = new StudyController(
    () => undefined,
    async () => library,
  );
  study.load(["analyse"], new URLSearchParams());
  study.open(read("1. d4 {left} *"));
  await study.idle();
  const [kept] = library.games.values();
  const [[writer, changes]] = kept.lineage;
  const older = { ...kept, pgn: kept.pgn.replace("left", "written"), lineage: [[writer, changes - 1]] };
  library.games.set(kept.id, { ...older, row: { ...kept.row, rev: kept.row.rev + 1 } });
  library.tell(kept.id);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.match(study.tree.toPgn(), /left/);
  study.toEnd();
  study.node.comments = ["next"];
  study.edited();
  await study.idle();
  assert.equal(library.games.size, 1);
  assert.match([...library.games.values()][0].pgn, /next/);
  study.leave();
});

test("a player has one name, however the games are ordered and the name is written", () => {
  const rows = [
    ["Ann", "Bob"],
    ["Cid", "Ann"],
    ["Dan", "ann"],
    ["Eve", "ann"],
  ].map(([white, black]) => ({ white, black, trashed: 0, plies: 40 }));
  // A game that never began is not reviewed, and not counted.
  rows.push({ white: "Ann", black: "Bob", trashed: 0, plies: 1 });
  const wanted = [["Ann", 4], ["Bob", 1], ["Cid", 1], ["Dan", 1], ["Eve", 1]]; // prettier-ignore
  assert.deepEqual(playersOf(rows), wanted);
  assert.deepEqual(playersOf(rows.reverse()), wanted);
});

test("of folders that are dropped the games are taken, of files all", async () => {
  const file = (name) => ({ name, isDirectory: false, file: (resolve) => resolve(new File(["*"], name)) });
  const folder = (name, ...content) => ({
    name,
    isDirectory: true,
    createReader() {
      // Browsers give a hundred at a time, and then none.
      const parts = [content.slice(0, 1), content.slice(1), []].filter((part, i) => part.length || i === 2);
      return { readEntries: (resolve) => resolve(parts.shift()) };
    },
  });
  const dropped = (...entries) => ({
    files: entries.map(({ name }) => new File([""], name)),
    items: entries.map((entry) => ({ kind: "file", webkitGetAsEntry: () => entry })),
  });
  const names = async (...entries) => {
    const { files, folders } = await droppedFiles(dropped(...entries));
    return [files.map(({ name }) => name), folders];
  };
  assert.deepEqual(await names(file("a.txt"), file("b.pgn")), [["a.txt", "b.pgn"], false]);
  const inside = folder("2023", file("z.pgn.zst"), file("list.epd.gz"));
  const games = folder("games", file("y.PGN"), file("cover.jpg"), inside);
  assert.deepEqual(await names(file("a.txt"), games), [["a.txt", "list.epd.gz", "y.PGN", "z.pgn.zst"], true]);
  assert.deepEqual(await names(folder("empty")), [[], true]);
  // A browser without such entries has files.
  assert.deepEqual(
    (await droppedFiles({ files: [new File(["*"], "c.pgn")], items: [{ kind: "file" }] })).files.length,
    1,
  );
});

test("old letters are kept wherever a file is cut into pieces", async () => {
  // A piece ends at every byte once: behind an é of Latin-1, which in UTF-8 would begin a letter of three bytes, too.
  const split = (bytes, at) => ({
    slice: () => new Blob([bytes]),
    stream: () =>
      new ReadableStream({
        start(controller) {
          [bytes.subarray(0, at), bytes.subarray(at)].forEach((piece) => controller.enqueue(piece));
          controller.close();
        },
      }),
  });
  for (const [text, encoding] of [
    ["Andr\u00e9 \u00d6st", "latin1"],
    ["Andr\u00e9", "latin1"],
    ["Andr\u00e9 \u00d6st \u0e01 \u{1f600}", "utf8"],
  ]) {
    const bytes = new Uint8Array(Buffer.from(text, encoding));
    for (let at = 0; at <= bytes.length; at++) assert.equal(await textOf(split(bytes, at)), text, `${text} at ${at}`);
  }
});

test("a damaged row keeps what makes sense, and takes no other with it", () => {
  const good = rowOf(index('[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 1-0'), { id: "a", rev: 3, changed: 7 });
  assert.equal(readRows([good])[0], good);
  const damaged = { ...good, white: 5, labels: "x", date: {}, folder: null, rev: "y", result: "2-0", variant: "shogi" };
  const rows = readRows([damaged, { id: "b" }, null, 5, { id: 7 }, good]);
  assert.deepEqual(rows.map(({ id }) => id), ["a", "b", "a"]); // prettier-ignore
  assert.deepEqual(rows[0], { ...good, white: "", labels: [], date: "", folder: "", rev: 0, result: "*" });
  assert.equal(filterRows(rows, { ...EVERYTHING, words: "bob" }).length, 2);
});
