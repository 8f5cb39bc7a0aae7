"""Chess, Chess960 and Makruk: positions, position codes, games as tables, an engine and a database.

>>> import rukh
>>> rukh.Position().play("e4", "c5").san("g1f3")
'Nf3'
"""

from ._rukh import Position, RecordBatch, __version__, divide, perft
from .codes import decode, encode, encode_long
from .errors import CodeError, DatabaseError, EngineError, Error, FenError, MoveError, PgnError
from .games import Games, positions, read_pgn, write_pgn

__all__ = [
    "CodeError",
    "DatabaseError",
    "EngineError",
    "Error",
    "FenError",
    "Games",
    "MoveError",
    "PgnError",
    "Position",
    "RecordBatch",
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
