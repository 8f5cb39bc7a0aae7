"""Games and positions on a Spark cluster, with nothing but this package on its machines: `pip install rukh[spark]`.

Every step is a DataFrame, so that Spark's own tools go on from there: `games` reads PGN files, `unique` leaves each game once,
`rows` has the figures of each position and move, `grouped` sums them, `analyse` asks the engine. `build` does the first four
and makes the database that `rukh db import` would make of the same files.

A task that fails or is started twice writes nothing of its own: it works in a folder that it removes, and Spark keeps one
answer of each. Nor does one large file or a common position hold up the others: plain files are read in parts, games are dealt
out by their hash, and the start of all games is one row of each part before anything is sent.
"""

import argparse
import functools
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from ._rukh import Position
from .database import Database
from .engine import Engine
from .errors import Error

GAMES = (
    "hash bigint, shard string, start bigint, number bigint, event string, site string, date string, round string, "
    "white string, black string, result string, white_elo int, black_elo int, eco string, time_control string, "
    "variant string, fen string, plies int, pgn string"
)
ROWS = (
    "key bigint, code string, position string, uci string, games bigint, white bigint, draws bigint, black bigint, "
    "rated bigint, rating_sum bigint, first_year int, last_year int, first_game bigint, first_ply int, best_rating int, "
    "best_game bigint, latest_date int, latest_game bigint"
)
ANALYSED = "code string, depth int, score int, mate int, move string, line string"

_TAG = re.compile(rb'\[\w+\s+".*"\]\s*$')
_PACKED = (b"\x28\xb5\x2f\xfd", b"\x1f\x8b", b"BZh")


def games(spark, paths, *, split_mb=256, memory=256, variant=None):
    """The games of PGN files that every worker can read, plain or packed, as a DataFrame: tags as columns, and `pgn`.

    `hash` is equal for equal games; shard, start and number say where a game was read. Plain files are cut into parts of
    `split_mb`; packed ones cannot be. `memory` is in megabytes for each task. Broken games are left out, and named on the
    worker's stderr.
    """
    tasks = []
    for path in sorted(os.fspath(path) for path in paths):
        size, step = os.path.getsize(path), max(int(split_mb * 1e6), 1 << 16)
        with open(path, "rb") as file:
            whole = file.read(4).startswith(_PACKED)
        tasks += [(path, start, min(start + step, size)) for start in range(0, size, step)] if not whole else [(path, 0, size)]
    if not tasks:
        raise Error("there are no games to read")
    parts = spark.sparkContext.parallelize(tasks, len(tasks)).toDF("path string, start bigint, end bigint")
    return _map_in_arrow(parts, functools.partial(_games, memory, variant), GAMES)


def unique(games):
    """Each game once: the first by shard, start and number."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    order = Window.partitionBy("hash").orderBy("shard", "start", "number")
    return games.withColumn("copy", F.row_number().over(order)).where("copy = 1").drop("copy")


def rows(games, *, memory=256):
    """The figures of each position and move of some games; those of a partition are summed where they are made."""
    return _map_in_arrow(games.select("pgn"), functools.partial(_rows, memory), ROWS)


def grouped(rows):
    """Sums of rows by position and move. A position is its code."""
    from pyspark.sql import functions as F

    counts = ["games", "white", "draws", "black", "rated", "rating_sum"]
    known = F.when(F.col("first_year") > 0, F.col("first_year"))
    # A Makruk count that has run out has no code.
    place = F.when(F.col("code") == "", F.col("position")).otherwise(F.col("code"))
    pairs = {"first": ("first_game", "first_ply"), "best": ("best_rating", "best_game"), "latest": ("latest_date", "latest_game")}
    pick = {"first": F.min, "best": F.max, "latest": F.max}
    sums = rows.groupBy(place.alias("place"), "uci").agg(
        *[F.first(name).alias(name) for name in ("key", "code", "position")],
        *[F.sum(name).alias(name) for name in counts],
        F.coalesce(F.min(known), F.lit(0)).alias("first_year"),
        F.max("last_year").alias("last_year"),
        *[pick[name](F.struct(*pair)).alias(name) for name, pair in pairs.items()],
    )
    flat = [F.col(f"{name}.{part}").alias(part) for name, pair in pairs.items() for part in pair]
    return sums.select("key", "code", "position", "uci", *counts, "first_year", "last_year", *flat)


def analyse(positions, *, column="code", nodes=None, depth=None, hash_mb=16, per_task=1000):
    """What the engine says of positions (codes as texts or numbers, or FENs in `column`): code, depth, score, mate, move, line.

    Each position is analysed once, by itself and with a limit of `nodes` or `depth`, so that the answer does not depend on
    where it was found. Tasks have about `per_task` positions. Codes come back as texts; what is no position comes back as it was,
    with nothing beside it.
    """
    if (nodes is None) == (depth is None):
        raise Error("nodes or depth, one of them, says how long to think")
    number = dict(positions.dtypes)[column] in ("bigint", "int")
    places = positions.select(positions[column].cast("string").alias("code")).distinct()
    parts = max(-(-places.count() // max(per_task, 1)), 1)
    limits = {"nodes": nodes} if depth is None else {"depth": depth}
    return _map_in_arrow(places.repartition(parts), functools.partial(_analyse, limits, hash_mb, number), ANALYSED)


def build(spark, paths, work, database, *, parts=8, split_mb=256, memory=256, build_memory=1024, segment_mb=None, variant=None):
    """A database of PGN files, made by the cluster: the same as `Database.import_pgn` would make, row for row.

    `work` is a folder that all machines see; games and positions stay there as Parquet. Begun again, it goes on after the
    last table that is whole. The database itself is made here, by the driver.
    """
    work, paths = Path(work), [os.fspath(path) for path in paths]
    _check_target(database)
    _check_work(work, {"variant": variant, "files": sorted(_state(path) for path in paths)})
    tables = {name: work / name for name in ("games", "positions")}
    if not (tables["games"] / "_SUCCESS").exists():
        once = unique(games(spark, paths, split_mb=split_mb, memory=memory, variant=variant))
        ranged = once.repartitionByRange(parts, "hash").sortWithinPartitions("hash")
        ranged.write.mode("overwrite").parquet(str(tables["games"]))
    if not (tables["positions"] / "_SUCCESS").exists():
        sums = grouped(rows(spark.read.parquet(str(tables["games"])), memory=memory))
        ranged = sums.repartitionByRange(parts, "key").sortWithinPartitions("key", "code", "uci")
        ranged.write.mode("overwrite").parquet(str(tables["positions"]))
    with tempfile.TemporaryDirectory(prefix="pgn-", dir=work) as folder:
        files = []
        for table in sorted(tables["games"].glob("part-*.parquet")):
            files.append(os.path.join(folder, f"{len(files):05}.pgn"))
            with open(files[-1], "w", encoding="utf-8", newline="\n") as file:
                _texts(_batches(table), file)
        return Database(database).build(files, tables["positions"], memory=build_memory, segment_mb=segment_mb)


def _check_target(database):
    """Refuses a folder that the last step would refuse, hours later."""
    if Path(database).exists() and any(Path(database).iterdir()) and Database(database).totals()["games"]:
        raise Error("there is a database already: build into a new folder", str(database))


def _state(path):
    """What tells a file from the same one edited; to read all of it would take too long."""
    about = os.stat(path)
    return path, about.st_size, about.st_mtime_ns


def _check_work(work, inputs):
    """Tables that are whole are not made again; those of other files must not be taken for them.

    What is not whole is written over, with all that is in its folder: so only where a note says that it is ours.
    """
    note, part, text = work / "inputs.json", work / "inputs.json.part", json.dumps(inputs)
    if not note.exists():
        work.mkdir(parents=True, exist_ok=True)
        # A run that died here has left the first part of its note; anything else is somebody's own.
        ours = part.is_file() and not part.is_symlink() and text.encode().startswith(part.read_bytes())
        if any(entry != part or not ours for entry in work.iterdir()):
            raise Error("this folder is neither empty nor from an earlier run: choose a new one", str(work))
        part.write_text(text, encoding="utf-8")
        part.replace(note)
    elif json.loads(note.read_text(encoding="utf-8")) != json.loads(text):
        raise Error("this folder has the tables of other files: choose a new one", str(work))


def _map_in_arrow(table, work, schema):
    return table.mapInArrow(work, schema)


def _batches(table):
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(table) as file:
        yield from file.iter_batches(columns=["pgn"])


def _texts(batches, file):
    """Writes games, each with a blank line behind it; says how many."""
    count = 0
    for batch in batches:
        for text in batch.column("pgn").to_pylist():
            file.write(text + "\n")
            count += 1
    return count


def _games(memory, variant, batches):
    """A task: the games of its parts of files."""
    import pyarrow

    names = [column.split()[0] for column in GAMES.split(", ")]
    for batch in batches:
        for task in batch.to_pylist():
            with tempfile.TemporaryDirectory(prefix="rukh-") as folder:
                source, start = _part(task, folder), task["start"]
                database = Database(os.path.join(folder, "db"))
                report = database.import_pgn(source, variant=variant, threads=1, memory=memory, max_ply=0)
                for problem in report["errors"]:
                    print(f"{task['path']}, from byte {start}: {problem}", file=sys.stderr)
                if not report["games"]:
                    continue
                number, shard = 0, os.path.basename(task["path"])
                for table in database.games(columns=[name for name in names if name not in ("shard", "start", "number")]).batches():
                    count = table.num_rows
                    columns = {
                        "shard": pyarrow.array([shard] * count),
                        "start": pyarrow.array([start] * count, pyarrow.int64()),
                        "number": pyarrow.array(range(number, number + count), pyarrow.int64()),
                        **dict(zip(table.schema.names, table.columns)),
                    }
                    number += count
                    yield pyarrow.record_batch([columns[name] for name in names], names=names)


def _part(task, folder):
    """A file that holds the games of a part: those that begin in it."""
    path, start, end = task["path"], task["start"], task["end"]
    if start == 0 and end >= os.path.getsize(path):
        return path
    part = os.path.join(folder, "part.pgn")
    with open(path, "rb") as file, open(part, "wb") as out:
        at, until = _game_from(file, start), _game_from(file, end)
        file.seek(at)
        while at < until and (block := file.read(min(1 << 20, until - at))):
            out.write(block)
            at += len(block)
    return part


def _game_from(file, at):
    """Where the first game behind this byte begins: a tag behind a blank line; the end of the file if there is none.

    Two parts that meet at a byte agree about it. A file without tags is one part.
    """
    if at == 0:
        return 0
    file.seek(max(at - 4, 0))
    before = file.read(min(4, at))
    blank = before.endswith((b"\n\n", b"\n\r\n"))
    if not before.endswith(b"\n"):
        at += len(file.readline())
    while line := file.readline():
        if blank and _TAG.match(line):
            return at
        blank = not line.strip()
        at += len(line)
    return at


def _rows(memory, batches):
    """A task: the figures of all positions and moves of its games."""
    with tempfile.TemporaryDirectory(prefix="rukh-") as folder:
        source = os.path.join(folder, "games.pgn")
        with open(source, "w", encoding="utf-8", newline="\n") as file:
            count = _texts(batches, file)
        if count:
            database = Database(os.path.join(folder, "db"))
            database.import_pgn(source, threads=1, memory=memory)
            yield from database.positions().batches()


def _analyse(limits, hash_mb, number, batches):
    """A task: what the engine says of its positions."""
    import pyarrow

    engine = Engine()
    types = {"string": pyarrow.string(), "int": pyarrow.int32()}
    fields = [(name, types[kind]) for name, kind in (column.split() for column in ANALYSED.split(", "))]
    for batch in batches:
        given = batch.column("code").to_pylist()
        positions = [_position(text, number) for text in given]
        answers = iter(engine.analyse_many([position for position in positions if position], threads=1, hash=hash_mb, **limits))
        found = []
        for text, position in zip(given, positions):
            if position is None:
                found.append((text, None, None, None, None, None))
                continue
            answer = next(answers)
            found.append((position.code_text, answer.depth, answer.cp, answer.mate, answer.best_move, " ".join(answer.pv)))
        arrays = [pyarrow.array([row[at] for row in found], kind) for at, (_, kind) in enumerate(fields)]
        yield pyarrow.record_batch(arrays, names=[name for name, _ in fields])


def _position(text, number):
    try:
        return Position(int(text) if number else text)
    except (Error, TypeError):
        return None


def main(words=None):
    """`spark-submit job.py build …` and `analyse …`."""
    parser = argparse.ArgumentParser(prog="rukh.spark", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("build", help="a database of PGN files")
    make.add_argument("shards", nargs="+", help="PGN files, plain or packed, that every worker can read")
    make.add_argument("--work", required=True, help="a folder that every worker can write; a new one, or that of the same build")
    make.add_argument("--db", required=True, help="the database to make; a new folder")
    make.add_argument("--parts", type=int, default=8, help="files of each table")
    make.add_argument("--split-mb", type=float, default=256, help="megabytes of a plain file that one task reads")
    make.add_argument("--memory", type=int, default=256, help="megabytes for each task")
    make.add_argument("--build-memory", type=int, default=1024, help="megabytes for the build at the end")
    make.add_argument("--segment-mb", type=int, help="most megabytes of a segment of the database")
    make.add_argument("--variant", help="what the games are, if their tags do not say so")
    ask = commands.add_parser("analyse", help="positions of a Parquet table")
    ask.add_argument("positions", help="Parquet with a column of codes or FENs")
    ask.add_argument("out", help="Parquet to write; a new folder")
    ask.add_argument("--column", default="code")
    ask.add_argument("--nodes", type=int)
    ask.add_argument("--depth", type=int)
    ask.add_argument("--hash", type=int, default=16, help="megabytes of each engine")
    ask.add_argument("--per-task", type=int, default=1000, help="positions of one task")
    options = parser.parse_args(words)

    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName(f"rukh {options.command}").getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    if options.command == "build":
        report = build(
            spark, options.shards, options.work, options.db, parts=options.parts, split_mb=options.split_mb,
            memory=options.memory, build_memory=options.build_memory, segment_mb=options.segment_mb, variant=options.variant,
        )
        print(f"{report['games']} games, {report['positions']} positions")
    else:
        table = spark.read.parquet(options.positions)
        nodes = 100_000 if options.nodes is None and options.depth is None else options.nodes
        found = analyse(
            table, column=options.column, nodes=nodes, depth=options.depth, hash_mb=options.hash, per_task=options.per_task
        )
        # Not over anything: Spark would remove a folder with all that is in it.
        found.write.mode("errorifexists").parquet(options.out)
    spark.stop()
