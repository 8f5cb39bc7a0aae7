"""Second implementation of position codes (see check_vectors.py): Part B, learned ranks."""

import struct
from math import prod
from pathlib import Path

from codes_board import CHESS, CHESS960, LIMITS, MAKRUK, ROOK, Board, NoCode, count_values, takers

VERSIONS = {CHESS: 4, CHESS960: 4, MAKRUK: 4}
TURNED_SINCE = 4
MODELS = Path(__file__).resolve().parents[2] / "crates/code/models"


def power(i):
    """floor(2^(24 - i/256)), exactly: the largest p with p^256 <= 2^(24*256 - i)."""
    bound, low, high = 2 ** (24 * 256 - i), 0, 2**24
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**256 <= bound else (low, middle - 1)
    return low


POWERS = [power(i) for i in range(256)]


class Model:
    def __init__(self, variant, version):
        older = "" if version == VERSIONS[variant] else f"-{version}"
        raw = (MODELS / f"{variant.lower()}{older}.rkpc").read_bytes()
        body, checksum = raw[:-8], struct.unpack("<Q", raw[-8:])[0]
        digest = 0xCBF29CE484222325
        for byte in body:
            digest = (digest ^ byte) * 0x100000001B3 & 2**64 - 1
        assert body[:8] == b"RKPCMDL1" and digest == checksum
        words = struct.unpack("<8H", body[8:24])
        found, number, self.J, self.K, self.symbols, self.features, headers, reserved = words
        assert (found, number, reserved) == (version, [CHESS, CHESS960, MAKRUK].index(variant), 0)
        self.at = 24
        J2 = 2 * self.J
        take = lambda form, *shape: self.take(body, form, shape)
        self.E = take("b", 64, self.symbols - 1, J2)
        self.D = take("h", 64, J2)
        self.M = take("h", self.features, J2)
        self.V = take("b", 64, self.J, self.K)
        self.c = take("i", 64, self.K)
        self.U = take("b", 64, self.K, self.symbols)
        self.b = take("i", 64, self.symbols)
        self.header = take("H", headers)
        assert self.at == len(body)

    def take(self, body, form, shape):
        count = prod(shape)
        flat = struct.unpack_from(f"<{count}{form}", body, self.at)
        self.at += count * struct.calcsize("<" + form)
        for length in reversed(shape[1:]):
            flat = [flat[i : i + length] for i in range(0, len(flat), length)]
        return flat

    def start(self, bits):
        sums = [0] * (2 * self.J)
        for feature, bit in enumerate(bits):
            if bit:
                sums = [a + b for a, b in zip(sums, self.M[feature])]
        return sums

    def grow(self, sums, square, symbol):
        return [a + b for a, b in zip(sums, self.E[square][symbol - 1])]

    def frequencies(self, sums, t, possible):
        clamp = lambda x: min(max(x, 0), 127)
        pre = [clamp(s + d) for s, d in zip(sums, self.D[t])]
        h = list(self.c[t])
        for j in range(self.J):
            a = pre[j] * pre[self.J + j] >> 7
            if a:
                h = [x + a * v for x, v in zip(h, self.V[t][j])]
        z = list(self.b[t])
        for k in range(self.K):
            y = clamp(h[k] >> 6)
            if y:
                z = [x + y * u for x, u in zip(z, self.U[t][k])]
        top = max(z[s] for s in possible)
        e = {}
        for s in possible:
            d = top - z[s] >> 4
            e[s] = POWERS[d & 255] >> (d >> 8)
        q = (65536 - len(possible) << 32) // sum(e.values())
        f = [0] * self.symbols
        for s in possible:
            f[s] = 1 + (e[s] * q >> 32)
        favourite = min(s for s in possible if z[s] == top)
        f[favourite] += 65536 - sum(f)
        return f, favourite


class Encoder:
    """Narrows an interval to the symbols of a position."""

    def __init__(self, low, width):
        self.low, self.width = low, width

    def narrow(self, start, end):
        self.low += start
        self.width = end - start
        if self.width == 0:
            raise NoCode("does not fit")

    def code(self, f, symbol):
        below = sum(f[:symbol])
        self.narrow(self.width * below >> 16, self.width * (below + f[symbol]) >> 16)
        return symbol

    def code_last(self, f, last, symbol):
        """The same with the part of symbol `last` behind all others."""
        order = [s for s in range(len(f)) if s != last] + [last]
        at = self.code([f[s] for s in order], None if symbol is None else order.index(symbol))
        return order[at]

    def equal(self, parts, number):
        self.narrow(self.width * number // parts, self.width * (number + 1) // parts)
        return number


class Decoder(Encoder):
    """The same, but follows a payload; what the caller proposes is not looked at."""

    def __init__(self, low, width, payload):
        super().__init__(low, width)
        self.payload = payload

    def code(self, f, _):
        below = 0
        for symbol, size in enumerate(f):
            if self.payload - self.low < self.width * (below + size) >> 16:
                return super().code(f, symbol)
            below += size
        raise NoCode("no position")

    def equal(self, parts, _):
        offset = self.payload - self.low
        number = next(n for n in range(parts) if offset < self.width * (n + 1) // parts)
        return super().equal(parts, number)


def swapped(rights):
    """White's rights for Black's."""
    return (rights & 3) << 2 | rights >> 2


class PartB:
    def __init__(self, variant, start, version):
        self.variant = variant
        self.kinds = 7 if variant == MAKRUK else 6
        self.turns = version >= TURNED_SINCE
        self.model = Model(variant, version)
        self.start, self.width = start, 2**63 - start

    def encode(self, board):
        coder = Encoder(self.start, self.width)
        self.walk(coder, board)
        return coder.low

    def decode(self, payload):
        coder = Decoder(self.start, self.width, payload)
        board = self.walk(coder, None)
        if coder.low != payload:
            raise NoCode("no position")
        return board

    def walk(self, coder, known):
        """Codes `known`, or reads a board when it is None."""
        board = Board(self.variant)
        rights, bits = self.header(coder, known, board)
        turned = self.turns and board.side == 1
        men = known and (self.turned(known.men) if turned else known.men)
        sums = self.model.start(bits)
        for t in range(64):
            possible = self.possible(board, rights, t)
            if len(possible) == 1:
                symbol = possible[0]
            else:
                f, favourite = self.model.frequencies(sums, t, possible)
                symbol = coder.code_last(f, favourite, self.symbol(men[t]) if known else None)
            if symbol:
                board.men[t] = divmod(symbol - 1, self.kinds)
                sums = self.model.grow(sums, t, symbol)
        if turned:
            board.men, rights = self.turned(board.men), swapped(rights)
        if self.variant == MAKRUK:
            if board.limit is not None:
                parts = count_values(board.limit, board.number_of_men())
                board.plies = coder.equal(parts, known and known.plies)
        else:
            self.passant(coder, known, board)
            self.rooks(coder, known, board, rights)
        return board

    def turned(self, men):
        """The board as Black sees it: turned over, Makruk's round, and the sides exchanged."""
        there = (lambda t: 63 - t) if self.variant == MAKRUK else (lambda t: t ^ 56)
        return [men[there(t)] and (1 - men[there(t)][0], men[there(t)][1]) for t in range(64)]

    def symbol(self, man):
        return 0 if man is None else 1 + self.kinds * man[0] + man[1]

    def header(self, coder, known, board):
        f = self.model.header
        if self.variant == MAKRUK:
            number = 0 if not known or known.limit is None else 1 + LIMITS.index(known.limit)
            board.side, number = divmod(coder.code(f, 7 * known.side + number if known else None), 7)
            board.limit = LIMITS[number - 1] if number else None
            return 0, (board.side, number > 0)
        view = lambda board: swapped(board.rights()) if self.turns and board.side == 1 else board.rights()
        board.side, rights = divmod(coder.code(f, 16 * known.side + view(known) if known else None), 16)
        return rights, (board.side, rights & 1, rights & 2, rights & 4, rights & 8)

    def possible(self, board, rights, t):
        """The symbols that may stand on square t; a single one is not coded."""
        rank, file = divmod(t, 8)
        open_ = set(range(2 * self.kinds + 1))
        for side in (0, 1):
            pawn, king = 1 + self.kinds * side, self.kinds * (side + 1)
            if self.variant == MAKRUK:
                if rank in ((0, 1, 7), (0, 6, 7))[side]:
                    open_.discard(pawn)
            elif rank in (0, 7):
                open_.discard(pawn)
            seen = (side, self.kinds - 1) in board.men
            short, long = rights >> 2 * side & 1, rights >> 2 * side & 2
            if seen:
                open_.discard(king)
            elif short or long:
                files = range(4, 5) if self.variant == CHESS else range(1 if long else 0, 7 if short else 8)
                if rank != 7 * side or file not in files:
                    open_.discard(king)
                elif file == files[-1]:
                    return [king]
            if self.variant == CHESS and rank == 7 * side and (short and file == 7 or long and file == 0):
                return [1 + self.kinds * side + ROOK]
            if t == 63 and not seen:
                if (1 - side, self.kinds - 1) not in board.men:
                    raise NoCode("no position")
                return [king]
        return sorted(open_)

    def passant(self, coder, known, board):
        files = []
        moved = 1 - board.side
        rank, back = (3, -1) if moved == 0 else (4, 1)
        for file in range(8):
            behind = [board.men[8 * (rank + n * back) + file] for n in (1, 2)]
            if board.men[8 * rank + file] == (moved, 0) and behind == [None, None] and takers(board, file):
                files.append(file)
        if files:
            f = [65536 - 1280 * len(files)] + [1280] * len(files)
            number = coder.code_last(f, 0, 0 if not known or known.ep is None else 1 + files.index(known.ep))
            board.ep = files[number - 1] if number else None

    def rooks(self, coder, known, board, rights):
        for right in range(4):
            if not rights >> right & 1:
                continue
            side, long = divmod(right, 2)
            if self.variant == CHESS:
                board.castling.add(56 * side + (0 if long else 7))
                continue
            king = board.king(side)
            rooks = [s for s in board.squares(side, ROOK) if s // 8 == 7 * side and (s < king) == bool(long)]
            rooks.sort(reverse=not long)
            if not rooks:
                raise NoCode("no position")
            m, number = len(rooks), 0
            if m > 1:
                f = [65536 - 2048 * (m - 1)] + [2048] * (m - 1)
                own = [n for n, s in enumerate(rooks) if known and s in known.castling]
                number = coder.code_last(f, 0, own[0] if own else None)
            board.castling.add(rooks[number])
