"""The Spark job on a real little cluster: a master and two workers on the loopback address.

Its database must equal, row for row, the one that `rukh db import` makes of the same games, of which some come twice.
usage: test.py <rukh> <games.pgn> [work folder]
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyspark
import pyarrow.parquet as parquet

HERE = Path(__file__).resolve().parent
HOME = Path(pyspark.__file__).parent


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Cluster:
    """A standalone master and two workers, each a process of its own."""

    def __init__(self, folder):
        self.port, self.processes = free_port(), []
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
        submit = [str(HOME / "bin" / "spark-submit"), "--master", self.url, "--executor-memory", "800m",
                  "--conf", "spark.driver.bindAddress=127.0.0.1", "--conf", "spark.driver.host=127.0.0.1",
                  "--conf", "spark.sql.shuffle.partitions=4", "--conf", "spark.ui.enabled=false"]
        started = time.monotonic()
        subprocess.run([*submit, str(HERE / script), *map(str, words)], env=self.env, check=True)
        return time.monotonic() - started

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(30)


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def shards_of(text, count):
    """Parts of a PGN text, and one of games that are in the others already."""
    games = ["[Event " + part for part in text.split("[Event ")[1:]]
    parts = ["".join(games[i::count]) for i in range(count)]
    return [*parts, "".join(games[:: max(len(games) // 50, 1)])]


def rows(rukh, database, folder):
    """Key, position, move and figures, without the games that stand for them."""
    out = folder / f"{database.name}.parquet"
    run(rukh, "db", "export", "--db", database, "--out", out)
    table = parquet.read_table(out)
    figures = ["key", "position", "uci", "games", "white", "draws", "black", "rated", "rating_sum", "first_year", "last_year",
               "best_rating", "latest_date"]
    return table.select(figures).to_pylist()


def main():
    rukh, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(tempfile.mkdtemp(prefix="rukh-spark-"))
    folder.mkdir(parents=True, exist_ok=True)
    shards = []
    for number, text in enumerate(shards_of(source.read_text(encoding="utf-8", errors="replace"), 4)):
        shards.append(folder / f"shard-{number}.pgn")
        shards[-1].write_text(text, encoding="utf-8")
    run(rukh, "db", "import", "--db", folder / "embedded", *shards)
    cluster = Cluster(folder / "workers")
    try:
        common = ["--rukh", rukh]
        # So small a bound that the index is split.
        where = ["--work", folder / "work", "--db", folder / "spark", "--parts", 4, "--segment-mb", 1]
        took = cluster.submit("job.py", *shards, *common, *where)
        positions = folder / "some.parquet"
        table = parquet.read_table(folder / "work" / "grouped")
        parquet.write_table(table.slice(0, 40), positions)
        cluster.submit("analyse.py", positions, folder / "analysed", *common, "--nodes", 2000, "--hash", 4, "--parts", 2)
    finally:
        cluster.stop()
    run(rukh, "db", "verify", "--deep", "--db", folder / "spark")
    told = subprocess.run([rukh, "db", "stats", "--json", "--db", folder / "spark"], check=True, capture_output=True)
    segments = json.loads(told.stdout)["segments"]
    if segments < 3:
        raise SystemExit(f"{segments} segments: the bound was not kept")
    embedded, spark = (rows(rukh, folder / name, folder) for name in ("embedded", "spark"))
    if embedded != spark:
        different = [pair for pair in zip(embedded, spark) if pair[0] != pair[1]][:3]
        raise SystemExit(f"{len(embedded)} rows embedded, {len(spark)} from Spark; first differences: {different}")
    wanted = {row["position"] for row in parquet.read_table(positions).to_pylist()}
    analysed = parquet.read_table(folder / "analysed").to_pylist()
    if {row["position"] for row in analysed} != wanted or not any(row["best"] for row in analysed):
        raise SystemExit("not every position was analysed")
    print(f"{len(spark)} rows equal, {segments} segments, {len(analysed)} positions analysed, the job took {took:.0f} s")
    if len(sys.argv) <= 3:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
