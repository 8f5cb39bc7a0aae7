"""The codec's integer arithmetic in bulk, for measuring, and the model file.

Nothing here may differ from crates/code by a single unit. Costs are logarithms of exact frequencies; the coder itself rounds
them to an interval of whole numbers, which `rukh code stats --model FILE` measures (and check_vectors.py does one by one).
"""
import struct

import numpy as np
import torch

import network

MAGIC = b"RKPCMDL1"
SHIFT = 4  # scores to 1/256 bit
TABLE = [int(2.0 ** (24 - j / 256)) for j in range(256)]  # floor(2^(24 - j/256)): no entry is near an integer
ORDER = ("E", "D", "M", "V", "c", "U", "b")
KINDS = {"E": "i1", "D": "<i2", "M": "<i2", "V": "i1", "c": "<i4", "U": "i1", "b": "<i4"}


def fnv1a(data):
    """64-bit FNV-1a, the models' checksum."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def header_frequencies(logits):
    """Frequencies out of 65536 for the header symbols, none zero."""
    p = torch.softmax(logits.double(), 0).cpu().numpy()
    f = 1 + np.floor(p * (65536 - len(p))).astype(np.int64)
    f[int(np.argmax(f))] += 65536 - f.sum()
    return f


class Integers:
    """A quantised model: NumPy integer arrays and its dimensions."""

    def __init__(self, half, layer, symbols, features, headers, arrays, variant=0, version=2):
        self.half, self.layer, self.symbols, self.features, self.headers = half, layer, symbols, features, headers
        self.arrays, self.variant, self.version = arrays, variant, version

    @staticmethod
    def of(model, variant=0, version=2, features=None):
        """Of a network's features the first ones, if it has learned with more than the codec has."""
        values = {n: v.detach().cpu().numpy().astype(np.int64) for n, v in zip(ORDER, model.integers())}
        features = features or model.features
        values["M"] = values["M"][:features]
        values["header"] = header_frequencies(model.header.detach())
        return Integers(model.half, model.layer, model.symbols, features, model.headers, values, variant, version)

    def network(self):
        """A network with these weights: a teacher, or where a training goes on from."""
        model = network.Network(self.half, self.layer, self.symbols, self.features, self.headers, self.variant)
        with torch.no_grad():
            for name in ORDER:
                getattr(model, name).copy_(torch.tensor(self.arrays[name]))
            model.header.copy_(torch.tensor(self.arrays["header"] / 65536.0).log())
        return model

    def to_bytes(self):
        """The model file: magic, dimensions, arrays in ORDER, header frequencies, FNV-1a of all before."""
        out = MAGIC + struct.pack("<HHHHHHHH", self.version, self.variant, self.half, self.layer, self.symbols, self.features,
                                  self.headers, 0)
        for name in ORDER:
            out += self.arrays[name].astype(KINDS[name]).tobytes()
        out += (self.arrays["header"] % 65536).astype("<u2").tobytes()
        return out + struct.pack("<Q", fnv1a(out))

    @staticmethod
    def from_bytes(raw):
        if raw[:8] != MAGIC or struct.unpack("<Q", raw[-8:])[0] != fnv1a(raw[:-8]):
            raise ValueError("not a model file, or a damaged one")
        version, variant, half, layer, symbols, features, headers, _ = struct.unpack("<HHHHHHHH", raw[8:24])
        shapes = {"E": (64, symbols - 1, 2 * half), "D": (64, 2 * half), "M": (features, 2 * half), "V": (64, half, layer),
                  "c": (64, layer), "U": (64, layer, symbols), "b": (64, symbols)}
        at, arrays = 24, {}
        for name in ORDER:
            size = int(np.prod(shapes[name]))
            arrays[name] = np.frombuffer(raw, KINDS[name], size, at).astype(np.int64).reshape(shapes[name])
            at += size * np.dtype(KINDS[name]).itemsize
        arrays["header"] = np.frombuffer(raw, "<u2", headers, at).astype(np.int64)
        return Integers(half, layer, symbols, features, headers, arrays, variant, version)

    def bulk_bits(self, positions, device, batch=4096):
        """Exact cost in bits of each position (log2 of the product of its frequencies) and the share of idle activations."""
        t = {n: torch.tensor(a, device=device, dtype=torch.float32) for n, a in self.arrays.items()}
        table = torch.tensor(TABLE, device=device)
        everything, idle, idle4, seen = [], 0.0, 0.0, 0
        for start in range(0, len(positions), batch):
            part = positions.at(slice(start, start + batch))
            board = part.board.long()
            men = torch.cat([torch.zeros_like(t["E"][:, :1]), t["E"]], 1)[torch.arange(64, device=device), board]
            bits = (part.feature[:, None] >> torch.arange(self.features, device=device) & 1).float()
            total = (men.cumsum(1) - men + t["D"] + (bits[:, :, None] * t["M"]).sum(1)[:, None]).clamp(0, 127)
            active = torch.floor(total[:, :, : self.half] * total[:, :, self.half:] / 128)
            idle += float((active == 0).float().mean()) * len(part)
            idle4 += float((active.view(len(part), 64, -1, 4).amax(3) == 0).float().mean()) * len(part)
            seen += len(part)
            hidden = torch.bmm(active.transpose(0, 1), t["V"]) + t["c"][:, None]
            hidden = torch.floor(hidden / 64).clamp(0, 127)
            z = (torch.bmm(hidden, t["U"]).double() + t["b"][:, None].double()).transpose(0, 1).long()
            may, forced = network.allowed(part.board, part.feature, self.symbols, self.variant)
            z = torch.where(may, z, -(1 << 40))
            down = (z.amax(2, keepdim=True) - z) >> SHIFT
            e = torch.where(may, table[down & 255] >> (down >> 8).clamp(max=40), 0)
            count = may.sum(2, keepdim=True)
            quotient = ((65536 - count) << 32) // e.sum(2, keepdim=True)
            f = torch.where(may, 1 + (e * quotient >> 32), 0)
            best = z.argmax(2, keepdim=True)
            f.scatter_add_(2, best, 65536 - f.sum(2, keepdim=True))
            own = f.gather(2, board[:, :, None])[:, :, 0].double()
            cost = torch.where(forced, 0.0, 16 - torch.log2(own)).sum(1)
            everything.append(cost + 16 - torch.log2(t["header"].double()[part.header.long()]))
        return torch.cat(everything), idle / max(seen, 1), idle4 / max(seen, 1)
