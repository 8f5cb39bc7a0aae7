"""The model: for each square in turn, 16-bit frequencies of what may stand there, from the squares already seen.

All numbers live on the integer grid that the codec uses; gradients pass the rounding straight through, so what is trained
is what is shipped. Units (docs/formats/position-code.md has the exact arithmetic):

  running sum   S[j]  = D[t][j] + sum of M over set features + sum of E over men on squares before t      (1.0 = 128)
  activation    a[j]  = clamp(S[j], 0, 127) * clamp(S[j + J], 0, 127) >> 7
  layer         y[k]  = clamp((c[t][k] + sum a[j] V[t][j][k]) >> 6, 0, 127)
  scores        z[s]  = b[t][s] + sum y[k] U[t][k][s]                                                      (1 bit = 4096)
"""
import math

import torch
from torch import nn

SCORE = 4096.0
FLOOR = 65536.0


class Round(torch.autograd.Function):
    """Round to the nearest integer forward, identity backward."""

    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g


class Floor(torch.autograd.Function):
    """Round down forward, identity backward."""

    @staticmethod
    def forward(ctx, x):
        return torch.floor(x)

    @staticmethod
    def backward(ctx, g):
        return g


def integer(x, limit):
    return Round.apply(x.clamp(-limit, limit))


class Network(nn.Module):
    """`half` activations from pairs of running sums, `layer` units a square, `symbols` possible contents."""

    def __init__(self, half=128, layer=64, symbols=13, features=5, headers=32, variant=0):
        super().__init__()
        self.half, self.layer, self.symbols, self.features, self.headers = half, layer, symbols, features, headers
        self.variant = variant
        self.dropout = 0.0
        wide = 2 * half
        self.E = nn.Parameter(torch.randn(64, symbols - 1, wide) * 8.0)
        self.D = nn.Parameter(torch.randn(64, wide) * 8.0 + 50.0)
        self.M = nn.Parameter(torch.randn(features, wide) * 8.0)
        self.V = nn.Parameter(torch.randn(64, half, layer) * (64.0 * 1.5 / math.sqrt(half)))
        self.c = nn.Parameter(torch.zeros(64, layer) + 64.0 * 20)
        self.U = nn.Parameter(torch.randn(64, layer, symbols) * 4.0)
        self.b = nn.Parameter(torch.zeros(64, symbols))
        self.header = nn.Parameter(torch.zeros(headers))

    # Step sizes differ by the grid each tensor lives on, so that one learning rate serves all.
    def groups(self, rate):
        scale = {"E": 128.0, "D": 128.0, "M": 128.0, "V": 64.0, "c": 64.0 * 128, "U": 96.0, "b": SCORE * 3, "header": 3.0}
        return [{"params": [p], "lr": rate * scale[n], "scale": scale[n]} for n, p in self.named_parameters()]

    def integers(self):
        """The rounded parameters, as floats on the integer grid."""
        return (integer(self.E, 127), integer(self.D, 32000), integer(self.M, 32000), integer(self.V, 127),
                integer(self.c, 2.0**23), integer(self.U, 127), integer(self.b, 2.0**23))

    def scores(self, board, feature):
        """z for every square: (batch, 64, symbols), float32 on the integer grid; also the activations."""
        E, D, M, V, c, U, b = self.integers()
        # Compared as 64-bit numbers: the compiler turns a range of bytes from 1 on into 1 | k, and half of the men are never seen.
        one_hot = (board.long()[:, :, None] == torch.arange(1, self.symbols, device=board.device)).float()
        # Square by square, as the codec adds them up: one product of all squares at once multiplies mostly by zero. (squares, batch, 2 * half)
        men = torch.bmm(one_hot.transpose(0, 1), E)
        bits = (feature[:, None] >> torch.arange(self.features, device=board.device) & 1).float()
        total = (men.cumsum(0) - men + D[:, None] + bits @ M).clamp(0, 127)
        active = Floor.apply(total[:, :, : self.half] * total[:, :, self.half:] / 128.0)
        if self.training and self.dropout:
            active = nn.functional.dropout(active, self.dropout)
        hidden = torch.bmm(active, V) + c[:, None]
        hidden = Floor.apply(hidden / 64.0).clamp(0, 127)
        z = torch.bmm(hidden, U) + b[:, None]
        return z.transpose(0, 1), active.transpose(0, 1)


CHESS, CHESS960, MAKRUK = 0, 1, 2


def allowed(board, feature, symbols, variant=CHESS):
    """What the rules of the format leave possible on each square, and which squares are not coded because they are forced.

    Kings: one each, the last man of each colour; a king not seen before h8 stands there. Pawns: not on the first and last
    rank; Makruk's White Bia on ranks 3 to 7, Black's on 2 to 6. A king that may castle stands on e1/e8 with rooks in the
    corners, or in Chess960 on a file of its first rank that leaves room for the rooks, the last of them if not seen before.
    """
    device = board.device
    square = torch.arange(64, device=device)
    per_side = (symbols - 1) // 2
    kings = [(board == per_side).to(torch.uint8).argmax(1), (board == 2 * per_side).to(torch.uint8).argmax(1)]
    may = torch.ones((len(board), 64, symbols), dtype=torch.bool, device=device)
    forced = (square == 63) & ((kings[0] == 63) | (kings[1] == 63))[:, None]
    low, high = (2, 1) if variant == MAKRUK else (1, 1)  # ranks without a colour's pawns before and behind it
    may[:, :, 1] &= (square >= 8 * low) & (square < 64 - 8 * high)
    may[:, :, 1 + per_side] &= (square >= 8 * high) & (square < 64 - 8 * low)
    for side, king in enumerate(kings):
        symbol = per_side * (side + 1)
        may[:, :, symbol] &= square <= king[:, None]
        if variant == MAKRUK:
            continue
        base = 56 * side
        short, long = (feature >> (1 + 2 * side) & 1).bool(), (feature >> (2 + 2 * side) & 1).bool()
        rights = (short | long)[:, None]
        if variant == CHESS:
            first = last = torch.full_like(king, base + 4)
            forced = forced | (short[:, None] & (square == base + 7)) | (long[:, None] & (square == base))
        else:
            first, last = base + long.long(), base + 7 - short.long()
        may[:, :, symbol] &= ~rights | ((square >= first[:, None]) & (square <= last[:, None]))
        forced = forced | (rights & (square == last[:, None]) & (king == last)[:, None])
    return may, forced


def chances(model, board, feature):
    """What the model expects on each square, (batch, 64, symbols), and which squares are not coded."""
    z, _ = model.scores(board, feature)
    may, forced = allowed(board, feature, model.symbols, model.variant)
    z = torch.where(may, z / SCORE * math.log(2.0), -1e9)
    return torch.softmax(z, 2), forced


def position_bits(model, board, feature, header, taught=None):
    """Bits of each position, differentiable: the header symbol and all squares that are coded. With what a teacher expects on each
    square, also the bits that positions as the teacher sees them would take in the mean."""
    expected, forced = chances(model, board, feature)
    bits_of = lambda p: -torch.log2(p * (1 - model.symbols / FLOOR) + 1 / FLOOR)
    own = bits_of(expected.gather(2, board.long()[:, :, None])[:, :, 0])
    head = (-torch.log_softmax(model.header, 0) / math.log(2.0))[header.long()]
    bits = torch.where(forced, 0.0, own).sum(1) + head
    if taught is None:
        return bits, bits
    return bits, torch.where(forced, 0.0, (taught * bits_of(expected)).sum(2)).sum(1) + head
