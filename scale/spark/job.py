"""Games to position statistics on a Spark cluster.

The program `rukh` does the chess on each shard, Spark removes double games and groups the positions, and `rukh` builds the
database. See README.md.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F


def call(words):
    """Runs a command; its complaint is the error."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    # Broken games are reported and left out; the table is written all the same.
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")
    return done.stdout.strip()


def over(spark, inputs, work):
    """One task for each input, on whatever worker is free."""
    numbered = list(enumerate(str(path) for path in inputs))
    return spark.sparkContext.parallelize(numbered, max(len(numbered), 1)).map(work).collect()


def map_shards(spark, rukh, table, shards, folder, memory):
    """Every shard to a Parquet file of `folder`, by `rukh db map`."""
    folder.mkdir(parents=True, exist_ok=True)
    out = str(folder)

    def work(item):
        number, shard = item
        target = f"{out}/part-{number:05}.parquet"
        words = [rukh, "db", "map", f"--{table}", target, "--memory", str(memory), "--threads", "1", shard]
        return f"{shard}: {call(words)}"

    for line in over(spark, shards, work):
        print(line, file=sys.stderr)


def unique_games(spark, games, target, parts):
    """Each game once, the first by shard and number, in the order of `id`, as PGN text in `parts` files."""
    order = Window.partitionBy("id").orderBy("shard", "number")
    table = spark.read.parquet(str(games)).withColumn("copy", F.row_number().over(order)).where("copy = 1")
    # A game's text ends with a blank line; the text writer adds a line feed.
    ranged = table.repartitionByRange(parts, "id").sortWithinPartitions("id")
    ranged.select("pgn").write.mode("overwrite").text(str(target))


def group_positions(spark, positions, target, parts):
    """The figures of each position and move, summed; sorted by key over all files."""
    table = spark.read.parquet(str(positions))
    counts = ["games", "white", "draws", "black", "rated", "rating_sum"]
    known = F.when(F.col("first_year") > 0, F.col("first_year"))
    moves = table.groupBy("key", "position", "uci").agg(
        *[F.sum(name).alias(name) for name in counts],
        F.coalesce(F.min(known), F.lit(0)).alias("first_year"),
        F.max("last_year").alias("last_year"),
        F.min(F.struct("first_game", "first_ply")).alias("first"),
        F.max(F.struct("best_rating", "best_game")).alias("best"),
        F.max(F.struct("latest_date", "latest_game")).alias("latest"),
    )
    flat = moves.select(
        "key",
        "position",
        "uci",
        *counts,
        "first_year",
        "last_year",
        F.col("first.first_game").alias("first_game"),
        F.col("first.first_ply").alias("first_ply"),
        F.col("best.best_rating").alias("best_rating"),
        F.col("best.best_game").alias("best_game"),
        F.col("latest.latest_date").alias("latest_date"),
        F.col("latest.latest_game").alias("latest_game"),
    )
    ranged = flat.repartitionByRange(parts, "key").sortWithinPartitions("key", "position", "uci")
    ranged.write.mode("overwrite").parquet(str(target))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shards", nargs="+", help="PGN files, plain or packed, readable by every worker")
    parser.add_argument("--rukh", required=True, help="the program, built with --features parquet")
    parser.add_argument("--work", required=True, type=Path, help="a folder that every worker can write")
    parser.add_argument("--db", required=True, type=Path, help="the database to make; a new folder")
    parser.add_argument("--parts", type=int, default=8, help="files of each table")
    parser.add_argument("--memory", type=int, default=512, help="megabytes for each task")
    parser.add_argument("--segment-mb", type=int, default=5000, help="most megabytes of a segment of the database")
    parser.add_argument("--build-memory", type=int, default=4096, help="megabytes for the build")
    options = parser.parse_args()
    spark = SparkSession.builder.appName("rukh").getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    work = options.work
    map_shards(spark, options.rukh, "games", sorted(options.shards), work / "games", options.memory)
    unique_games(spark, work / "games", work / "unique", options.parts)
    unique = sorted((work / "unique").glob("part-*"))
    map_shards(spark, options.rukh, "positions", unique, work / "positions", options.memory)
    group_positions(spark, work / "positions", work / "grouped", options.parts)
    spark.stop()
    words = [options.rukh, "db", "build", "--db", str(options.db), "--memory", str(options.build_memory),
             "--segment-mb", str(options.segment_mb)]
    print(call([*words, "--games", str(work / "unique"), "--positions", str(work / "grouped")]))


if __name__ == "__main__":
    main()
