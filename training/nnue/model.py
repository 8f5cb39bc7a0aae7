"""(768 mirrored -> N) x 2 -> 1 with SCReLU and output buckets, and its exact integer form."""
import struct
import zlib

import torch

import data

QA, QB = 255, 64
# Largest weights for which the engine's sixteen-bit arithmetic is exact.
CLIP_FIRST, CLIP_SECOND = 505 / QA, 127 / QB
VARIANTS = {"chess": 0, "makruk": 2}


def nearest(weights, unit):
    """The nearest weights that integers can hold; gradients pass as if nothing had been rounded."""
    return weights + ((weights * unit).round() / unit - weights).detach()


class Network(torch.nn.Module):
    def __init__(self, hidden, buckets, generator=None):
        super().__init__()
        self.hidden, self.buckets = hidden, buckets
        # Whether `forward` sees the weights as the file will hold them.
        self.rounded = False
        # About 30 inputs are on: this keeps the first sums inside the active range.
        self.first = torch.nn.Parameter(torch.randn(768, hidden, generator=generator) * (2 / 768) ** 0.5)
        self.first_bias = torch.nn.Parameter(torch.full((hidden,), 0.1))
        self.second = torch.nn.Parameter(torch.randn(2 * hidden, buckets, generator=generator) * (1 / hidden) ** 0.5)
        self.second_bias = torch.nn.Parameter(torch.zeros(buckets))

    def forward(self, codes):
        """The value in units of the scale (log-odds), for the side to move."""
        half = torch.float16 if codes.is_cuda else torch.float32
        first, bias, second = self.first, self.first_bias, self.second
        if self.rounded:
            first, bias, second = nearest(first, QA), nearest(bias, QA), nearest(second, QB)
        first, bias = first.to(half), bias.to(half)
        views = (codes, data.other_side(codes))
        sums = [torch.addmm(bias, data.inputs(view, half), first) for view in views]
        active = torch.cat([s.float().clamp(0, 1).square() for s in sums], dim=1)
        out = active @ second + self.second_bias
        return out.gather(1, data.buckets(codes, self.buckets).view(-1, 1)).view(-1)

    @torch.no_grad()
    def clip(self):
        self.first.clamp_(-CLIP_FIRST, CLIP_FIRST)
        self.first_bias.clamp_(-CLIP_FIRST, CLIP_FIRST)
        self.second.clamp_(-CLIP_SECOND, CLIP_SECOND)

    @torch.no_grad()
    def integers(self):
        """The four integer tensors: first [768][N], its bias, second [bucket][2N], its bias."""
        second = (self.second * QB).round().t().contiguous()
        if (second.abs().sum(dim=1) * QA * QA >= 2**31).any():
            raise SystemExit("the second layer is too large for 32-bit sums; train with more decay")
        return (
            (self.first * QA).round().to(torch.int16),
            (self.first_bias * QA).round().to(torch.int16),
            second.to(torch.int16),
            (self.second_bias * QA * QB).round().to(torch.int32),
        )

    def save(self, path, variant, scale, recipe):
        """Writes the file of docs/formats/network.md."""
        body = b"".join(part.cpu().numpy().astype(part.cpu().numpy().dtype.newbyteorder("<")).tobytes() for part in self.integers())
        text = recipe.encode()
        head = struct.pack("<8sHBBHHHHIII", b"RUKHNNUE", 1, VARIANTS[variant], 1, self.hidden, self.buckets, QA, QB, scale, len(text), 768)
        head = head.ljust(60, b"\0")
        crc = zlib.crc32(body + text, zlib.crc32(head))
        with open(path, "wb") as file:
            file.write(head + struct.pack("<I", crc) + body + text)
