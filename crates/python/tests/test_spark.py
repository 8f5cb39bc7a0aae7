"""What tasks on a cluster do, without the cluster (scale/spark/test.py has that)."""

import os
import tempfile
import unittest
from pathlib import Path

import rukh
from rukh import Database, spark
from test_games import has

GAMES = "".join(
    f'[White "A{n}"]\n[Black "B"]\n[UTCDate "20{n % 20:02}.01.02"]\n\n1. {move} {{a\n\n[comment}} {reply} {result}\n\n'
    for n, (move, reply, result) in enumerate(
        (move, reply, result) for move in ("e4", "d4") for reply in ("e5", "c5", "Nf6") for result in ("1-0", "1/2-1/2", "0-1")
    )
)


class Tasks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = self.write("games.pgn", GAMES)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def parts(self, path, step):
        size = os.path.getsize(path)
        for start in range(0, size, step):
            with open(spark._part({"path": path, "start": start, "end": min(start + step, size)}, self.folder), "rb") as part:
                yield part.read()

    def test_parts_of_a_file_are_the_file(self):
        untagged = self.write("untagged.pgn", "1. e4 e5 1-0\n\n1. d4 d5 0-1\n\n" * 20)
        dos = self.write("dos.pgn", GAMES.replace("\n", "\r\n"))
        for path in (self.file, dos, untagged):
            with open(path, "rb") as file:
                whole = file.read()
            for step in (40, 97, 100, 101, 333, 5000):
                parts = list(self.parts(path, step))
                self.assertEqual(b"".join(parts), whole)
                for part in parts:
                    self.assertTrue(part == b"" or part.startswith(b'[White "A') or path == untagged, part[:40])
        self.assertGreater(len([part for part in self.parts(self.file, 100) if part]), 10)

    @unittest.skipUnless(has("pyarrow"), "no pyarrow")
    def test_tasks(self):
        import pyarrow

        size = os.path.getsize(self.file)
        tasks = [{"path": self.file, "start": start, "end": min(start + 300, size)} for start in range(0, size, 300)]
        tables = list(spark._games(64, None, [pyarrow.RecordBatch.from_pylist(tasks)]))
        names = [column.split()[0] for column in spark.GAMES.split(", ")]
        self.assertTrue(len(tables) > 3 and all(table.schema.names == names for table in tables))
        games = pyarrow.Table.from_batches(tables)
        self.assertEqual(games.column("white").to_pylist(), [f"A{n}" for n in range(18)])
        self.assertEqual(games.column("date").to_pylist()[3], "2003.01.02")
        rows = pyarrow.Table.from_batches(spark._rows(64, games.select(["pgn"]).to_batches())).to_pylist()
        embedded = Database(os.path.join(self.folder, "db"))
        embedded.import_pgn(self.file)
        self.assertEqual(rows, list(embedded.positions().rows()))
        self.assertEqual(list(spark._rows(64, [])), [])

    def test_a_build_is_refused_at_once(self):
        work = Path(self.folder) / "work"
        for _ in range(2):
            spark._check_work(work, {"files": [("a.pgn", 1)]})
        with self.assertRaisesRegex(rukh.Error, "other files"):
            spark._check_work(work, {"files": [("a.pgn", 2)]})
        # Games that were edited and kept their length were taken for those whose tables are there.
        edited = self.write("edited.pgn", "1. e4 *\n")
        before = spark._state(edited)
        self.assertEqual(before, spark._state(edited))
        self.write("edited.pgn", "1. d4 *\n")
        os.utime(edited, ns=(before[2] + 1, before[2] + 1))
        self.assertNotEqual(before, spark._state(edited))
        # A folder of somebody's: Spark would have removed its "games" with all that is in it.
        mine = Path(self.folder) / "mine" / "games"
        mine.mkdir(parents=True)
        with self.assertRaisesRegex(rukh.Error, "neither empty"):
            spark._check_work(mine.parent, {"files": []})
        self.assertEqual([entry.name for entry in mine.parent.iterdir()], ["games"])
        # A note that a killed run has begun is ours; another file of that name is not.
        part = Path(self.folder) / "begun" / "inputs.json.part"
        part.parent.mkdir()
        part.write_text("my inputs")
        with self.assertRaisesRegex(rukh.Error, "neither empty"):
            spark._check_work(part.parent, {"files": []})
        self.assertEqual(part.read_text(), "my inputs")
        part.write_text('{"fil')
        spark._check_work(part.parent, {"files": []})
        self.assertEqual([entry.name for entry in part.parent.iterdir()], ["inputs.json"])
        database = os.path.join(self.folder, "db")
        spark._check_target(database)
        Database(database).import_pgn(self.file)
        with self.assertRaisesRegex(rukh.Error, "new folder"):
            spark._check_target(database)
        with self.assertRaises(rukh.DatabaseError):
            spark._check_target(self.folder)

    @unittest.skipUnless(has("pyarrow"), "no pyarrow")
    def test_analysis(self):
        import pyarrow

        mate = rukh.Position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
        given = pyarrow.RecordBatch.from_pydict({"code": [rukh.Position().code_text, mate.fen, "nonsense"]})
        rows = [row for table in spark._analyse({"nodes": 500}, 1, False, [given]) for row in table.to_pylist()]
        self.assertEqual([row["code"] for row in rows], [rukh.Position().code_text, mate.code_text, "nonsense"])
        self.assertTrue(rows[0]["depth"] > 0 and rows[0]["line"].startswith(rows[0]["move"]))
        self.assertEqual((rows[1]["mate"], rows[1]["move"], rows[1]["score"]), (1, "a1a8", None))
        self.assertEqual(set(rows[2].values()), {"nonsense", None})
        numbers = pyarrow.RecordBatch.from_pydict({"code": [str(mate.code)]})
        [again] = [row for table in spark._analyse({"nodes": 500}, 1, True, [numbers]) for row in table.to_pylist()]
        self.assertEqual(again, rows[1])


if __name__ == "__main__":
    unittest.main()
