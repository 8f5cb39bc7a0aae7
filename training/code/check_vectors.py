#!/usr/bin/env python3
"""A second implementation of position codes, paragraph by paragraph after docs/formats/position-code.md.

    python3 training/code/check_vectors.py [--version 2] [FILE ...]

Reads test vectors (variant, FEN, code, text) from the tables of that page or from the files given, computes every
code from the FEN and every position from the code, and compares. Slow and plain on purpose: only the standard library,
one function for each paragraph of the page. Exits with 1 if anything differs.

codes_board.py has positions, codes_exact.py Part A, codes_learned.py Part B, codes_long.py long codes, this file the short
text form and the rest. Rows with a longer text are long codes, whose code is a number without a sign; a point in the text
is followed by the clocks of the FEN. `--version` reads the codes of an older version instead of today's.
"""

import sys
from pathlib import Path

from codes_board import CHESS, CHESS960, MAKRUK, NoCode, read_fen
from codes_exact import PartA
from codes_learned import VERSIONS, PartB
from codes_long import Long, extended_text, number_of
from codes_long import from_text as from_long_text
from codes_long import to_text as to_long_text

PAGE = Path(__file__).resolve().parents[2] / "docs/formats/position-code.md"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz_~-"


def to_text(code):
    number = code & (2**64 - 1) ^ 1 << 63
    digits = []
    for _ in range(12):
        number, digit = divmod(number, 39)
        digits.insert(0, digit)
    total = sum(2 ** (12 - i) * d for i, d in enumerate(digits))
    return "".join(DIGITS[d] for d in digits + [-total % 39])


def from_text(text):
    digits = [DIGITS.index(c) for c in text.lower()]
    if len(digits) != 13 or sum(2 ** (12 - i) * d for i, d in enumerate(digits)) % 39:
        raise NoCode("wrong check character")
    number = 0
    for digit in digits[:12]:
        number = 39 * number + digit
    if number >= 2**63 + 2**61:
        raise NoCode("the number is too large")
    return number - 2**63


def mark(variant, version):
    """What a version adds to the check digit."""
    before = 3 if variant == MAKRUK else 2
    return 0 if version <= before else 13 * [CHESS, CHESS960, MAKRUK].index(variant) + version - 2


def moved(text, by):
    """The text with its check digit moved on."""
    return text[:-1] + DIGITS[(DIGITS.index(text[-1].lower()) + by) % 39]


class Codec:
    def __init__(self, variant, version):
        self.mark = mark(variant, version)
        self.share = 2**61 if variant == MAKRUK else 2**59
        self.a = PartA(variant)
        self.b = PartB(variant, self.share, version)
        assert self.a.size <= self.share
        self.long = Long(self, variant)

    def encode(self, board):
        payload = self.a.encode(board) if self.a.has(board) else self.b.encode(board)
        return payload - 2**63

    def decode(self, code):
        payload = code + 2**63
        return self.a.decode(payload) if payload < self.share else self.b.decode(payload)


def vectors_of(path):
    """Rows `variant | FEN | code | text` of a Markdown table, or the same separated by tabs."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        cells = line.strip("|").split("|") if line.startswith("|") else line.split("\t")
        cells = [cell.strip().strip("`") for cell in cells]
        if len(cells) == 4 and cells[0] in (CHESS, CHESS960, MAKRUK) and cells[1].count("/") == 7:
            yield cells[0], cells[1], int(cells[2].replace("\u2212", "-")), cells[3]


def check(codec, variant, fen, code, text):
    """What is wrong with a vector; None if nothing is."""
    board = read_fen(variant, fen)
    try:
        plain, point, _ = text.partition(".")
        if point:
            halfmove, fullmove = fen.split()[4:6]
            ours = extended_text(plain, 0 if board.limit else int(halfmove), int(fullmove), 0)
            if ours != text:
                return f"the text is {ours}, not {text}"
            text = plain
        text = moved(text, -codec.mark)
        if len(text) > 13:
            return check_long(codec, board, code, text)
        ours = codec.encode(board)
        if ours != code:
            return f"the code is {ours}, not {code}"
        if to_text(code) != text or from_text(text) != code:
            return f"the text is {to_text(code)}, not {text}"
        if codec.decode(code).key() != board.key():
            return "the code is another position's"
    except NoCode as error:
        return str(error)
    return None


def check_long(codec, board, code, text):
    try:
        codec.encode(board)
        return "it has a direct code"
    except NoCode:
        pass
    digits = codec.long.encode(board)
    if number_of(digits) != code:
        return f"the code is {number_of(digits)}, not {code}"
    if to_long_text(digits) != text or from_long_text(text) != digits:
        return f"the text is {to_long_text(digits)}, not {text}"
    return None if codec.long.decode(digits).key() == board.key() else "the code is another position's"


def main(files):
    older = None
    if files[:1] == ["--version"]:
        older, files = int(files[1]), files[2:]
    codecs, seen, wrong = {}, 0, 0
    for path in files or [PAGE]:
        for variant, *vector in vectors_of(path):
            if variant not in codecs:
                codecs[variant] = Codec(variant, older or VERSIONS[variant])
            fault = check(codecs[variant], variant, *vector)
            seen += 1
            if fault:
                wrong += 1
                print(f"{variant} {vector[0]}: {fault}")
    print(f"{seen} vectors, {wrong} wrong")
    return int(wrong > 0 or seen == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
