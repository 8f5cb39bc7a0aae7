"""Games that are found by their positions."""

import os

from . import _rukh
from .games import Games, parquet_function


class Database:
    """The game database in a folder, as the program `rukh db` makes it. The first import makes the folder.

    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(os.path.join(folder, "games.pgn"), "w") as file:
    ...         _ = file.write("1. e4 e5 1-0\\n\\n1. e4 c5 0-1\\n")
    ...     database = rukh.Database(os.path.join(folder, "db"))
    ...     database.import_pgn(os.path.join(folder, "games.pgn"))["games"]
    ...     [(row["san"], row["games"]) for row in database.explore(Position().play("e4"))["moves"]]
    2
    [('c5', 1), ('e5', 1)]
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        self._core = _rukh.DatabaseCore(self.path)

    def import_pgn(self, *files, variant=None, threads=0, memory=None, max_ply=None, progress=None):
        """Adds the games of PGN files, plain or packed; games that are there already are counted as duplicates, those of a
        part of a file that was read before as resumed.

        `memory` is in megabytes; positions behind `max_ply` half-moves are not indexed. `progress` is called now and then with
        what is done so far; whatever it raises, and Ctrl-C, ends the import: what was read is kept, and the same import goes on
        from there. Returns how many games, positions, duplicates, resumed games and problems there were, with the first
        thousand broken games in `errors`.
        """
        files = [os.fspath(file) for file in files]
        return self._core.import_pgn(files, (variant, threads, memory, max_ply), progress)

    def build(self, games, positions, *, memory=None, segment_mb=None, progress=None):
        """Makes this database, which must be new, of a cluster's tables, as `rukh db build` does.

        `games` are PGN files with each game once, `positions` a Parquet file or a folder of them: rows as `positions()` has
        them, grouped by position and move, in the order of `key` (docs/formats/parquet.md; `rukh.spark` makes both).
        """
        games = [os.fspath(file) for file in games]
        build = parquet_function("build_database")
        return build(self.path, games, os.fspath(positions), memory, segment_mb, progress)

    def explore(self, position="startpos"):
        """What became of a position: games, results, ratings and years, for it and for each move that was played.

        `opening` is its ECO code and name; `best` and `latest` name games (see `games`). `missing` says what could not be read
        of a damaged database.
        """
        return self._core.explore(position)

    def positions(self):
        """All positions as tables, one row per position and move: code, uci, games, results, ratings, years, example games.

        The rows of a segment are in the order of `key`; a database of several has a position in each of them. Keys and hashes
        of games are unsigned numbers less 2**63.
        """
        return Games(self._core.positions(), self.path)

    def games(self, position=None, columns=None, *, extra=()):
        """All games as tables with the columns of `read_pgn` and `id`, or the best and latest games of a position.

        `extra` may ask for `hash`, which is equal for equal games in every database, and `pgn`, the game as text.
        """
        columns = None if columns is None else list(columns)
        return Games(self._core.games(position, columns, list(extra)), self.path)

    def totals(self):
        """How many games and positions there are, and how many bytes they take."""
        return self._core.totals()
