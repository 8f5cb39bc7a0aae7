"""The worked example of docs/formats/parquet.md, as it stands there: two databases and a table of what an engine knows, written
as Parquet by `rukh`, joined by code in DuckDB.

usage: join.py RUKH MASTERS.pgn MINE.pgn [games of each]; RUKH is a build with `--features parquet`. What comes out is held against the CSV
that the same databases give, joined in plain Python.
"""

import csv
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import duckdb

PAGE = Path(__file__).resolve().parents[2] / "docs/formats/parquet.md"


def rukh(*words):
    """Runs the program; what it says."""
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def favourites(path, at_least):
    """By code: the position, its most played moves and all its games."""
    moves = defaultdict(dict)
    fens = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            moves[row["code"]][row["uci"]] = int(row["games"])
            fens[row["code"]] = row["fen"]
    best = {}
    for code, played in moves.items():
        if sum(played.values()) >= at_least:
            most = max(played.values())
            best[code] = (fens[code], {uci for uci, games in played.items() if games == most}, sum(played.values()))
    return best


def main(program, masters, mine, games="2000"):
    program = Path(program).resolve()
    query = re.search(r"```sql\n(WITH best.*?)```", PAGE.read_text(encoding="utf-8"), re.S).group(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, source in (("masters", masters), ("mine", mine)):
            pgn = folder / f"{name}.pgn"
            rukh(program, "pgn", "sample", "--count", games, "--out", pgn, Path(source).resolve())
            rukh(program, "db", "import", "--db", folder / name, pgn)
            for form in ("parquet", "csv"):
                least = () if form == "parquet" else ("--min-games", "1")
                rukh(program, "db", "export", "--db", folder / name, *least, "--out", folder / f"{name}.{form}")
        # What the engine knows: a short search of the first position, as learned positions.
        known = folder / "known.parquet"
        rukh(program, "analyse", "startpos", "--nodes", "100000", "--save-hash", known)
        database = duckdb.connect()
        database.execute(f"SET file_search_path = '{folder}'")
        rows = database.execute(query).fetchall()
        ours, theirs = favourites(folder / "mine.csv", 5), favourites(folder / "masters.csv", 1)
        differ = sorted((games for code, (_, uci, games) in ours.items() if code in theirs and not uci & theirs[code][1]), reverse=True)
        by_fen = {fen: (uci, games) for fen, uci, games in ours.values()}
        both = len(ours.keys() & theirs.keys())
        assert both > 20 and rows, (both, len(rows))
        assert both == len({fen for fen, _, _ in ours.values()} & {fen for fen, _, _ in theirs.values()}), "by FEN and by code"
        assert len(rows) >= min(20, len(differ)), (len(rows), len(differ))
        played = {fen: uci for fen, uci, _ in theirs.values()}
        for fen, my_move, their_move, *_ in rows:
            assert my_move in by_fen[fen][0] and their_move in played[fen] and my_move != their_move, fen
        counts = [by_fen[row[0]][1] for row in rows]
        assert counts == sorted(counts, reverse=True), counts
        engine = sum(row[3] is not None for row in rows)
        print(f"{both} positions in both databases by code and by FEN, {len(rows)} rows of the example, {engine} with the engine's move")


if __name__ == "__main__":
    main(*sys.argv[1:])
