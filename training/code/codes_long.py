"""Second implementation of position codes (see check_vectors.py): long codes and the exact ranks of all positions."""

from functools import lru_cache
from math import comb, prod

from codes_board import LIMITS, MAKRUK, ROOK, Board, NoCode
from codes_exact import rank_of, set_of
from codes_learned import Decoder, Encoder

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz_~-"
UNIT = 2**240
FEWEST, MOST, WELL, RANKED = 13, 34, 20, 36
EDGE = [s for s in range(64) if s // 8 in (0, 7)]
INNER = [s for s in range(64) if s // 8 not in (0, 7)]
PLIES = [max(limit, 64) + 2 for limit in LIMITS]


# Texts and numbers


def check_digit(digits):
    return -sum(2 ** (len(digits) - i) * d for i, d in enumerate(digits)) % 39


def to_text(digits):
    return "".join(DIGITS[d] for d in digits + [check_digit(digits)])


def from_text(text):
    *digits, last = [DIGITS.index(c) for c in text.lower()]
    if not FEWEST <= len(digits) <= MOST or last != check_digit(digits) or digits[0] > RANKED:
        raise NoCode("no text of a long code")
    return digits


def value(digits):
    number = 0
    for digit in digits:
        number = 39 * number + digit
    return number


def number_of(digits):
    """The number of a text: shorter texts come first."""
    return value(digits) + sum(37 * 39 ** (n - 1) for n in range(FEWEST, len(digits)))


def digits_of(number, count):
    digits = []
    for _ in range(count):
        number, digit = divmod(number, 39)
        digits.insert(0, digit)
    return digits


# The model's code


def point(digits):
    """Where the fraction 0.d1d2… stands in the unit; the first digit has base 36."""
    return UNIT * value(digits) // (36 * 39 ** (len(digits) - 1))


def shortest(low, width):
    for count in range(FEWEST, MOST + 1):
        texts = 36 * 39 ** (count - 1)
        number = -(-low * texts // UNIT)
        if number < texts and UNIT * number // texts < low + width:
            return digits_of(number, count)
    return None


class Long:
    def __init__(self, codec, variant):
        self.codec = codec
        self.ranks = Ranks(variant)

    def encode(self, board):
        coder = Encoder(0, UNIT)
        try:
            self.codec.b.walk(coder, board)
            learned = shortest(coder.low, coder.width)
        except NoCode:
            learned = None
        if learned and len(learned) <= WELL:
            return learned
        rank = self.ranks.encode(board)
        count = FEWEST - 1
        while 39**count <= rank:
            count += 1
        ranked = [RANKED] + digits_of(rank, count)
        return learned if learned and len(learned) <= len(ranked) else ranked

    def decode(self, digits):
        if digits[0] == RANKED:
            board = self.ranks.decode(value(digits[1:]))
        else:
            board = self.codec.b.walk(Decoder(0, UNIT, point(digits)), None)
        if self.encode(board) != digits:
            raise NoCode("another text is this position's")
        return board


# Exact ranks of all positions


class Ranks:
    def __init__(self, variant):
        self.variant = variant
        self.makruk = variant == MAKRUK
        self.kinds = 7 if self.makruk else 6
        self.materials = {}
        for counts in self.all_counts(()):
            for passing in range(1 if self.makruk else min(counts[0], 1) + 1):
                for castling in range(1 if self.makruk else min(counts[ROOK], 2) + 1):
                    self.materials.setdefault(sum(counts), []).append((counts, passing, castling))
        self.starts = None

    def all_counts(self, head):
        if len(head) == self.kinds - 1:
            yield head
            return
        n = 0
        while self.allowed(head + (n,) + (0,) * (self.kinds - 2 - len(head))):
            yield from self.all_counts(head + (n,))
            n += 1

    def allowed(self, counts):
        pawns, knights, bishops, rooks, *queens = counts
        extra = [max(0, n - 2) for n in (knights, bishops, rooks)]
        fits = pawns + sum(extra) + max(0, sum(queens) - 1) <= 8 and sum(counts) <= 15
        return fits and not (self.makruk and (any(extra) or queens[1] + pawns > 8))

    def radices(self, material, edge, inner):
        """Passing pawn, other pawns, castling rooks, the kinds up to the king."""
        counts, passing, castling = material
        if counts[0] > inner or castling > edge:
            return [0]
        radices = [comb(inner, passing), comb(inner - passing, counts[0] - passing), comb(edge, castling)]
        left = inner - counts[0] + edge - castling
        for kind in range(1, self.kinds - 1):
            n = counts[kind] - (castling if kind == ROOK else 0)
            radices.append(comb(left, n))
            left -= n
        return radices

    def listed(self, men, special):
        return [m for m in self.materials.get(men - 1, []) if special or not (m[1] or m[2])]

    @lru_cache(maxsize=None)
    def ways(self, special, edge, inner):
        return sum(prod(self.radices(m, edge, inner)) for m in self.listed(edge + inner, special))

    def shape_radices(self, shape):
        men, special, (we, wi), (be, bi) = shape
        squares = [comb(16, we), comb(16 - we, be), comb(48, wi), comb(48 - wi, bi)]
        ways = [self.ways(special, we, wi), self.ways(special, be, bi)]
        return squares + ways + [2, sum(PLIES) if special and self.makruk else 1]

    def shapes(self):
        """Shape and first rank, in order."""
        if self.starts is None:
            own = [(e, i) for e in range(17) for i in range(17 - e) if self.ways(False, e, i)]
            pairs = [(w, b) for w in own for b in own if w[0] + b[0] <= 16 and w[1] + b[1] <= 48]
            shapes = sorted((sum(w) + sum(b), s, w, b) for w, b in pairs for s in (False, True))
            self.starts, start = {}, 0
            for shape in shapes:
                self.starts[shape] = start
                start += prod(self.shape_radices(shape))
            self.size = start
        return self.starts

    def encode(self, board):
        own = [[s for s in range(64) if board.men[s] and board.men[s][0] == side] for side in (0, 1)]
        parts = [tuple(sum(s in zone for s in squares) for zone in (EDGE, INNER)) for squares in own]
        special = bool(board.castling) or board.ep is not None or board.limit is not None
        shape = (len(own[0]) + len(own[1]), special, *parts)
        digits = []
        for zone in (EDGE, INNER):
            for side in (0, 1):
                free = [s for s in zone if side == 0 or s not in own[0]]
                digits.append(rank_of(set(own[side]) & set(zone), free))
        digits += [self.encode_side(board, side, own[side], special) for side in (0, 1)]
        count = 0
        if board.limit is not None:
            count = sum(PLIES[: LIMITS.index(board.limit)]) + board.plies
        digits += [board.side, count]
        number = 0
        for digit, radix in zip(digits, self.shape_radices(shape)):
            assert 0 <= digit < radix
            number = number * radix + digit
        return self.shapes()[shape] + number

    def encode_side(self, board, side, own, special):
        sets = [set(board.squares(side, kind)) for kind in range(self.kinds - 1)]
        castling = {s for s in board.castling if s // 56 == side}
        passing = set()
        if board.ep is not None and side != board.side:
            passing = {8 * (3 if side == 0 else 4) + board.ep}
        material = (tuple(map(len, sets)), len(passing), len(castling))
        edge, inner = sum(s in EDGE for s in own), sum(s in INNER for s in own)
        listed = self.listed(edge + inner, special)
        at = listed.index(material)
        start = sum(prod(self.radices(m, edge, inner)) for m in listed[:at])
        free, number = list(own), 0
        groups = [(passing, INNER), (sets[0] - passing, INNER), (castling, EDGE)]
        groups += [(sets[kind] - castling, range(64)) for kind in range(1, self.kinds - 1)]
        for (men, zone), radix in zip(groups, self.radices(material, edge, inner)):
            number = number * radix + rank_of(men, [s for s in free if s in zone])
            free = [s for s in free if s not in men]
        return start + number

    def decode(self, rank):
        starts = self.shapes()
        if rank >= self.size:
            raise NoCode("no position")
        shape = [shape for shape, start in starts.items() if start <= rank][-1]
        number, digits = rank - starts[shape], []
        for radix in reversed(self.shape_radices(shape)):
            number, digit = divmod(number, radix)
            digits.insert(0, digit)
        _, special, white, black = shape
        board = Board(self.variant)
        board.side, count = digits[6:]
        if special and self.makruk:
            limit = 0
            while count >= PLIES[limit]:
                count -= PLIES[limit]
                limit += 1
            board.limit, board.plies = LIMITS[limit], count
        taken = set()
        for side, (edge, inner) in enumerate((white, black)):
            own = set_of(digits[side], edge, [s for s in EDGE if s not in taken])
            own |= set_of(digits[2 + side], inner, [s for s in INNER if s not in taken])
            self.decode_side(board, side, sorted(own), digits[4 + side], special)
            taken |= own
        return board

    def decode_side(self, board, side, own, number, special):
        edge, inner = sum(s in EDGE for s in own), sum(s in INNER for s in own)
        for material in self.listed(edge + inner, special):
            radices = self.radices(material, edge, inner)
            if number < prod(radices):
                break
            number -= prod(radices)
        digits = []
        for radix in reversed(radices):
            number, digit = divmod(number, radix)
            digits.insert(0, digit)
        counts, passing, castling = material
        groups = [(0, passing, INNER), (0, counts[0] - passing, INNER), (ROOK, castling, EDGE)]
        for kind in range(1, self.kinds - 1):
            groups.append((kind, counts[kind] - (castling if kind == ROOK else 0), range(64)))
        free = list(own)
        for at, ((kind, count, zone), digit) in enumerate(zip(groups, digits)):
            men = set_of(digit, count, [s for s in free if s in zone])
            for s in men:
                board.men[s] = (side, kind)
            free = [s for s in free if s not in men]
            if at == 0 and men:
                board.ep = min(men) % 8
            if at == 2:
                board.castling |= men
        board.men[free[0]] = (side, self.kinds - 1)


# Clocks


def extended_text(code_text, halfmove, fullmove, repeated):
    extra = ((fullmove - 1) * 10000 + halfmove) * 3 + repeated
    if extra == 0:
        return code_text
    count = 1
    while 39**count <= extra:
        count += 1
    return code_text + "." + to_text(digits_of(extra, count))
