"""The database."""

import os
import random
import tempfile
import unittest

import rukh
from rukh import Database, Position

GAMES = "".join(
    f'[Event "{n}"]\n[White "A{n}"]\n[Black "B"]\n[WhiteElo "{2000 + n}"]\n[BlackElo "2000"]\n[Date "20{n % 20:02}.01.02"]\n\n'
    f"1. {move} {reply} {result}\n\n"
    for n, (move, reply, result) in enumerate(
        (move, reply, result)
        for move in ("e4", "d4", "c4")
        for reply in ("e5", "d5", "c5", "Nf6")
        for result in ("1-0", "1/2-1/2", "0-1")
    )
)


class Databases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "games.pgn")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(GAMES)
        self.database = Database(os.path.join(self.folder.name, "db"))

    def test_import_and_explore(self):
        seen = []
        report = self.database.import_pgn(self.file, progress=seen.append)
        self.assertEqual((report["games"], report["duplicates"], report["problems"], report["errors"]), (36, 0, 0, []))
        self.assertTrue(seen and "doing" in seen[0] and seen[-1]["games"] == 36)
        start = self.database.explore()
        self.assertEqual((start["games"], start["white"], start["draws"], start["black"]), (36, 12, 12, 12))
        self.assertEqual(sorted((row["san"], row["games"]) for row in start["moves"]), [("c4", 12), ("d4", 12), ("e4", 12)])
        self.assertIsNone(start["missing"])
        sicilian = self.database.explore(Position().play("e4", "c5"))
        self.assertEqual((sicilian["opening"], sicilian["games"]), (("B20", "Sicilian Defense"), 3))
        self.assertEqual(self.database.explore(Position().play("a3"))["games"], 0)
        self.assertEqual(self.database.totals()["games"], 36)
        again = self.database.import_pgn(self.file)
        self.assertEqual((again["games"], self.database.totals()["games"]), (0, 36))

    def test_games(self):
        self.database.import_pgn(self.file)
        rows = list(self.database.games(extra=["codes"]).rows())
        self.assertEqual([row["white"] for row in rows], [f"A{n}" for n in range(36)])
        self.assertEqual((rows[0]["moves"], rows[0]["result"], len(rows[0]["codes"])), (["e2e4", "e7e5"], "1-0", 3))
        self.assertEqual(len({row["id"] for row in rows}), 36)
        few = list(self.database.games(Position().play("d4", "Nf6")).rows())
        self.assertTrue(few and all(row["moves"] == ["d2d4", "g8f6"] for row in few))

    def test_hash_and_text_of_games(self):
        self.database.import_pgn(self.file)
        rows = list(self.database.games(columns=["hash", "pgn", "white"]).rows())
        self.assertEqual(len({row["hash"] for row in rows}), 36)
        again = "\n".join(row["pgn"] for row in reversed(rows))
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(again)
        other = Database(os.path.join(self.folder.name, "other"))
        other.import_pgn(self.file, memory=64, max_ply=0)
        hashes = [row["hash"] for row in other.games(columns=["hash"]).rows()]
        self.assertEqual(hashes, [row["hash"] for row in reversed(rows)])
        self.assertEqual(other.totals()["positions"], 1)

    def test_positions(self):
        self.database.import_pgn(self.file)
        rows = list(self.database.positions().rows())
        self.assertEqual(sum(row["games"] for row in rows if row["position"] == Position().fen), 36)
        self.assertEqual(len(rows), 3 + 3 * 4 + 3 * 4)
        keys = [row["key"] for row in rows]
        self.assertEqual(keys, sorted(keys))
        for row in rows:
            position = Position(row["position"])
            self.assertEqual((row["code"], row["key"] + 2**63), (position.code_text, position.key))
        self.assertEqual({row["uci"] for row in rows if Position(row["position"]).fullmove == 1 and row["games"] == 12}, {"e2e4", "d2d4", "c2c4"})

    def test_a_database_from_parquet(self):
        self.database.import_pgn(self.file)
        table, other = os.path.join(self.folder.name, "rows.parquet"), Database(os.path.join(self.folder.name, "built"))
        if not hasattr(rukh._rukh, "build_database"):
            with self.assertRaisesRegex(rukh.Error, "no Parquet"):
                other.build([self.file], table)
            self.skipTest("not a wheel")
        rows = list(self.database.positions().rows())
        self.assertEqual(self.database.positions().parquet(table), len(rows))
        report = other.build([self.file], table)
        self.assertEqual((report["games"], report["positions"]), (36, self.database.totals()["positions"]))
        self.assertEqual(list(other.positions().rows()), rows)
        with self.assertRaises(rukh.DatabaseError):
            other.build([self.file], table)
        with self.assertRaises(rukh.DatabaseError):
            Database(os.path.join(self.folder.name, "third")).build([self.file], self.file)
        # A damaged table is refused, or was damaged where it does not matter.
        lots = random.Random(1)
        with open(table, "rb") as file:
            good = file.read()
        for number in range(40):
            bad = bytearray(good)
            for _ in range(lots.randrange(1, 4)):
                bad[lots.randrange(len(bad))] = lots.randrange(256)
            with open(table, "wb") as file:
                file.write(bad[: lots.choice([len(bad), len(bad), lots.randrange(len(bad))])])
            try:
                Database(os.path.join(self.folder.name, f"bad{number}")).build([self.file], table)
            except rukh.DatabaseError:
                pass

    def test_stopping_an_import(self):
        class Enough(Exception):
            pass

        def progress(report):
            raise Enough

        with self.assertRaises(Enough):
            self.database.import_pgn(self.file, progress=progress)
        report = self.database.import_pgn(self.file)
        self.assertEqual(self.database.totals()["games"], 36)
        self.assertEqual(report["problems"], 0)

    def test_refusals(self):
        nothing = os.path.join(self.folder.name, "nothing.pgn")
        cases = [
            (self.database.path, lambda: self.database.explore()),
            (self.folder.name, lambda: Database(self.folder.name).import_pgn(self.file)),
            (nothing, lambda: self.database.import_pgn(nothing)),
        ]
        for place, ask in cases:
            with self.assertRaises(rukh.DatabaseError) as raised:
                ask()
            self.assertTrue(raised.exception.place.startswith(place), raised.exception.place)
            self.assertNotIn(place, raised.exception.reason.split(";")[0])
        self.database.import_pgn(self.file)
        with self.assertRaises(rukh.DatabaseError):
            self.database.explore(Position(variant="makruk"))
        with self.assertRaises(rukh.Error):
            self.database.games(columns=["nothing"])
        with open(self.file, "a", encoding="utf-8") as file:
            file.write("1. e4 e9 *\n\n")
        self.assertIn("e9", self.database.import_pgn(self.file)["errors"][0])


if __name__ == "__main__":
    unittest.main()
