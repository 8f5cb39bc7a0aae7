"""Second implementation of position codes (see check_vectors.py): Part A, exact ranks."""

from math import comb, prod

from codes_board import CHESS, LIMITS, MAKRUK, PAIRS, ROOK, Board, NoCode, count_values, passant_squares, takers


def rank_of(chosen, free):
    """The rank of a set of squares within an ascending list."""
    return sum(comb(p, i) for i, p in enumerate((p for p, s in enumerate(free) if s in chosen), 1))


def set_of(rank, count, free):
    """The inverse of `rank_of`."""
    chosen = set()
    for i in range(count, 0, -1):
        p = i - 1
        while comb(p + 1, i) <= rank:
            p += 1
        rank -= comb(p, i)
        chosen.add(free[p])
    return chosen


def inner(square):
    return 0 < square // 8 < 7


def touch(a, b):
    return abs(a // 8 - b // 8) <= 1 and abs(a % 8 - b % 8) <= 1


KING_PAIRS = [
    [(w, b) for w in range(64) for b in range(64) if not touch(w, b) and inner(w) + inner(b) == k] for k in range(3)
]


class PartA:
    def __init__(self, variant):
        self.variant = variant
        self.kinds = 7 if variant == MAKRUK else 6
        self.most = 7 if variant == MAKRUK else 8
        self.starts = {}
        self.size = 0
        slots = 2 * (self.kinds - 1)
        for men in range(self.most - 1):
            for counts in compositions(men, slots):
                self.starts[counts] = self.size
                self.size += self.class_size(counts)

    def split(self, counts):
        return counts[: self.kinds - 1], counts[self.kinds - 1 :]

    def state_radix(self, counts):
        white, black = self.split(counts)
        if self.variant != MAKRUK or white[0] + black[0] > 0:
            return 2
        return 2 * (1 + sum(count_values(limit, sum(counts) + 2) for limit in LIMITS))

    def plain_radices(self, counts, k):
        """Radices of digits 2 and following."""
        white, black = self.split(counts)
        radices = [comb(48 - k, white[0]), comb(48 - k - white[0], black[0])]
        empty = 62 - white[0] - black[0]
        for n in white[1:] + black[1:]:
            radices.append(comb(empty, n))
            empty -= n
        return radices + [self.state_radix(counts)]

    def groups(self):
        for passant in (False, True):
            for white in range(3):
                for black in range(3):
                    if passant or white or black:
                        yield passant, (white, black)

    def placements(self, rooks):
        """(king file, rook files), in the order of their numbers; None where nothing castles."""
        if rooks == 0:
            return [None]
        if self.variant == CHESS:
            return [(4, (7,)), (4, (0,))] if rooks == 1 else [(4, (0, 7))]
        if rooks == 1:
            return [(k, (r,)) for k in range(8) for r in range(8) if r != k]
        return [(k, (l, r)) for k in range(8) for l in range(k) for r in range(k + 1, 8)]

    def special_radices(self, counts, passant, rooks):
        if self.variant == MAKRUK:
            return None
        left = [list(half) for half in self.split(counts)]
        radices = [2] + ([14] if passant else [])
        fixed_men = 4 if passant else 0
        for side in (0, 1):
            left[side][0] -= int(passant)
            left[side][ROOK] -= rooks[side]
            if left[side][0] < 0 or left[side][ROOK] < 0:
                return None
            radices.append(len(self.placements(rooks[side])))
            fixed_men += rooks[side] + 1 if rooks[side] else 0
        room = 48 - (4 if passant else 0)
        radices += [comb(room, left[0][0]), comb(room - left[0][0], left[1][0])]
        empty = 64 - fixed_men - left[0][0] - left[1][0]
        for side in (0, 1):
            if not rooks[side]:
                radices.append(empty)
                empty -= 1
        for n in left[0][1:] + left[1][1:]:
            radices.append(comb(empty, n))
            empty -= n
        return radices

    def blocks(self, counts):
        """The parts of a class with their sizes: k, or a group."""
        for k in range(3):
            yield k, len(KING_PAIRS[k]) * prod(self.plain_radices(counts, k))
        for group in self.groups():
            radices = self.special_radices(counts, *group)
            if radices is not None:
                yield group, prod(radices)

    def class_size(self, counts):
        return sum(size for _, size in self.blocks(counts))

    def counts_of(self, board):
        return tuple(len(board.squares(side, kind)) for side in (0, 1) for kind in range(self.kinds - 1))

    def has(self, board):
        return board.number_of_men() <= self.most

    def encode(self, board):
        counts = self.counts_of(board)
        code = self.starts[counts]
        rooks = tuple(sum(rook // 56 == side for rook in board.castling) for side in (0, 1))
        if board.ep is None and rooks == (0, 0):
            block = sum(inner(board.king(side)) for side in (0, 1))
            digits = self.plain_digits(board, block)
            radices = self.plain_radices(counts, block)
        else:
            block = (board.ep is not None, rooks)
            digits = [0] + self.special_digits(board, *block)
            radices = self.special_radices(counts, *block)
        for other, size in self.blocks(counts):
            if other == block:
                break
            code += size
        number = digits[0]
        for digit, radix in zip(digits[1:], radices):
            assert 0 <= digit < radix, (digit, radix)
            number = number * radix + digit
        return code + number

    def plain_digits(self, board, k):
        kings = (board.king(0), board.king(1))
        digits = [KING_PAIRS[k].index(kings)]
        taken = set(kings)
        for side in (0, 1):
            pawns = set(board.squares(side, 0))
            digits.append(rank_of(pawns, [s for s in range(8, 56) if s not in taken]))
            taken |= pawns
        self.men_digits(board, taken, set(), digits)
        count = 0
        if board.limit is not None:
            men = board.number_of_men()
            count = 1 + board.plies + sum(count_values(limit, men) for limit in LIMITS if limit < board.limit)
        return digits + [2 * count + board.side]

    def men_digits(self, board, taken, fixed, digits):
        for side in (0, 1):
            for kind in range(1, self.kinds - 1):
                men = set(board.squares(side, kind)) - fixed
                digits.append(rank_of(men, [s for s in range(64) if s not in taken]))
                taken |= men

    def special_digits(self, board, passant, rooks):
        digits = [board.side]
        fixed = set()
        if passant:
            pair = (board.ep, min(takers(board, board.ep)))
            digits.append(PAIRS.index(pair))
            fixed |= set(passant_squares(board.side, *pair))
        for side in (0, 1):
            if rooks[side]:
                own = sorted(rook for rook in board.castling if rook // 56 == side)
                king = board.king(side)
                place = (king % 8, tuple(rook % 8 for rook in own))
                digits.append(self.placements(rooks[side]).index(place))
                fixed |= {king, *own}
            else:
                digits.append(0)
        taken = set(fixed)
        for side in (0, 1):
            pawns = set(board.squares(side, 0)) - fixed
            digits.append(rank_of(pawns, [s for s in range(8, 56) if s not in taken]))
            taken |= pawns
        for side in (0, 1):
            if not rooks[side]:
                king = board.king(side)
                digits.append([s for s in range(64) if s not in taken].index(king))
                taken.add(king)
        self.men_digits(board, taken, fixed, digits)
        return digits

    def decode(self, code):
        if code >= self.size:
            raise NoCode("no position")
        counts = max((c for c in self.starts if self.starts[c] <= code), key=self.starts.get)
        code -= self.starts[counts]
        for block, size in self.blocks(counts):
            if code < size:
                break
            code -= size
        plain = isinstance(block, int)
        radices = self.plain_radices(counts, block) if plain else self.special_radices(counts, *block)
        digits = []
        for radix in reversed(radices):
            code, digit = divmod(code, radix)
            digits.insert(0, digit)
        board = Board(self.variant)
        return self.plain_board(board, counts, block, code, digits) if plain else self.special_board(
            board, counts, block, digits
        )

    def put(self, board, side, kind, squares):
        for square in squares:
            board.men[square] = (side, kind)

    def free(self, board, first, last, fixed=frozenset()):
        return [s for s in range(first, last) if board.men[s] is None and s not in fixed]

    def plain_board(self, board, counts, k, pair, digits):
        halves = self.split(counts)
        for side, king in enumerate(KING_PAIRS[k][pair]):
            self.put(board, side, self.kinds - 1, [king])
        for side in (0, 1):
            self.put(board, side, 0, set_of(digits.pop(0), halves[side][0], self.free(board, 8, 56)))
        self.put_men(board, halves, digits, frozenset())
        count, board.side = divmod(digits.pop(0), 2)
        if count:
            count -= 1
            for limit in LIMITS:
                values = count_values(limit, board.number_of_men())
                if count < values:
                    board.limit, board.plies = limit, count
                    break
                count -= values
        return board

    def put_men(self, board, halves, digits, fixed):
        for side in (0, 1):
            for kind in range(1, self.kinds - 1):
                squares = set_of(digits.pop(0), halves[side][kind], self.free(board, 0, 64, fixed))
                self.put(board, side, kind, squares)

    def special_board(self, board, counts, group, digits):
        passant, rooks = group
        halves = [list(half) for half in self.split(counts)]
        board.side = digits.pop(0)
        fixed = set()
        if passant:
            file, taker = PAIRS[digits.pop(0)]
            squares = passant_squares(board.side, file, taker)
            fixed |= set(squares)
            board.ep = file
            self.put(board, 1 - board.side, 0, squares[:1])
            self.put(board, board.side, 0, squares[3:])
        for side in (0, 1):
            halves[side][0] -= int(passant)
            halves[side][ROOK] -= rooks[side]
            place = self.placements(rooks[side])[digits.pop(0)]
            if place is not None:
                castling = {56 * side + file for file in place[1]}
                self.put(board, side, self.kinds - 1, [56 * side + place[0]])
                self.put(board, side, ROOK, castling)
                board.castling |= castling
        for side in (0, 1):
            self.put(board, side, 0, set_of(digits.pop(0), halves[side][0], self.free(board, 8, 56, fixed)))
        for side in (0, 1):
            if not rooks[side]:
                self.put(board, side, self.kinds - 1, [self.free(board, 0, 64, fixed)[digits.pop(0)]])
        self.put_men(board, halves, digits, fixed)
        return board


def compositions(total, slots):
    """All tuples of `slots` numbers that add up to `total`, lexicographically."""
    if slots == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, slots - 1):
            yield (first,) + rest
