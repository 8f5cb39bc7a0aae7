import os
from typing import Any, Dict, Iterable, List, Optional, Union

from pyspark.sql import DataFrame, SparkSession

GAMES: str
ROWS: str
ANALYSED: str

_Path = Union[str, "os.PathLike[str]"]

def games(
    spark: SparkSession,
    paths: Iterable[_Path],
    *,
    split_mb: float = 256,
    memory: int = 256,
    variant: Optional[str] = None,
) -> DataFrame: ...
def unique(games: DataFrame) -> DataFrame: ...
def rows(games: DataFrame, *, memory: int = 256) -> DataFrame: ...
def grouped(rows: DataFrame) -> DataFrame: ...
def analyse(
    positions: DataFrame,
    *,
    column: str = "code",
    nodes: Optional[int] = None,
    depth: Optional[int] = None,
    hash_mb: int = 16,
    per_task: int = 1000,
) -> DataFrame: ...
def build(
    spark: SparkSession,
    paths: Iterable[_Path],
    work: _Path,
    database: _Path,
    *,
    parts: int = 8,
    split_mb: float = 256,
    memory: int = 256,
    build_memory: int = 1024,
    segment_mb: Optional[int] = None,
    variant: Optional[str] = None,
) -> Dict[str, Any]: ...
def main(words: Optional[List[str]] = None) -> None: ...
