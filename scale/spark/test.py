"""The Spark jobs on a real little cluster: a master and two workers on the loopback address, with the package `rukh`.

Its database must equal, row for row, the one that `Database.import_pgn` makes of the same games. Of the shards one is read in
parts, one is packed, one has no `[Event` and one brings games that are in the others already; and in each step the first
attempt of every other task kills its process half-way. usage: test.py [games.pgn [work folder]]; without games it makes some.
"""

import os
import platform
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import pyspark
import pyarrow.parquet as parquet

import rukh

HERE = Path(__file__).resolve().parent
HOME = Path(pyspark.__file__).parent


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def right_snappy(folder):
    """Where Debian's musl is installed (for static programs), Java's Snappy takes the system for Alpine and loads the wrong library."""
    jar, = (HOME / "jars").glob("snappy-java-*.jar")
    with zipfile.ZipFile(jar) as packed:
        library = packed.read(f"org/xerial/snappy/native/Linux/{platform.machine()}/libsnappyjava.so")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "libsnappyjava.so").write_bytes(library)
    return f"-Dorg.xerial.snappy.lib.path={folder}"


class Cluster:
    """A standalone master and two workers, each a process of its own."""

    def __init__(self, folder):
        self.port, self.processes, self.snappy = free_port(), [], right_snappy(Path(folder))
        self.url = f"spark://127.0.0.1:{self.port}"
        self.env = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(folder),
                    "PYSPARK_PYTHON": sys.executable}
        where = ["--host", "127.0.0.1", "--webui-port", "0"]
        self.start("master.Master", [*where, "--port", str(self.port)])
        self.await_master()
        for _ in range(2):
            self.start("worker.Worker", [*where, "--cores", "1", "--memory", "1g", self.url])

    def start(self, role, words):
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *words]
        quiet = subprocess.DEVNULL
        self.processes.append(subprocess.Popen(command, env=self.env, stdout=quiet, stderr=quiet))

    def await_master(self):
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.2)
        raise SystemExit("the master does not start")

    def submit(self, script, *words):
        settings = {"driver.bindAddress": "127.0.0.1", "driver.host": "127.0.0.1", "sql.shuffle.partitions": 4,
                    "sql.files.maxPartitionBytes": 100_000, "sql.files.openCostInBytes": 0, "ui.enabled": "false",
                    "ui.showConsoleProgress": "false",
                    "driver.extraJavaOptions": self.snappy, "executor.extraJavaOptions": self.snappy}
        submit = [str(HOME / "bin" / "spark-submit"), "--master", self.url, "--executor-memory", "800m"]
        for name, value in settings.items():
            submit += ["--conf", f"spark.{name}={value}"]
        started = time.monotonic()
        done = subprocess.run([*submit, str(script), *map(str, words)], env=self.env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{script.name} {words[0]}: {done.stderr[-4000:]}")
        return time.monotonic() - started, done.stderr

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(30)


def dying(work):
    """The same work, but the first attempt of every other task ends its process after the first table."""

    def once(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        fatal = context.attemptNumber() == 0 and context.partitionId() % 2 == 0
        for table in work(batches):
            yield table
            if fatal:
                os._exit(1)

    return once


def driver(words):
    """The job with tasks that die; run by `spark-submit`."""
    from rukh import spark

    spark._map_in_arrow = lambda table, work, schema: table.mapInArrow(dying(work), schema)
    spark.main(words)


def random_games(count=1200):
    """Games by lot: the first moves come often, the others seldom. So many that a bound of a megabyte splits the index."""
    lots = random.Random(1)
    for number in range(count):
        position, moves = rukh.Position(), []
        while position.status is None and len(moves) < 60:
            legal = position.legal_moves()
            moves.append(legal[int(len(legal) * lots.random() ** 3)])
            position = position.play(moves[-1])
        rating = lots.choice([None, 1500, 2000])
        yield {"event": "Lots", "white": f"W{number}", "black": "B", "white_elo": rating, "UTCDate": f"20{number % 20:02}.03.04",
               "result": lots.choice(["1-0", "0-1", "1/2-1/2"]), "moves": moves}


def write_shards(source, folder):
    """Parts of the games in files of four kinds, and some of the games once more."""
    rows = list(rukh.read_pgn(source, extra=["UTCDate"], errors="skip").rows() if source else random_games())
    names = ["plain.pgn", "packed.pgn.zst", "eventless.pgn", "again.pgn"]
    parts = [rows[::2], rows[1::4], rows[3::4], rows[::20]]
    for name, part in zip(names, parts):
        if name == "eventless.pgn":
            part = [{**row, "event": None} for row in part]
        rukh.write_pgn(part, folder / name)
    if "[Event" in (folder / "eventless.pgn").read_text(encoding="utf-8"):
        raise SystemExit("the shard without [Event has one")
    return [folder / name for name in names]


def rows(database):
    """Code, move and figures, without the games that stand for them, which depend on the order of reading."""
    figures = ["key", "code", "position", "uci", "games", "white", "draws", "black", "rated", "rating_sum", "first_year", "last_year",
               "best_rating", "latest_date"]
    return database.positions().arrow().select(figures).sort_by([("key", "ascending"), ("code", "ascending"), ("uci", "ascending")])


def main():
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="rukh-spark-"))
    folder.mkdir(parents=True, exist_ok=True)
    shards = write_shards(sys.argv[1] if len(sys.argv) > 1 else None, folder)
    embedded = rukh.Database(folder / "embedded")
    report = embedded.import_pgn(*shards)
    cluster = Cluster(folder / "workers")
    try:
        # So small a bound that the index is split.
        where = ["--work", folder / "work", "--db", folder / "spark", "--parts", 4, "--segment-mb", 1, "--split-mb", 0.1]
        took, said = cluster.submit(Path(__file__), "--driver", "build", *shards, *where)
        deaths = said.count("Python worker exited unexpectedly")
        if not deaths:
            raise SystemExit("no task has died: retries are not tested")
        some = folder / "some.parquet"
        table = parquet.read_table(folder / "work" / "positions").slice(0, 40)
        parquet.write_table(table, some)
        cluster.submit(HERE / "job.py", "analyse", some, folder / "analysed", "--nodes", 2000, "--hash", 1, "--per-task", 10)
    finally:
        cluster.stop()
    spark = rukh.Database(folder / "spark")
    segments = spark.totals()["segments"]
    if segments < 3:
        raise SystemExit(f"{segments} segments: the bound was not kept")
    games = parquet.read_table(folder / "work" / "games")
    if games.num_rows != report["games"] or spark.totals()["games"] != report["games"]:
        raise SystemExit(f"{report['games']} games embedded, {games.num_rows} in the table, {spark.totals()['games']} built")
    if games.column("white_elo").null_count == games.num_rows or "pgn" not in games.column_names:
        raise SystemExit("the table of games has no real columns")
    ours, theirs = rows(embedded), rows(spark)
    if ours != theirs:
        different = [pair for pair in zip(ours.to_pylist(), theirs.to_pylist()) if pair[0] != pair[1]][:3]
        raise SystemExit(f"{len(ours)} rows embedded, {len(theirs)} from Spark; first differences: {different}")
    analysed = parquet.read_table(folder / "analysed").to_pylist()
    codes = set(table.column("code").to_pylist())
    if {row["code"] for row in analysed} != codes or len(analysed) != len(codes):
        raise SystemExit("not every position was analysed once")
    for row in analysed:
        position = rukh.Position(row["code"])
        if position.status is None and not (row["move"] in position.legal_moves() and row["line"].startswith(row["move"])):
            raise SystemExit(f"no legal move for {position.fen}: {row}")
    told = f"{len(ours)} rows of {games.num_rows} games equal, {segments} segments, {deaths} tasks died, {len(analysed)} positions analysed"
    print(f"{told}, the job took {took:.0f} s")
    if len(sys.argv) <= 2:
        shutil.rmtree(folder)


if __name__ == "__main__":
    driver(sys.argv[2:]) if sys.argv[1:2] == ["--driver"] else main()
