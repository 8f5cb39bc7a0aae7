"""Chess, Chess960 and Makruk: positions, position codes, games as tables, an engine and a database.

>>> import rukh
>>> rukh.Position().play("e4", "c5").san("g1f3")
'Nf3'
"""

from ._rukh import Analysis, Info, Position, RecordBatch, __version__, divide, perft
from .codes import decode, encode, encode_long
from .database import Database
from .engine import Engine, Search
from .errors import CodeError, DatabaseError, EngineError, Error, FenError, MoveError, PgnError
from .games import Games, positions, read_pgn, write_pgn

__all__ = [
    "Analysis",
    "CodeError",
    "Database",
    "DatabaseError",
    "Engine",
    "EngineError",
    "Error",
    "FenError",
    "Games",
    "Info",
    "MoveError",
    "PgnError",
    "Position",
    "RecordBatch",
    "Search",
    "__version__",
    "decode",
    "divide",
    "encode",
    "encode_long",
    "perft",
    "positions",
    "read_pgn",
    "write_pgn",
]
