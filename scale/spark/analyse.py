"""Analyses a Parquet table of positions (a column `position` of FENs) on a Spark cluster.

Each partition goes through one engine; the result has depth, score and best move of every position.
"""

import argparse
import subprocess

from pyspark.sql import Row, SparkSession


def analyse(rows, rukh, nodes, hash_size):
    """The rows of a partition with what the engine says of each."""
    words = [rukh, "analyse", "--positions", "-", "--nodes", str(nodes), "--hash", str(hash_size)]
    rows = list(rows)
    if not rows:
        return
    text = "".join(f"{row.position}\n" for row in rows)
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-2000:])
    for row, line in zip(rows, done.stdout.splitlines(), strict=True):
        position, depth, score, mate, best = line.split("\t")
        if position != row.position:
            raise RuntimeError(f"the answers are out of step: {line}")
        yield Row(
            position=position,
            depth=int(depth),
            score=int(score) if score else None,
            mate=int(mate) if mate else None,
            best=best or None,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("positions", help="Parquet with a column `position`")
    parser.add_argument("out", help="Parquet to write")
    parser.add_argument("--rukh", required=True)
    parser.add_argument("--nodes", type=int, default=100_000, help="for each position")
    parser.add_argument("--hash", type=int, default=64, help="megabytes of each engine")
    parser.add_argument("--parts", type=int, default=8)
    options = parser.parse_args()
    spark = SparkSession.builder.appName("rukh analyse").getOrCreate()
    table = spark.read.parquet(options.positions).select("position").distinct().repartition(options.parts)
    rukh, nodes, size = options.rukh, options.nodes, options.hash
    schema = "position string, depth int, score int, mate int, best string"
    found = spark.createDataFrame(table.rdd.mapPartitions(lambda rows: analyse(rows, rukh, nodes, size)), schema)
    found.write.mode("overwrite").parquet(options.out)
    spark.stop()


if __name__ == "__main__":
    main()
