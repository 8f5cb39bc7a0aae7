"""The network in plain Python integers: `python3 reference.py NET FENS` writes `fen;value` lines.

No library is needed. The engine's tests compare its values with these, digit for digit.
"""
import array
import struct
import sys
import zlib

KINDS = {"chess": "pnbrqk", "makruk": "pnsrmk"}


class Integers:
    """A network file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            blob = file.read()
        fields = struct.unpack("<8sHBBHHHHIII", blob[:32])
        magic, version, variant, activation, self.hidden, self.buckets, self.qa, self.qb, self.scale, words, inputs = fields
        if magic != b"RUKHNNUE" or version != 1 or activation != 1 or inputs != 768:
            raise SystemExit(f"{path}: not a network file of version 1")
        if zlib.crc32(blob[64:], zlib.crc32(blob[:60])) != struct.unpack("<I", blob[60:64])[0]:
            raise SystemExit(f"{path}: damaged")
        self.variant = "makruk" if variant == 2 else "chess"
        self.kinds = KINDS[self.variant]
        at = 64

        def take(kind, count):
            nonlocal at
            numbers = array.array(kind)
            numbers.frombytes(blob[at : at + count * numbers.itemsize])
            if sys.byteorder == "big":
                numbers.byteswap()
            at += count * numbers.itemsize
            return numbers

        self.first = take("h", 768 * self.hidden)
        self.first_bias = take("h", self.hidden)
        self.second = take("h", self.buckets * 2 * self.hidden)
        self.second_bias = take("i", self.buckets)
        self.recipe = blob[at : at + words].decode()

    def men(self, fen):
        """(white?, kind, square) of every piece. Makruk's promoted Bia (`M~`) is a Met."""
        men, square = [], 56
        for char in fen.split()[0]:
            if char == "/":
                square -= 16
            elif char.isdigit():
                square += int(char)
            elif char in "~+":
                continue
            else:
                men.append((char.isupper(), self.kinds.index(char.lower()), square))
                square += 1
        return men

    def side(self, men, white):
        flip = 0 if white else 56
        king = next(square for colour, kind, square in men if colour == white and kind == 5)
        mirror = 7 if king & 7 > 3 else 0
        sums = list(self.first_bias)
        for colour, kind, square in men:
            row = ((0 if colour == white else 6) + kind) * 64 + (square ^ flip ^ mirror)
            weights = self.first[row * self.hidden : (row + 1) * self.hidden]
            sums = [a + b for a, b in zip(sums, weights)]
        return sums

    def value(self, fen):
        """Centipawns for the side to move."""
        men = self.men(fen)
        white = fen.split()[1] == "w"
        sums = self.side(men, white) + self.side(men, not white)
        bucket = min((len(men) - 2) * self.buckets // 32, self.buckets - 1)
        weights = self.second[bucket * 2 * self.hidden : (bucket + 1) * 2 * self.hidden]
        total = sum(min(max(s, 0), self.qa) ** 2 * w for s, w in zip(sums, weights))
        # Division rounds towards zero, as the engine's does.
        cut = lambda a, b: a // b if a >= 0 else -(-a // b)
        return cut((cut(total, self.qa) + self.second_bias[bucket]) * self.scale, self.qa * self.qb)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    net = Integers(sys.argv[1])
    with open(sys.argv[2]) as file:
        for line in file:
            fen = line.split(";")[0].strip()
            if fen and not fen.startswith("#"):
                print(f"{fen};{net.value(fen)}")
