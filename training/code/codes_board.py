"""Second implementation of position codes (see check_vectors.py): positions and what both parts share."""

CHESS, CHESS960, MAKRUK = "chess", "Chess960", "Makruk"
LETTERS = {CHESS: "pnbrqk", CHESS960: "pnbrqk", MAKRUK: "pnsrm?k"}
LIMITS = (16, 32, 44, 64, 88, 128)
ROOK = 3


class NoCode(Exception):
    """The position has no direct code, or the code no position."""


class Board:
    """A position: `men[square]` is None or (side, kind); `castling` is a set of rook squares."""

    def __init__(self, variant):
        self.variant = variant
        self.kinds = 7 if variant == MAKRUK else 6
        self.men = [None] * 64
        self.side = 0
        self.castling = set()
        self.ep = None
        self.limit = None
        self.plies = 0

    def squares(self, side, kind):
        return [s for s in range(64) if self.men[s] == (side, kind)]

    def king(self, side):
        return self.squares(side, self.kinds - 1)[0]

    def rights(self):
        """WK 1, WQ 2, BK 4, BQ 8."""
        bits = 0
        for rook in self.castling:
            side = rook // 56
            bits |= (1 if rook > self.king(side) else 2) << 2 * side
        return bits

    def number_of_men(self):
        return sum(man is not None for man in self.men)

    def key(self):
        return (self.men, self.side, self.castling, self.ep, self.limit, self.plies)


# FEN


def read_fen(variant, fen):
    board = Board(variant)
    placement, side, castling, ep, plies = fen.split()[:5]
    for row, text in enumerate(placement.split("/")):
        square = 56 - 8 * row
        for at, c in enumerate(text):
            if c.isdigit():
                square += int(c)
            elif c != "~":
                promoted = text[at + 1 : at + 2] == "~"
                kind = 5 if promoted else LETTERS[variant].index(c.lower())
                board.men[square] = (int(c.islower()), kind)
                square += 1
    board.side = "wb".index(side)
    if variant == MAKRUK:
        if ep != "-":
            board.limit, board.plies = int(ep), int(plies)
        return board
    for c in castling.strip("-"):
        color = int(c.islower())
        rooks = [s for s in board.squares(color, ROOK) if s // 8 == 7 * color]
        file = c.lower()
        if file == "k":
            board.castling.add(max(rooks))
        elif file == "q":
            board.castling.add(min(rooks))
        else:
            board.castling.add(56 * color + "abcdefgh".index(file))
    if ep != "-":
        file = "abcdefgh".index(ep[0])
        # Kept only while an enemy pawn stands ready to take.
        if takers(board, file):
            board.ep = file
    return board


# Shared pieces of the format


def takers(board, file):
    """Files of the pawns of the side to move beside the pawn on `file` that has just moved two squares."""
    rank = 4 if board.side == 0 else 3
    near = [f for f in (file - 1, file + 1) if 0 <= f < 8]
    return [f for f in near if board.men[8 * rank + f] == (board.side, 0)]


def passant_squares(side, file, taker):
    """The pawn, the squares it passed and came from, and the taker; `side` takes."""
    rank, up = (4, 1) if side == 0 else (3, -1)
    return [8 * rank + file, 8 * (rank + up) + file, 8 * (rank + 2 * up) + file, 8 * rank + taker]


PAIRS = [(f, t) for f in range(8) for t in (f - 1, f + 1) if 0 <= t < 8]


def count_values(limit, men):
    return max(limit, 2 * men) + 2
