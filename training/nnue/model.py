"""(768 mirrored -> N) x 2 -> 1 with SCReLU and output buckets, with or without inner layers, and its exact integer form."""
import pathlib
import struct
import sys
import zlib

import torch

import data
from reference import MIDDLE, QC, QM, UPPER, Integers

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import whole

QA, QB = 255, 64
# Largest weights for which the engine's sixteen-bit arithmetic is exact.
CLIP_FIRST, CLIP_SECOND, CLIP_MIDDLE, CLIP_INNER = 505 / QA, 127 / QB, 127 / QM, 508 / QC
# Units of the sums of the inner layers: of what comes in, times the weights'.
MIDDLE_UNIT, UPPER_UNIT = QA * QA / 512 * QM, 4_129_152
VARIANTS = {"chess": 0, "makruk": 2}


def nearest(weights, unit):
    """The nearest weights that integers can hold; gradients pass as if nothing had been rounded."""
    return weights + ((weights * unit).round() / unit - weights).detach()


def activated(sums):
    return sums.clamp(0, 1).square()


class Network(torch.nn.Module):
    def __init__(self, hidden, buckets, generator=None, deep=False, zoned=False):
        super().__init__()
        self.hidden, self.buckets, self.deep, self.zoned = hidden, buckets, deep, zoned
        # Whether `forward` sees the weights as the file will hold them.
        self.rounded = False
        self.register_buffer("possible", data.possible().float().view(768, 1), persistent=False)
        draw = lambda *shape: torch.randn(*shape, generator=generator)
        # About 30 inputs are on: this keeps the first sums inside the active range.
        self.first = torch.nn.Parameter(draw(768, hidden) * (2 / 768) ** 0.5)
        self.first_bias = torch.nn.Parameter(torch.full((hidden,), 0.1))
        self.register_buffer("zones", data.zone_table() if zoned else None, persistent=False)
        if zoned:
            # What each zone of the own king adds to what all have in common.
            self.own = torch.nn.Parameter(torch.zeros(data.ZONES, 768, hidden))
        self.second = torch.nn.Parameter(draw(2 * hidden, buckets) * (1 / hidden) ** 0.5)
        self.second_bias = torch.nn.Parameter(torch.zeros(buckets))
        if deep:
            self.middle = torch.nn.Parameter(draw(2 * hidden, MIDDLE) * 1.5 * (1 / hidden) ** 0.5)
            self.middle_bias = torch.nn.Parameter(torch.full((buckets, MIDDLE), 0.2))
            self.upper = torch.nn.Parameter(draw(MIDDLE, buckets, UPPER) * (2 / MIDDLE) ** 0.5)
            self.upper_bias = torch.nn.Parameter(torch.full((buckets, UPPER), 0.1))
            self.last = torch.nn.Parameter(draw(buckets, UPPER) * 0.1)

    def first_layer(self):
        return (self.first + self.own).view(-1, self.hidden) if self.zoned else self.first

    def forward(self, codes):
        """The value in units of the scale (log-odds), for the side to move."""
        half = torch.float16 if codes.is_cuda else torch.float32
        seen = nearest if self.rounded else lambda weights, unit: weights
        first, bias = seen(self.first_layer(), QA).to(half), seen(self.first_bias, QA).to(half)
        views = (codes, data.other_side(codes))
        sums = [torch.addmm(bias, data.inputs(view, half, self.zones), first) for view in views]
        active = torch.cat([activated(s.float()) for s in sums], dim=1)
        bucket = data.buckets(codes, self.buckets).view(-1, 1)
        # Weights in the units of the file: what halves can hold exactly. Products are summed in single precision all the same.
        of_file = lambda weights, unit: (seen(weights, unit) * unit).to(half)
        out = ((active.to(half) @ of_file(self.second, QB)).float() / QB + self.second_bias).gather(1, bucket).view(-1)
        if not self.deep:
            return out
        of_bucket = lambda rows: rows.gather(1, bucket.unsqueeze(2).expand(-1, 1, rows.shape[2])).squeeze(1)
        active = active * (QA * QA / 512)
        if self.rounded:
            # Seven bits, cut off.
            active = active + (active.floor() - active).detach()
        middle = ((active / 128).to(half) @ of_file(self.middle, QM)).float() * (128 * 512 / QA / QA / QM)
        middle = activated(middle + self.middle_bias[bucket.view(-1)])
        sums = middle @ seen(self.upper, QC).view(MIDDLE, -1) + self.upper_bias.view(-1)
        upper = activated(of_bucket(sums.view(-1, self.buckets, UPPER)))
        return out + (upper * seen(self.last, QC)[bucket.view(-1)]).sum(dim=1)

    @torch.no_grad()
    def clip(self):
        """Back into the range of the integers; weights that no position uses are zero, which packs well."""
        self.first.mul_(self.possible).clamp_(-CLIP_FIRST, CLIP_FIRST)
        self.first_bias.clamp_(-CLIP_FIRST, CLIP_FIRST)
        if self.zoned:
            self.own.mul_(self.possible).add_(self.first).clamp_(-CLIP_FIRST, CLIP_FIRST).sub_(self.first)
        self.second.clamp_(-CLIP_SECOND, CLIP_SECOND)
        if self.deep:
            self.middle.clamp_(-CLIP_MIDDLE, CLIP_MIDDLE)
            for weights in (self.upper, self.last):
                weights.clamp_(-CLIP_INNER, CLIP_INNER)

    @torch.no_grad()
    def take(self, other):
        """The values of another network with at most as many neurons: further neurons see what they were drawn to see, and say nothing yet."""
        n, wide = other.hidden, self.hidden
        self.first[:, :n].copy_(other.first)
        self.first_bias[:n].copy_(other.first_bias)
        by_neuron = [(self.second, other.second)] + ([(self.middle, other.middle)] if self.deep else [])
        for mine, theirs in by_neuron:
            mine.zero_()
            for side in range(2):
                mine[side * wide : side * wide + n].copy_(theirs[side * n : (side + 1) * n])
        for name, theirs in other.named_parameters():
            if name == "own" and self.zoned:
                self.own.zero_()[:, :, :n].copy_(theirs)
            elif name not in ("first", "first_bias", "second", "middle"):
                getattr(self, name).copy_(theirs)

    @torch.no_grad()
    def stretch(self, factor):
        """Multiplies every value: for a network that goes on in other units."""
        for weights in (self.second, self.second_bias) + ((self.last,) if self.deep else ()):
            weights.mul_(factor)
        self.clip()

    @torch.no_grad()
    def integers(self):
        """The integer tensors in the order of the file: first [768][N] (of each zone), its bias, second [bucket][2N], its bias; then the inner layers."""
        whole = lambda weights, unit, kind: (weights * unit).round().to(kind).contiguous()
        second = whole(self.second.t(), QB, torch.int16)
        if (second.int().abs().sum(dim=1) * QA * QA >= 2**31).any():
            raise SystemExit("the second layer is too large for 32-bit sums; train with more decay")
        parts = [
            whole(self.first_layer(), QA, torch.int16),
            whole(self.first_bias, QA, torch.int16),
            second,
            whole(self.second_bias.double(), QA * QB, torch.int32),
        ]
        if self.deep:
            parts += [
                whole(self.middle, QM, torch.int8),
                whole(self.middle_bias.double(), MIDDLE_UNIT, torch.int32),
                whole(self.upper.transpose(0, 1), QC, torch.int16),
                whole(self.upper_bias.double(), UPPER_UNIT, torch.int32),
                whole(self.last, QC, torch.int16),
            ]
        return parts

    @torch.no_grad()
    def from_integers(self, parts):
        """Takes the weights that `integers` gives."""
        units = [QA, QA, QB, QA * QB, QM, MIDDLE_UNIT, QC, UPPER_UNIT, QC]
        params = [self.first, self.first_bias, self.second, self.second_bias]
        if self.deep:
            params += [self.middle, self.middle_bias, self.upper, self.upper_bias, self.last]
        if self.zoned:
            rows = parts[0].view(self.own.shape).to(self.own.device).double() / QA
            common = rows.mean(dim=0)
            self.own.copy_(rows - common)
            self.first.copy_(common)
            params, parts, units = params[1:], parts[1:], units[1:]
        for param, part, unit in zip(params, parts, units):
            by_bucket = param is self.second or self.deep and param is self.upper
            target = param.transpose(0, 1) if by_bucket else param
            target.copy_(part.reshape(target.shape).to(param.device).double() / unit)
        return self

    @staticmethod
    def load(path, variant):
        """The network of a file, to train on."""
        file = Integers(path)
        if file.variant != variant:
            raise SystemExit(f"{path}: a network for {file.variant}, not for {variant}")
        net = Network(file.hidden, file.buckets, deep=file.deep, zoned=file.zoned)
        net.scale = file.scale
        parts = [file.first, file.first_bias, file.second, file.second_bias]
        if file.deep:
            parts += [file.middle, file.middle_bias, file.upper, file.upper_bias, file.last]
        return net.from_integers([torch.tensor(part) for part in parts])

    def save(self, path, variant, scale, recipe):
        """Writes the file of docs/formats/network.md, whole at once: whoever watches the folder never sees half a network."""
        body = b"".join(part.cpu().numpy().astype(part.cpu().numpy().dtype.newbyteorder("<")).tobytes() for part in self.integers())
        text = recipe.encode()
        version, inner = (2 + self.zoned, (MIDDLE, UPPER, QM, QC)) if self.deep else (1, (0, 0, 0, 0))
        zones = sum(int(zone) << 2 * at for at, zone in enumerate(self.zones)) if self.zoned else 0
        inputs = 768 * (data.ZONES if self.zoned else 1)
        fields = (version, VARIANTS[variant], 1, self.hidden, self.buckets, QA, QB, scale, len(text), inputs, *inner, zones)
        head = struct.pack("<8sHBBHHHHIIIHHHHQ", b"RUKHNNUE", *fields)
        head = head.ljust(60, b"\0")
        crc = zlib.crc32(body + text, zlib.crc32(head))
        whole.write(path, head + struct.pack("<I", crc) + body + text)
