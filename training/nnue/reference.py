"""The network in plain Python integers: `python3 reference.py NET FENS` writes `fen;value` lines.

No library is needed. The engine's tests compare its values with these, digit for digit.
"""
import array
import struct
import sys
import zlib

# The inner layers that a network of version 2 or 3 has, and the units of the weights of the middle layer and of the others.
MIDDLE, UPPER, QM, QC = 16, 32, 64, 256
KINDS = {"chess": "pnbrqk", "makruk": "pnsrmk"}


def cut(a, b):
    """Division rounds towards zero, as the engine's does."""
    return a // b if a >= 0 else -(-a // b)


class Integers:
    """A network file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            blob = file.read()
        fields = struct.unpack("<8sHBBHHHHIII", blob[:32])
        magic, version, variant, activation, self.hidden, self.buckets, self.qa, self.qb, self.scale, words, inputs = fields
        zones = struct.unpack("<Q", blob[40:48])[0] if version == 3 else 0
        self.zones = [zones >> 2 * at & 3 for at in range(32)]
        self.zoned = max(self.zones) > 0
        if magic != b"RUKHNNUE" or version not in (1, 2, 3) or activation != 1 or inputs != 768 * (1 + max(self.zones)):
            raise SystemExit(f"{path}: not a network file of version 1 to 3")
        self.deep = version >= 2
        if self.deep and struct.unpack("<HHHH", blob[32:40]) != (MIDDLE, UPPER, QM, QC):
            raise SystemExit(f"{path}: inner layers of another size")
        if zlib.crc32(blob[64:], zlib.crc32(blob[:60])) != struct.unpack("<I", blob[60:64])[0]:
            raise SystemExit(f"{path}: damaged")
        self.variant = "makruk" if variant == 2 else "chess"
        self.kinds = KINDS[self.variant]
        at = 64

        def take(kind, count):
            nonlocal at
            numbers = array.array(kind)
            numbers.frombytes(blob[at : at + count * numbers.itemsize])
            if sys.byteorder == "big" and numbers.itemsize > 1:
                numbers.byteswap()
            at += count * numbers.itemsize
            return numbers

        self.first = take("h", inputs * self.hidden)
        self.first_bias = take("h", self.hidden)
        self.second = take("h", self.buckets * 2 * self.hidden)
        self.second_bias = take("i", self.buckets)
        if self.deep:
            self.middle = take("b", 2 * self.hidden * MIDDLE)
            self.middle_bias = take("i", self.buckets * MIDDLE)
            self.upper = take("h", self.buckets * MIDDLE * UPPER)
            self.upper_bias = take("i", self.buckets * UPPER)
            self.last = take("h", self.buckets * UPPER)
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
        place = king ^ flip ^ mirror
        zone = self.zones[place // 8 * 4 + place % 8]
        sums = list(self.first_bias)
        for colour, kind, square in men:
            row = zone * 768 + ((0 if colour == white else 6) + kind) * 64 + (square ^ flip ^ mirror)
            weights = self.first[row * self.hidden : (row + 1) * self.hidden]
            sums = [a + b for a, b in zip(sums, weights)]
        return sums

    def inner(self, active, bucket):
        """What the inner layers add, in the units of the direct output; `active` are the first layer's clamped sums."""
        squares = [(i, v * v >> 9) for i, v in enumerate(active) if v * v >> 9]
        middle = []
        for j in range(MIDDLE):
            total = self.middle_bias[bucket * MIDDLE + j] + sum(u * self.middle[i * MIDDLE + j] for i, u in squares)
            v = min(max(total, 0), 8128)
            middle.append(v * v >> 12)
        out = 0
        for k in range(UPPER):
            weights = self.upper[bucket * MIDDLE * UPPER + k : (bucket + 1) * MIDDLE * UPPER : UPPER]
            total = self.upper_bias[bucket * UPPER + k] + sum(e * w for e, w in zip(middle, weights))
            v = min(max(total >> 8, 0), 16129)
            out += (v * v >> 14) * self.last[bucket * UPPER + k]
        return cut(out * 255, 63514)

    def value(self, fen):
        """Centipawns for the side to move."""
        men = self.men(fen)
        white = fen.split()[1] == "w"
        sums = self.side(men, white) + self.side(men, not white)
        bucket = min((len(men) - 2) * self.buckets // 32, self.buckets - 1)
        weights = self.second[bucket * 2 * self.hidden : (bucket + 1) * 2 * self.hidden]
        active = [min(max(s, 0), self.qa) for s in sums]
        total = sum(v * v * w for v, w in zip(active, weights))
        value = cut(total, self.qa) + self.second_bias[bucket]
        if self.deep:
            value += self.inner(active, bucket)
        return cut(value * self.scale, self.qa * self.qb)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    net = Integers(sys.argv[1])
    with open(sys.argv[2]) as file:
        for line in file:
            fen = line.split(";")[0].strip()
            if fen and not fen.startswith("#"):
                print(f"{fen};{net.value(fen)}")
