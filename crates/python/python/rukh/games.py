"""Games and positions as tables."""

import contextlib
import os

from . import _rukh
from .errors import Error, PgnError


class Games:
    """Games or positions as tables, read lazily: an iterator of Arrow record batches.

    Anything that understands `__arrow_c_stream__` reads it without copying; `polars`, `pandas`, `arrow` and `duckdb` are
    one call each. It can be iterated only once.
    """

    def __init__(self, reader, source=None):
        self._reader = reader
        self._source = source

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._reader)

    def __arrow_c_schema__(self):
        return self._reader.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self._reader.__arrow_c_stream__(requested_schema)

    @property
    def column_names(self):
        """The columns' names."""
        return self._reader.column_names

    @property
    def games_read(self):
        """The number of games read so far."""
        return self._reader.games_read

    @property
    def skipped(self):
        """The number of broken games skipped (`errors="skip"`)."""
        return self._reader.skipped

    @property
    def problems(self):
        """Place and reason of the first thousand broken games that were skipped."""
        return self._reader.problems

    def close(self):
        """Stops reading."""
        self._reader.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def rows(self):
        """One dict per row, with plain Python values: needs no other package.

        >>> import io
        >>> for row in rukh.read_pgn(io.StringIO('[White "Anna"]\\n\\n1. e4 e5 1-0')).rows():
        ...     row["white"], row["result"], row["moves"]
        ('Anna', '1-0', ['e2e4', 'e7e5'])
        """
        for batch in self:
            columns = batch.to_pydict()
            names = list(columns)
            for values in zip(*columns.values()):
                yield dict(zip(names, values))

    def arrow(self):
        """Everything as a `pyarrow.Table`."""
        import pyarrow

        with self._own_words():
            return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def batches(self):
        """A `pyarrow.RecordBatchReader`, for data larger than memory."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self)

    def polars(self):
        """Everything as a `polars.DataFrame`."""
        import polars

        with self._own_words():
            return polars.DataFrame(self)

    def pandas(self):
        """Everything as a `pandas.DataFrame` (needs pyarrow)."""
        return self.arrow().to_pandas()

    def parquet(self, path):
        """Writes everything to a Parquet file, one batch at a time; returns the number of rows. Needs no other package.

        >>> import io, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rukh.read_pgn(io.StringIO("1. e4 e5 1-0")).parquet(os.path.join(folder, "games.parquet"))
        1
        """
        path = os.fspath(path)
        if _is_read(self._source, path):
            raise Error("this is where the games are read from, so it is not overwritten", os.fsdecode(path))
        return parquet_function("write_parquet")(self._reader, path)

    def duckdb(self, connection=None):
        """A DuckDB relation that is read lazily, once (needs pyarrow): `read_pgn(…).duckdb().aggregate("count(*)")`."""
        import duckdb

        with self._own_words():
            return (connection or duckdb).from_arrow(self.batches())

    @contextlib.contextmanager
    def _own_words(self):
        """An Arrow stream can only pass a text on: raises what really went wrong."""
        try:
            yield
        except Exception:
            self._reader._raise_fault()
            raise


def _is_read(source, path):
    """Whether an output would replace a file that is read, or one of a database's folder."""
    paths = (str, os.PathLike)
    source = source if isinstance(source, paths) else getattr(source, "name", None)  # of a file object
    if not isinstance(source, paths) or not os.path.exists(source):
        return False
    place = os.path.realpath(os.fsencode(path))
    if os.path.isdir(source):
        return os.path.dirname(place) == os.path.realpath(os.fsencode(source))
    return os.path.exists(place) and os.path.samefile(place, source)


def parquet_function(name):
    """What wheels have; a build for tests may be without it."""
    if not hasattr(_rukh, name):
        raise Error("this build of rukh has no Parquet support: 'cargo xtask python' makes a wheel with it")
    return getattr(_rukh, name)


def read_pgn(source, columns=None, *, extra=(), errors="raise", batch_size=65536, threads=None):
    """Games of a PGN file as a table, one row per game, read on all cores with bounded memory.

    `source` is a path, a URL or a file object, plain or compressed (.zst, .gz, .bz2). The default columns are event,
    site, date (or UTCDate), round, white, black, result, white_elo, black_elo, eco, opening, time_control, termination,
    variant, fen (of games not from the starting position), line (in the file), plies, moves (UCI), clocks (milliseconds
    after each move), evals (centipawns) and mates from White's side, comments, and intro (the comment before the first
    move). `extra` adds san, codes (of all positions, the first and the last too: one more than moves; null where 64
    bits are not enough), long_codes (text, never null), and any tag by name, such as WhiteTitle. Fewer columns are
    faster.

    A broken game raises `PgnError` with its line; with `errors="skip"` it is skipped, counted in `skipped` and listed in
    `problems`. A batch has at most `batch_size` games, from about a megabyte of text.

    >>> import io
    >>> games = rukh.read_pgn(io.BytesIO(b"1. e4 e5 2. Nf3 *"), ["plies"], extra=["codes"])
    >>> batch = next(games)
    >>> batch.column_names, batch.num_rows, len(batch.to_pydict()["codes"][0])
    (['plies', 'codes'], 1, 4)
    """
    return _read(source, columns, extra, False, errors, batch_size, threads)


def positions(source, columns=None, *, extra=(), errors="raise", batch_size=65536, threads=None):
    """Positions of a PGN file as a table, one row per position: game, ply, code, move (played there), result.

    `extra` adds fen, long_code, san, clock, eval, mate, comment (all of the move played there), any column that `read_pgn`
    has for a whole game, such as white_elo, and any tag. Otherwise like `read_pgn`.

    >>> import io
    >>> table = rukh.positions(io.StringIO("1. e4 e5 1-0"))
    >>> next(table).to_pydict()["move"]
    ['e2e4', 'e7e5', None]
    """
    return _read(source, columns, extra, True, errors, batch_size, threads)


def _read(source, columns, extra, positions, errors, batch_size, threads):
    if isinstance(source, str) and source.startswith(("http://", "https://")):
        source = _opened(source)
    if isinstance(columns, str) or isinstance(extra, str):
        raise TypeError("columns and extra are lists of names")
    columns = None if columns is None else list(columns)
    return Games(_rukh.Reader(source, columns, list(extra), positions, errors, batch_size, threads), source)


def _opened(url):
    """The answer of a server, or our error with its reason."""
    import http.client
    import urllib.request

    try:
        return urllib.request.urlopen(url)
    except urllib.request.HTTPError as error:
        error.close()
        raise PgnError(f"cannot read: {error.code} {error.reason}", url) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise PgnError(f"cannot read: {getattr(error, 'reason', error)}", url) from error


def write_pgn(games, target):
    """Writes games to a file (compressed if it ends in .zst, .gz or .bz2) or a text file object; returns their number.

    `games` are rows as in `read_pgn`: dicts, or a polars, pandas or pyarrow table. Columns that are missing or
    null are left out; moves may be UCI or SAN, as a list or one string. The file appears only if everything was written.

    >>> import io
    >>> out = io.StringIO()
    >>> rukh.write_pgn([{"white": "Anna", "moves": "e4 e5 Nf3", "result": "1-0"}], out)
    1
    >>> print(out.getvalue())
    [White "Anna"]
    [Result "1-0"]
    <BLANKLINE>
    1. e4 e5 2. Nf3 1-0
    <BLANKLINE>
    """
    rows = _rows(games)
    if isinstance(target, (str, os.PathLike)):
        return _rukh.write_pgn(rows, target)
    if not hasattr(target, "write"):
        raise TypeError("expected a path or a file object to write to")
    count = 0
    for row in rows:
        if not isinstance(row, dict):
            raise TypeError(f"expected a dict for each game, not {type(row).__name__}")
        target.write(("\n" if count else "") + _rukh.pgn_text(row, count))
        count += 1
    return count


def _rows(games):
    """Rows as dicts, whatever the table."""
    if isinstance(games, Games):
        return games.rows()
    if hasattr(games, "iter_rows"):  # polars
        return games.iter_rows(named=True)
    if hasattr(games, "to_batches"):  # pyarrow
        return (row for batch in games.to_batches() for row in batch.to_pylist())
    if hasattr(games, "to_pylist"):
        return iter(games.to_pylist())
    if hasattr(games, "to_dict") and hasattr(games, "columns"):  # pandas
        return iter(games.to_dict("records"))
    if isinstance(games, (dict, str, bytes)):
        raise Error("expected several games")
    return iter(games)
