"""What can go wrong, each with its reason and, where there is one, its place."""

from typing import Optional


class Error(ValueError):
    """Anything that Rukh refuses. `reason` says why; `place` says where (part of a FEN, line of a file), or is `None`."""

    def __init__(self, reason: str = "", place: Optional[str] = None) -> None:
        super().__init__(reason, place)
        self.reason = reason
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else str(self.reason)


class FenError(Error):
    """A text that is not a legal position."""


class MoveError(Error):
    """A text that is no legal move of a position."""


class CodeError(Error):
    """A position without a code, or a code without a position."""


class PgnError(Error):
    """A file of games that cannot be read or written."""


class EngineError(Error):
    """A search that cannot be done."""


class DatabaseError(Error):
    """A database that cannot be opened, read or written."""
