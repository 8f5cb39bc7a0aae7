"""Games and positions as tables, and back."""

import bz2
import gzip
import http.server
import importlib.util
import io
import os
import pathlib
import tempfile
import threading
import unittest

import rukh

PGN = """[Event "One"]
[Site "?"]
[Date "2024.05.06"]
[White "Anna"]
[Black "Bo \\"B\\" Ek"]
[Result "1-0"]
[WhiteElo "2100"]
[BlackElo "?"]
[ECO "C50"]
[TimeControl "300+3"]
[WhiteTitle "WIM"]

{ The start. } 1. e4 { [%eval 0.31] [%clk 0:05:00] } e5 { [%eval 0.2] [%clk 0:04:58.5] a good reply }
2. Nf3 (2. f4 exf4 { the gambit }) 2... Nc6 { [%eval #-12] } 3. Bc4 Nf6 4. O-O 1-0

[Event "Two"]
[FEN "8/4P3/8/8/8/8/k7/4K3 w - - 0 1"]
[SetUp "1"]

1. e8=Q Kb2 1/2-1/2

[Event "Three"]
[Variant "Makruk"]

1. e4 d5 *
"""
BROKEN = PGN.replace("Kb2", "Kb9")


def has(name):
    return importlib.util.find_spec(name) is not None


def rows(text, *arguments, **options):
    return list(rukh.read_pgn(io.StringIO(text), *arguments, **options).rows())


class Reading(unittest.TestCase):
    def test_columns(self):
        one, two, three = rows(PGN, extra=["san", "codes", "long_codes", "WhiteTitle"])
        self.assertEqual((one["event"], one["site"], one["date"], one["black"]), ("One", None, "2024.05.06", 'Bo "B" Ek'))
        self.assertEqual((one["white_elo"], one["black_elo"], one["eco"], one["result"]), (2100, None, "C50", "1-0"))
        self.assertEqual((one["time_control"], one["WhiteTitle"], two["WhiteTitle"]), ("300+3", "WIM", None))
        self.assertEqual(one["moves"], ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "e1g1"])
        self.assertEqual(one["san"], ["e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6", "O-O"])
        self.assertEqual(one["clocks"], [300000, 298500] + 5 * [None])
        self.assertEqual(one["evals"], [31, 20] + 5 * [None])
        self.assertEqual(one["mates"], [None, None, None, -12, None, None, None])
        self.assertEqual(one["comments"], [None, "a good reply"] + 5 * [None])
        self.assertEqual((one["intro"], one["line"], one["plies"], one["fen"]), ("The start.", 1, 7, None))
        position = rukh.Position()
        for move, code, text in zip([None] + one["moves"], one["codes"], one["long_codes"]):
            position = position.play(move) if move else position
            self.assertEqual((position.code, position.code_text), (code, text))
        self.assertEqual(len(one["codes"]), 8)
        self.assertEqual((two["moves"], two["result"], two["clocks"]), (["e7e8q", "a2b2"], "1/2-1/2", None))
        self.assertEqual(two["fen"], "8/4P3/8/8/8/8/k7/4K3 w - - 0 1")
        self.assertEqual((three["variant"], three["moves"], three["result"]), ("makruk", ["e3e4", "d6d5"], "*"))
        self.assertEqual(PGN.splitlines()[two["line"] - 1], '[Event "Two"]')

    def test_dates_and_ratings_as_files_have_them(self):
        day = '[Date "????.??.??"]\n[UTCDate "2017.04.30"]\n[WhiteElo "2100?"]\n[BlackElo "-"]\n\n1. e4 *\n'
        (row,) = rows(day, ["date", "white_elo", "black_elo"])
        self.assertEqual(row, {"date": "2017.04.30", "white_elo": 2100, "black_elo": None})

    def test_order_threads_and_batches(self):
        text = "".join(f'[Event "{n}"]\n\n1. e4 e5 2. Nf3 *\n\n' for n in range(1000))
        for threads in (1, 3, None):
            games = rukh.read_pgn(io.StringIO(text), ["event"], batch_size=7, threads=threads)
            batches = list(games)
            self.assertEqual((len(batches), games.games_read), (143, 1000))
            events = [event for batch in batches for event in batch.to_pydict()["event"]]
            self.assertEqual(events, [str(n) for n in range(1000)])
        numbers = [row["game"] for row in rukh.positions(io.StringIO(text), batch_size=9).rows()]
        self.assertEqual(numbers, [n for n in range(1000) for _ in range(4)])

    def test_packed_files_and_sources(self):
        expected = rows(PGN)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "games.pgn")
            for ending, packed in (("", PGN.encode()), (".gz", gzip.compress(PGN.encode())), (".bz2", bz2.compress(PGN.encode()))):
                with open(path + ending, "wb") as file:
                    file.write(packed)
                self.assertEqual(list(rukh.read_pgn(path + ending).rows()), expected)
                with open(path + ending, "rb") as file:
                    self.assertEqual(list(rukh.read_pgn(file).rows()), expected)
                self.assertEqual(list(rukh.read_pgn(io.BytesIO(packed)).rows()), expected)
            self.assertEqual(rukh.write_pgn(expected, path + ".zst"), 3)
            self.assertEqual([row["moves"] for row in rukh.read_pgn(path + ".zst").rows()], [row["moves"] for row in expected])
            with open(path + ".zst", "rb") as file:
                self.assertEqual(file.read(4), b"\x28\xb5\x2f\xfd")

    def test_broken_games(self):
        with self.assertRaises(rukh.PgnError) as caught:
            rows(BROKEN)
        line = next(n for n, text in enumerate(BROKEN.splitlines(), 1) if "Kb9" in text)
        self.assertEqual(caught.exception.place, f"source:{line}")
        self.assertIn("Kb9", caught.exception.reason)
        games = rukh.read_pgn(io.StringIO(BROKEN), errors="skip")
        self.assertEqual([row["event"] for row in games.rows()], ["One", "Three"])
        self.assertEqual((games.skipped, games.problems[0][0]), (1, f"source:{line}"))

    def test_refusals(self):
        for source in ("/no/such/file.pgn", os.path.dirname(__file__)):
            with self.assertRaises(rukh.PgnError) as caught:
                list(rukh.read_pgn(source))
            self.assertIn(source, caught.exception.place)
        # What cannot be written is named once.
        with self.assertRaisesRegex(rukh.PgnError, "^cannot write /no/such/file.pgn: [^/]*$"):
            rukh.write_pgn([], "/no/such/file.pgn")
        for source in (7, None, object()):
            with self.assertRaises(TypeError):
                rukh.read_pgn(source)
        for options in ({"columns": ["nothing"]}, {"columns": []}, {"errors": "hide"}, {"extra": ["code"]}):
            with self.assertRaises(rukh.Error):
                rukh.read_pgn(io.StringIO(PGN), **options)
        with self.assertRaises(rukh.PgnError):
            list(rukh.read_pgn(io.BytesIO(gzip.compress(PGN.encode())[:60])))

    def test_addresses(self):
        class Quiet(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                there = self.path == "/games.pgn.bz2"
                self.send_response(200 if there else 404)
                self.end_headers()
                self.wfile.write(bz2.compress(PGN.encode()) if there else b"")

            def log_message(self, *words):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Quiet) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            here = f"http://127.0.0.1:{server.server_port}"
            try:
                self.assertEqual(len(list(rukh.read_pgn(f"{here}/games.pgn.bz2").rows())), 3)
                with self.assertRaisesRegex(rukh.PgnError, f"^{here}/nothing.pgn: cannot read: 404"):
                    rukh.read_pgn(f"{here}/nothing.pgn")
            finally:
                server.shutdown()
                thread.join()
        for address in ("http://127.0.0.1:1/x.pgn", "http://", "https://[nowhere/x.pgn"):
            with self.assertRaises(rukh.PgnError) as raised:
                rukh.read_pgn(address)
            self.assertEqual(raised.exception.place, address)

    def test_sources_that_fail(self):
        class Failing(io.RawIOBase):
            served = False

            def read(self, size=-1):
                if self.served:
                    raise OSError("the line went dead")
                self.served = True
                return b"1. e4 e5 *\n\n"

        with self.assertRaises(rukh.PgnError) as caught:
            list(rukh.read_pgn(Failing()))
        self.assertIn("the line went dead", caught.exception.reason)

        class Strange:
            def read(self, size):
                return 3.5

        with self.assertRaises(rukh.PgnError):
            list(rukh.read_pgn(Strange()))

    def test_left_early_and_shared(self):
        text = '[Event "x"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n' * 3000
        for _ in range(20):
            next(rukh.read_pgn(io.StringIO(text), batch_size=10))
        with rukh.read_pgn(io.StringIO(text), batch_size=10) as games:
            next(games)
        self.assertEqual(list(games), [])
        games, counts = rukh.read_pgn(io.StringIO(text), ["plies"], batch_size=50), []
        threads = [threading.Thread(target=lambda: counts.append(sum(len(batch) for batch in games))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(counts), 3000)

    def test_positions(self):
        table = list(rukh.positions(io.StringIO(PGN), extra=["fen", "san", "eval", "clock", "white_elo"]).rows())
        self.assertEqual(len(table), 8 + 3 + 3)
        self.assertEqual([row["ply"] for row in table[:8]], list(range(8)))
        self.assertEqual((table[1]["move"], table[1]["san"], table[1]["eval"], table[1]["clock"]), ("e7e5", "e5", 20, 298500))
        self.assertEqual({row["white_elo"] for row in table[:8]}, {2100})
        for row in table[:8]:
            self.assertEqual(rukh.Position(row["fen"]).code, row["code"])
        self.assertEqual([row["game"] for row in table], 8 * [0] + 3 * [1] + 3 * [2])

    def test_round_trip(self):
        first = rows(PGN, extra=["WhiteTitle"])
        out = io.StringIO()
        self.assertEqual(rukh.write_pgn(first, out), 3)
        again = rows(out.getvalue(), extra=["WhiteTitle"])
        for row in first + again:
            del row["line"]
        self.assertEqual(again, first)

    def test_writing_refusals(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "games.pgn")
            with self.assertRaises(rukh.MoveError) as caught:
                rukh.write_pgn([{"moves": ["e4"]}, {"moves": ["e4", "e4"]}], path)
            self.assertEqual(caught.exception.place, "game 1, half-move 2")
            self.assertEqual(os.listdir(folder), [], "nothing is left of what could not be finished")
            for games in ([7], 5):
                with self.assertRaises(TypeError):
                    rukh.write_pgn(games, path)
            with self.assertRaises(rukh.PgnError):
                rukh.write_pgn([{}], os.path.join(folder, "no", "such", "folder.pgn"))


class Frames(unittest.TestCase):
    """Into other libraries; what is not installed is skipped."""

    def setUp(self):
        self.expected = rows(PGN, extra=["codes"])

    def read(self):
        return rukh.read_pgn(io.StringIO(PGN), extra=["codes"])

    @unittest.skipUnless(has("pyarrow"), "no pyarrow")
    def test_pyarrow(self):
        import pyarrow

        table = self.read().arrow()
        table.validate(full=True)
        self.assertEqual(table.to_pylist(), self.expected)
        batch = pyarrow.record_batch(next(self.read()))
        batch.validate(full=True)
        self.assertEqual(batch.to_pylist(), self.expected)
        self.assertEqual([batch.num_rows for batch in self.read().batches()], [3])
        self.assertEqual(pyarrow.table(self.read()).num_rows, 3)
        self.assertEqual(str(table.schema.field("codes").type), "list<item: int64>")
        out = io.StringIO()
        self.assertEqual(rukh.write_pgn(table, out), 3)
        empty = rukh.read_pgn(io.StringIO("")).arrow()
        self.assertEqual((empty.num_rows, empty.column_names), (0, rukh.read_pgn(io.StringIO("")).column_names))
        with self.assertRaises(rukh.PgnError):
            rukh.read_pgn(io.StringIO(BROKEN)).arrow()

    def test_no_table_in_the_place_of_its_games(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "games.pgn")
            path.write_text("1. e4 e5 1-0\n")
            database = rukh.Database(os.path.join(folder, "db"))
            database.import_pgn(path)
            manifest = os.path.join(database.path, "MANIFEST")
            with open(path) as file:
                for games, place in [
                    (rukh.read_pgn(path), path),
                    (rukh.read_pgn(str(path)), os.path.join(folder, "db", "..", "games.pgn")),
                    (rukh.read_pgn(path), os.fsencode(path)),
                    (rukh.positions(file), path),
                    (database.games(), manifest),
                    (database.positions(), os.path.join(database.path, "new.parquet")),
                ]:
                    with self.assertRaisesRegex(rukh.Error, "read from"):
                        games.parquet(place)
                    games.close()
            self.assertEqual(path.read_text(), "1. e4 e5 1-0\n")
            self.assertEqual(database.totals()["games"], 1)
            self.assertEqual(len(os.listdir(database.path)), 4)

    @unittest.skipUnless(hasattr(rukh._rukh, "write_parquet") and has("pyarrow"), "no wheel or no pyarrow")
    def test_parquet(self):
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "games.parquet")
            self.assertEqual(self.read().parquet(path), 3)
            self.assertEqual(pyarrow.parquet.read_table(path).to_pylist(), self.expected)
            # A list without items, an item without a value, several parts in a group, no rows at all.
            text = PGN + '[White "Nobody"]\n\n*\n\n' + PGN
            games = rukh.read_pgn(io.StringIO(text), extra=["codes", "WhiteTitle"], batch_size=1)
            self.assertEqual(games.parquet(path), 7)
            self.assertEqual(pyarrow.parquet.read_table(path).to_pylist(), rows(text, extra=["codes", "WhiteTitle"]))
            self.assertEqual(rukh.read_pgn(io.StringIO("")).parquet(path), 0)
            self.assertEqual(pyarrow.parquet.read_table(path).num_rows, 0)
            with self.assertRaises(rukh.PgnError):
                rukh.read_pgn(io.StringIO(BROKEN)).parquet(os.path.join(folder, "broken.parquet"))
            self.assertEqual(os.listdir(folder), ["games.parquet"])
            with self.assertRaises(rukh.Error):
                self.read().parquet(os.path.join(folder, "nowhere", "x.parquet"))

    @unittest.skipUnless(has("polars"), "no polars")
    def test_polars(self):
        frame = self.read().polars()
        self.assertEqual(frame.to_dicts(), self.expected)
        out = io.StringIO()
        self.assertEqual(rukh.write_pgn(frame, out), 3)
        with self.assertRaises(rukh.PgnError):
            rukh.read_pgn(io.StringIO(BROKEN)).polars()

    @unittest.skipUnless(has("pandas") and has("pyarrow"), "no pandas")
    def test_pandas(self):
        frame = self.read().pandas()
        self.assertEqual(frame["white"].tolist()[0], "Anna")
        self.assertEqual(list(frame["moves"][0]), self.expected[0]["moves"])
        out = io.StringIO()
        self.assertEqual(rukh.write_pgn(frame, out), 3)
        self.assertIn('[WhiteElo "2100"]', out.getvalue())

    @unittest.skipUnless(has("duckdb") and has("pyarrow"), "no DuckDB")
    def test_duckdb(self):
        relation = self.read().duckdb()
        self.assertEqual(relation.aggregate("sum(plies)").fetchall(), [(11,)])


if __name__ == "__main__":
    unittest.main()
