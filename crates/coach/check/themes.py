#!/usr/bin/env python3
"""A second opinion on the names of motifs: rules of its own on a board of its own, written from what the words mean in books and
without looking at the coach's. Chess only.

    python3 crates/coach/check/themes.py themes.tsv [COUNT]

Reads what the test `name_themes_of_puzzles` writes (position, line, themes, sentences), looks at the first COUNT puzzles with a theme
(default 300), and says for each kind how often the first theme named is one that this program finds too. What it does not find is
listed with the board's line, for somebody to look at.
"""

import sys
from collections import Counter

VALUE = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 100}
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
LEAPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
RAYS = {"b": DIAGONAL, "r": STRAIGHT, "q": STRAIGHT + DIAGONAL}


def square(name):
    return ord(name[0]) - 97, int(name[1]) - 1


def white(piece):
    return piece.isupper()


class Board:
    """Pieces by square, who moves; en passant and castling as the moves of a legal line show them."""

    def __init__(self, men, turn, passant=None):
        self.men, self.turn, self.passant = men, turn, passant

    @staticmethod
    def read(fen):
        rows, turn, _, passant = fen.split()[:4]
        men = {}
        for y, row in enumerate(rows.split("/")):
            x = 0
            for sign in row:
                if sign.isdigit():
                    x += int(sign)
                else:
                    men[x, 7 - y] = sign
                    x += 1
        return Board(men, turn == "w", None if passant == "-" else square(passant))

    def play(self, uci):
        start, end = square(uci[:2]), square(uci[2:4])
        men = dict(self.men)
        piece = men.pop(start)
        kind = piece.lower()
        if kind == "p" and end == self.passant and end not in men:
            men.pop((end[0], start[1]), None)
        if kind == "k" and abs(end[0] - start[0]) == 2:
            rook = (7, start[1]) if end[0] == 6 else (0, start[1])
            men[(5 if end[0] == 6 else 3), start[1]] = men.pop(rook)
        if len(uci) > 4:
            piece = uci[4].upper() if white(piece) else uci[4]
        men[end] = piece
        passant = ((start[0], (start[1] + end[1]) // 2)) if kind == "p" and abs(end[1] - start[1]) == 2 else None
        return Board(men, not self.turn, passant)

    def seen_from(self, at, piece=None, men=None):
        """The squares that the piece attacks."""
        men = self.men if men is None else men
        piece = piece or men[at]
        kind, (x, y) = piece.lower(), at
        if kind == "p":
            steps = [(x - 1, y + (1 if white(piece) else -1)), (x + 1, y + (1 if white(piece) else -1))]
        elif kind == "n":
            steps = [(x + a, y + b) for a, b in LEAPS]
        elif kind == "k":
            steps = [(x + a, y + b) for a, b in STRAIGHT + DIAGONAL]
        else:
            steps = []
            for a, b in RAYS[kind]:
                i, j = x + a, y + b
                while 0 <= i < 8 and 0 <= j < 8:
                    steps.append((i, j))
                    if (i, j) in men:
                        break
                    i, j = i + a, j + b
        return {(i, j) for i, j in steps if 0 <= i < 8 and 0 <= j < 8}

    def attackers(self, at, side, men=None):
        men = self.men if men is None else men
        return [s for s, p in men.items() if white(p) == side and at in self.seen_from(s, p, men)]

    def king(self, side):
        return next(s for s, p in self.men.items() if p == ("K" if side else "k"))

    def in_check(self, side):
        return bool(self.attackers(self.king(side), not side))

    def moves(self):
        """Legal moves; castling is never needed here."""
        found = []
        for start, piece in list(self.men.items()):
            if white(piece) != self.turn:
                continue
            if piece.lower() == "p":
                x, y = start
                step = 1 if self.turn else -1
                ends = []
                if (x, y + step) not in self.men and 0 <= y + step < 8:
                    ends.append((x, y + step))
                    if y == (1 if self.turn else 6) and (x, y + 2 * step) not in self.men:
                        ends.append((x, y + 2 * step))
                for end in self.seen_from(start):
                    if end in self.men and white(self.men[end]) != self.turn or end == self.passant:
                        ends.append(end)
            else:
                ends = [e for e in self.seen_from(start) if e not in self.men or white(self.men[e]) != self.turn]
            for end in ends:
                uci = name(start) + name(end) + ("q" if piece.lower() == "p" and end[1] in (0, 7) else "")
                if not self.play(uci).in_check(self.turn):
                    found.append(uci)
        return found

    def mate(self):
        return self.in_check(self.turn) and not self.moves()

    def material(self, side):
        return sum(VALUE[p.lower()] * (1 if white(p) == side else -1) for p in self.men.values() if p.lower() != "k")

    def exchange(self, uci):
        """What the side to move wins by taking here and going on taking, both as long as it pays: by trying it out."""
        end = square(uci[2:4])
        taken = VALUE[self.men[end].lower()] if end in self.men else (1 if end == self.passant else 0)
        gain = taken + (VALUE[uci[4]] - 1 if len(uci) > 4 else 0)
        after = self.play(uci)
        replies = [m for m in after.moves() if square(m[2:4]) == end]
        if not replies:
            return gain
        cheapest = min(replies, key=lambda m: VALUE[after.men[square(m[:2])].lower()])
        return gain - max(0, after.exchange(cheapest))

    def worth_taking(self, at, side):
        """The most that `side` wins by taking on a square, were it to move."""
        board = Board(self.men, side, self.passant if side == self.turn else None)
        takes = [m for m in board.moves() if square(m[2:4]) == at]
        return max((board.exchange(m) for m in takes), default=0)


def name(at):
    return chr(97 + at[0]) + str(at[1] + 1)


def between(a, b):
    dx, dy = b[0] - a[0], b[1] - a[1]
    if (dx, dy) == (0, 0) or dx and dy and abs(dx) != abs(dy):
        return None
    n = max(abs(dx), abs(dy))
    return [(a[0] + dx // n * i, a[1] + dy // n * i) for i in range(1, n)]


class Line:
    def __init__(self, fen, moves):
        self.boards = [Board.read(fen)]
        self.moves = moves
        for uci in moves:
            self.boards.append(self.boards[-1].play(uci))
        self.side = self.boards[0].turn
        self.last = self.boards[-1]
        self.mates = self.last.turn != self.side and self.last.mate()
        self.start = self.boards[0].material(self.side)

    def own(self):
        return range(0, len(self.moves), 2)

    def ends(self, at):
        return square(self.moves[at][:2]), square(self.moves[at][2:4])

    def takes(self, at):
        """What the move takes."""
        return self.boards[at].men.get(self.ends(at)[1])

    def won(self, at):
        """Material gained since the start once the move and its answer are made; where the line stops, what can be taken back is."""
        after = self.boards[at + 1].material(self.side) - self.start
        if at + 2 < len(self.boards):
            return min(after, self.boards[at + 2].material(self.side) - self.start)
        board = self.boards[at + 1]
        back = [board.exchange(m) for m in board.moves() if square(m[2:4]) in board.men]
        return after - max([0, *back])

    def gain(self):
        return max((self.won(at) for at in self.own()), default=0)


def mate(line):
    return line.mates


def back_rank_mate(line):
    if not line.mates:
        return False
    board, side = line.last, not line.side
    king = board.king(side)
    if king[1] != (0 if side else 7):
        return False
    checkers = board.attackers(king, line.side)
    if not any(c[1] == king[1] and board.men[c].lower() in "rq" for c in checkers):
        return False
    # Without its own men in front of it the king would escape.
    step = 1 if side else -1
    men = {
        s: p for s, p in board.men.items() if not (white(p) == side and s[1] == king[1] + step and abs(s[0] - king[0]) <= 1)
    }
    return not Board(men, side).mate()


def promotion(line):
    for at in line.own():
        if len(line.moves[at]) > 4:
            return at + 1 >= len(line.moves) or line.ends(at + 1)[1] != line.ends(at)[1]
    return False


def hanging(line):
    taken = line.takes(0)
    if not taken:
        return False
    end = line.ends(0)[1]
    after = line.boards[1]
    return not any(square(m[2:4]) == end for m in after.moves()) and (line.won(0) > 0 or line.gain() > 0)


def exchange(line):
    return bool(line.takes(0)) and line.boards[0].exchange(line.moves[0]) > 0 and line.gain() > 0


def targets(line, at):
    """What the piece that has just moved attacks and could take with gain, the king among them."""
    board = line.boards[at + 1]
    place = line.ends(at)[1]
    found = []
    for s in board.seen_from(place):
        man = board.men.get(s)
        if not man or white(man) == line.side:
            continue
        if man.lower() == "k":
            found.append(s)
        elif man.lower() != "p":
            move = name(place) + name(s)
            ours = Board(board.men, line.side)
            if ours.exchange(move) >= 1:
                found.append(s)
    return found


def fork(line):
    for at in line.own():
        place = line.ends(at)[1]
        hit = targets(line, at)
        if len(hit) < 2:
            continue
        for later in (at + 2, at + 4):
            if later < len(line.moves):
                start, end = line.ends(later)
                if start == place and end in hit and line.takes(later) and line.won(later) > 0:
                    return True
    return False


def skewer(line):
    for at in line.own():
        if at + 2 >= len(line.moves):
            continue
        place = line.ends(at)[1]
        board = line.boards[at + 1]
        if board.men[place].lower() not in "brq":
            continue
        front, fled = line.ends(at + 1)
        start, back = line.ends(at + 2)
        way = between(place, back)
        if start != place or not line.takes(at + 2) or way is None or front not in way or fled in way or fled == back:
            continue
        if [s for s in way if s in board.men] != [front] or white(board.men[front]) == line.side:
            continue
        if VALUE[board.men[front].lower()] >= VALUE[line.takes(at + 2).lower()] > 1 and line.won(at + 2) > 0:
            return True
    return False


def discovered(line, check):
    for at in line.own():
        start, end = line.ends(at)
        before, after = line.boards[at], line.boards[at + 1]
        for s, p in after.men.items():
            if white(p) != line.side or p.lower() not in "brq" or s == end or s not in before.men:
                continue
            fresh = after.seen_from(s) - before.seen_from(s)
            for goal in fresh:
                man = after.men.get(goal)
                if not man or white(man) == line.side or start not in (between(s, goal) or []):
                    continue
                if (man.lower() == "k") != check:
                    continue
                if check:
                    # The check gives the mover a free hand: it takes now or next, or the line mates.
                    if line.mates or line.takes(at) and line.won(at) > 0:
                        return True
                    if at + 2 < len(line.moves) and line.takes(at + 2) and line.won(at + 2) > 0:
                        return True
                    continue
                if VALUE[man.lower()] < 3 or Board(after.men, line.side).exchange(name(s) + name(goal)) < 1:
                    continue
                for later in (at + 2, at + 4):
                    if later < len(line.moves) and line.takes(later) and line.won(later) > 0:
                        mover, prey = line.ends(later)
                        if mover == s and prey == goal or mover == end:
                            return True
                if line.takes(at) and line.won(at) > 0:
                    return True
    return False


def pinned_by(board, at, side):
    """The line from a slider of `side` through the man on `at` to a dearer man behind it: king, queen or rook."""
    man = board.men[at]
    for s, p in board.men.items():
        if white(p) != side or p.lower() not in "brq" or at not in board.seen_from(s):
            continue
        dx = (at[0] > s[0]) - (at[0] < s[0])
        dy = (at[1] > s[1]) - (at[1] < s[1])
        x, y = at[0] + dx, at[1] + dy
        while 0 <= x < 8 and 0 <= y < 8 and (x, y) not in board.men:
            x, y = x + dx, y + dy
        behind = board.men.get((x, y))
        if behind and white(behind) != side and VALUE[behind.lower()] > max(VALUE[man.lower()], VALUE[p.lower()]):
            return s, (x, y)
    return None


def pin(line):
    for at in line.own():
        board, after = line.boards[at], line.boards[at + 1]
        start, end = line.ends(at)
        gains = line.mates or line.takes(at) and line.won(at) > 0
        for s, p in after.men.items():
            if white(p) == line.side or p.lower() == "k":
                continue
            found = pinned_by(after, s, line.side)
            if not found:
                continue
            # It may not take the piece that has just moved.
            if end in after.seen_from(s) and gains:
                way = between(found[0], found[1])
                if end != found[0] and end not in (way or []) and not any(m.startswith(name(s)) and square(m[2:4]) == end for m in after.moves()):
                    return True
            # It is attacked, stays, and is taken.
            for later in (at + 2, at + 4):
                if later < len(line.moves) and line.ends(later)[1] == s and line.takes(later) == p and line.won(later) > 0:
                    if all(line.ends(i)[0] != s for i in range(at + 1, later)) and s in after.seen_from(end):
                        return True
        # What is taken is pinned, and so cannot be where it would guard or flee.
        if line.takes(at) and line.takes(at).lower() != "p" and line.won(at) > 0 and at > 0 and pinned_by(board, end, line.side):
            return True
    return False


def trapped(line):
    for at in line.own():
        after = line.boards[at + 1]
        if after.in_check(not line.side):
            continue
        for s, p in after.men.items():
            if white(p) == line.side or p.lower() in "kp":
                continue
            if after.worth_taking(s, line.side) < 1:
                continue
            # It falls in the end, wherever it went.
            place, fell = s, None
            for i in range(at + 1, min(at + 6, len(line.moves))):
                a, b = line.ends(i)
                if b == place and i % 2 == 0:
                    fell = i
                    break
                if a == place:
                    place = b
            if fell is None or line.won(fell) <= 0:
                continue
            own = [m for m in after.moves() if square(m[:2]) == s]
            lost = all(after.exchange(m) < 0 or after.play(m).worth_taking(square(m[2:4]), line.side) >= VALUE[p.lower()] - 1 - gained(after, m) for m in own)
            if own and lost:
                return True
    return False


def gained(board, uci):
    man = board.men.get(square(uci[2:4]))
    return VALUE[man.lower()] if man else 0


def left_its_post(line, at, guard, goal):
    """The man that guarded `goal` before the move at `at` does not any more behind it."""
    before, after = line.boards[at], line.boards[at + 1]
    place = line.ends(at)[1] if line.ends(at)[0] == guard else guard
    return goal in before.seen_from(guard) and (place not in after.men or goal not in after.seen_from(place))


def deflection(line):
    for at in line.own():
        if at + 2 >= len(line.moves):
            continue
        lure, (guard, went) = line.ends(at)[1], line.ends(at + 1)
        end = line.ends(at + 2)[1]
        board = line.boards[at + 1]
        if went == end or not left_its_post(line, at + 1, guard, end):
            continue
        forced = went == lure or board.in_check(not line.side)
        pays = line.takes(at + 2) and line.won(at + 2) > 0 or line.mates and at + 3 == len(line.moves)
        if forced and pays and line.takes(at + 2) == board.men.get(end):
            return True
    return False


def removed_guard(line):
    for at in line.own():
        if at + 2 >= len(line.moves) or not line.takes(at):
            continue
        board = line.boards[at]
        guard, end = line.ends(at)[1], line.ends(at + 2)[1]
        if end == guard or end not in board.seen_from(guard):
            continue
        pays = line.takes(at + 2) and line.won(at + 2) > 0 or line.mates and at + 3 == len(line.moves)
        if pays and (line.takes(at + 2) == board.men.get(end)):
            return True
    return False


JUDGES = {
    "mate": mate,
    "backRankMate": back_rank_mate,
    "promotion": promotion,
    "hangingPiece": hanging,
    "exchange": exchange,
    "fork": fork,
    "skewer": skewer,
    "discoveredAttack": lambda line: discovered(line, False),
    "discoveredCheck": lambda line: discovered(line, True),
    "pin": pin,
    "trappedPiece": trapped,
    "deflection": deflection,
    "removedGuard": removed_guard,
}


def main():
    rows = [row.rstrip("\n").split("\t") for row in open(sys.argv[1], encoding="utf-8")]
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    named = [row for row in rows if row[2]][:most]
    total, right, other = Counter(), Counter(), []
    for fen, moves, themes, said in named:
        line = Line(fen, moves.split())
        theme = themes.split()[0]
        total[theme] += 1
        if JUDGES[theme](line):
            right[theme] += 1
        else:
            also = [name for name, judge in JUDGES.items() if judge(line)]
            other.append((theme, fen, moves, said, also))
    for theme, fen, moves, said, also in other:
        print(f"{theme}: {fen}\n    {moves}\n    {said}\n    found here: {' '.join(also) or 'nothing'}")
    for theme, n in total.most_common():
        print(f"{theme:18}{right[theme]:4} of {n}")
    n = sum(total.values())
    unnamed = rows.index(named[-1]) + 1 - n if named else len(rows)
    print(f"{'all':18}{sum(right.values()):4} of {n} ({100 * sum(right.values()) / max(1, n):.1f} %); without a name: {unnamed}")


if __name__ == "__main__":
    main()
