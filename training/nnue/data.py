"""Training records on the device: 36 bytes a position (see docs/formats/games.md), decoded there batch by batch."""
import pathlib

import torch

RECORD = 36
HELD_OUT, COUNTED = 1, 2
KING = 6
ZONES = 4
# The twelve planes: own pawn … own king, then the opponent's.
CODES = (1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14)


def load(path, device, limit=None):
    """The records of a file as a [count, 36] byte tensor on the device."""
    size = pathlib.Path(path).stat().st_size
    count = size // RECORD
    if size % RECORD:
        raise SystemExit(f"{path}: {size} bytes are not a whole number of {RECORD}-byte records")
    if limit:
        count = min(count, limit)
    records = torch.empty((count, RECORD), dtype=torch.uint8, device=device)
    step = 2_000_000
    buffer = bytearray(step * RECORD)
    with open(path, "rb") as file:
        for start in range(0, count, step):
            rows = min(step, count - start)
            if file.readinto(memoryview(buffer)[: rows * RECORD]) != rows * RECORD:
                raise SystemExit(f"{path}: cannot be read to its end")
            chunk = torch.frombuffer(buffer, dtype=torch.uint8, count=rows * RECORD)
            records[start : start + rows] = chunk.view(rows, RECORD).to(device)
    return records


def split(files):
    """Games to learn from and games held out: by game, never by position. The list is emptied on the way."""
    learn, aside = [], []
    while files:
        records = files.pop()
        held = (records[:, 35] & HELD_OUT) != 0
        learn.append(records[~held])
        aside.append(records[held])
    return torch.cat(learn), torch.cat(aside)


def scores(records):
    """Score of the side to move in centipawns."""
    low, high = records[:, 32].to(torch.int32), records[:, 33].to(torch.int32)
    value = low + 256 * high
    return torch.where(value >= 32768, value - 65536, value).float()


def results(records):
    """0, ½ or 1 for the side to move."""
    return records[:, 34].float() / 2


def boards(records):
    """Codes of the 64 squares, a1 first, as [count, 64] bytes."""
    packed = records[:, :32]
    return torch.stack((packed & 15, packed >> 4), dim=2).reshape(len(records), 64)


def other_side(codes):
    """The same boards as the side not to move sees them: colours exchanged, ranks flipped."""
    swapped = torch.where(codes != 0, codes ^ 8, codes)
    return swapped.view(-1, 8, 8).flip(1).reshape(-1, 64)


def inputs(codes, dtype, zones=None):
    """One-hot inputs [count, 768] of one view; the board is mirrored when the own king stands on e–h. With the zone of each of the
    king's 32 squares there are 768 inputs for every zone."""
    king = (codes == KING).to(torch.uint8).argmax(dim=1)
    mirror = (king & 7) > 3
    grid = codes.view(-1, 8, 8)
    grid = torch.where(mirror.view(-1, 1, 1), grid.flip(2), grid).reshape(-1, 1, 64)
    planes = torch.tensor(CODES, dtype=torch.uint8, device=codes.device).view(1, 12, 1)
    if zones is None:
        return (grid == planes).to(dtype).view(-1, 768)
    file = torch.where(mirror, 7 - (king & 7), king & 7)
    here = zones[(king >> 3) * 4 + file].view(-1, 1, 1) == torch.arange(ZONES, device=codes.device).view(1, -1, 1)
    return ((grid == planes).view(-1, 1, 768) & here).to(dtype).view(-1, ZONES * 768)


def zone_table():
    """The zone of each of the king's 32 squares (files a–d): the corner, the middle of the first rank, the second rank, the others."""
    return torch.tensor([0, 0, 1, 1] + [2] * 4 + [3] * 24)


def possible():
    """Which of the 768 inputs a board can have: no pawn stands on the first or last rank, and the own king never on e–h."""
    seen = torch.ones(12, 8, 8, dtype=torch.bool)
    seen[[0, 6], 0], seen[[0, 6], 7] = False, False
    seen[5, :, 4:] = False
    return seen.view(768)


def buckets(codes, count):
    """Output bucket by the number of men."""
    men = (codes != 0).sum(dim=1)
    return ((men - 2).clamp(min=0) * count // 32).clamp(max=count - 1)
