"""Positions for the trainer: packed games are replayed on the device, all games at once, ply by ply.

Two file kinds, both optionally compressed with xz (names ending in .xz):

RUKHGM01  games from the standard start: u32 games, u32 moves, u16 length per game, then the low bytes and the high bytes
          of the moves. A move is from | to << 6 | promotion << 12 (1 N, 2 B, 3 R, 4 Q); castling is the king's own step.
RUKHPS01  plain positions, for variants without a fixed start: u32 positions, then per position 32 bytes (two squares a
          byte, a1 first, low nibble first) and 8 bytes: features (u16), header symbol (u8), zero (u8), ply (u16), men (u16).

Both come from `rukh code extract`.
"""
import lzma

import numpy as np
import torch

from network import CHESS, CHESS960, MAKRUK

EMPTY = 0
WHITE_PAWN, WHITE_KING, BLACK_PAWN, BLACK_KING = 1, 6, 7, 12
START = torch.tensor([4, 2, 3, 5, 6, 3, 2, 4] + [1] * 8 + [0] * 32 + [7] * 8 + [10, 8, 9, 11, 12, 9, 8, 10], dtype=torch.uint8)


def read_bytes(path):
    """The file's bytes, unpacked if its name ends in .xz."""
    with (lzma.open(path) if str(path).endswith(".xz") else open(path, "rb")) as file:
        return file.read()


def read_games(path):
    """Lengths and moves of a RUKHGM01 file."""
    raw = read_bytes(path)
    if raw[:8] != b"RUKHGM01":
        raise ValueError(f"{path}: not a RUKHGM01 file")
    games, moves = np.frombuffer(raw, "<u4", 2, 8)
    lengths = np.frombuffer(raw, "<u2", games, 16)
    low = np.frombuffer(raw, np.uint8, moves, 16 + 2 * int(games))
    high = np.frombuffer(raw, np.uint8, moves, 16 + 2 * int(games) + int(moves))
    return lengths.astype(np.int64), low.astype(np.int32) | (high.astype(np.int32) << 8)


class Positions:
    """Boards and what is coded before them: `feature` bits feed the network, `header` is the first coded symbol."""

    def __init__(self, board, feature, header, ply):
        self.board, self.feature, self.header, self.ply = board, feature, header, ply
        self.men = (board != EMPTY).sum(1).to(torch.uint8)

    def __len__(self):
        return len(self.board)

    def at(self, index):
        return Positions(self.board[index], self.feature[index], self.header[index], self.ply[index])


def canonical(part, variant=CHESS):
    """The same positions as the side to move sees them: where Black moves, the board is turned and colours are exchanged, men and
    castling rights alike. Chess boards are turned over (kings face each other), Makruk's round (the own Met is on the same hand for
    both). The first feature bit still says whose move it really is."""
    black = (part.feature & 1).bool()
    turned = part.board[black]
    turned = turned.flip(1) if variant == MAKRUK else turned.view(-1, 8, 8).flip(1).reshape(-1, 64)
    per_side = 7 if variant == MAKRUK else 6
    swapped = torch.where(turned == EMPTY, turned, torch.where(turned > per_side, turned - per_side, turned + per_side))
    board = part.board.clone()
    board[black] = swapped.to(torch.uint8)
    if variant == MAKRUK:
        return Positions(board, part.feature, part.header, part.ply)
    rights = part.feature >> 1 & 15
    rights = torch.where(black, (rights & 3) << 2 | rights >> 2, rights)
    feature = (part.feature & 1) | rights << 1
    return Positions(board, feature, ((part.feature & 1) * 16 + rights).to(torch.uint8), part.ply)


def mirrored(board, feature, header, variant, mirror):
    """Rows of which some are seen in a mirror, left for right; the bit after the last feature says which. In chess those that may
    castle stay as they are; in Chess960 the two rights of a side change places."""
    features = 2 if variant == MAKRUK else 5
    seen = torch.rand(len(board), device=board.device) < mirror
    rights = feature >> 1 & 15
    if variant == CHESS:
        seen &= rights == 0
    board = torch.where(seen[:, None], board.view(-1, 8, 8).flip(2).reshape(-1, 64), board)
    if variant == CHESS960:
        other = torch.where(seen, (rights & 5) << 1 | rights >> 1 & 5, rights)
        feature = (feature & 1) | other << 1
        header = (header & 16) + other.to(header.dtype)
    return board, feature | seen.to(feature.dtype) << features, header


def replay(lengths, moves, device):
    """Every position after every ply of the games, in game order."""
    order = np.argsort(-lengths, kind="stable")
    first = np.concatenate([[0], np.cumsum(lengths)])[:-1][order]
    length = lengths[order]
    first_t = torch.tensor(first, device=device)
    moves = torch.tensor(moves, device=device)
    total = int(lengths.sum())
    board = torch.empty((total, 64), dtype=torch.uint8, device=device)
    castling = torch.empty(total, dtype=torch.uint8, device=device)
    ply = torch.empty(total, dtype=torch.int16, device=device)
    keep = torch.full((64,), 15, dtype=torch.uint8, device=device)
    for square, lost in ((4, 3), (7, 1), (0, 2), (60, 12), (63, 4), (56, 8)):
        keep[square] = 15 - lost
    now = START.to(device).repeat(len(lengths), 1)
    rights = torch.full((len(lengths),), 15, dtype=torch.uint8, device=device)
    for step in range(int(length[0])):
        active = int(np.searchsorted(-length, -step, side="left"))
        index = torch.arange(active, device=device)
        at = first_t[:active] + step
        move = moves[at].long()
        source, target, promotion = move & 63, move >> 6 & 63, move >> 12
        piece = now[index, source].long()
        pawn = (piece == WHITE_PAWN) | (piece == BLACK_PAWN)
        passant = pawn & ((source & 7) != (target & 7)) & (now[index, target] == EMPTY)
        victim = (source & 56) | (target & 7)
        now[index[passant], victim[passant]] = EMPTY
        castle = ((piece == WHITE_KING) | (piece == BLACK_KING)) & ((source - target).abs() == 2)
        if castle.any():
            who, rank, short = index[castle], source[castle] & 56, target[castle] > source[castle]
            corner, beside = rank + torch.where(short, 7, 0), rank + torch.where(short, 5, 3)
            now[who, beside] = now[who, corner]
            now[who, corner] = EMPTY
        black = step & 1
        placed = torch.where(promotion > 0, promotion + 1 + 6 * black, piece)
        now[index, source] = EMPTY
        now[index, target] = placed.to(torch.uint8)
        rights[:active] &= keep[source] & keep[target]
        board[at] = now[:active]
        castling[at] = rights[:active]
        ply[at] = step + 1
    stm = (ply & 1).to(torch.uint8)  # after an odd number of plies Black is to move
    feature = stm.to(torch.int16) | (castling.to(torch.int16) << 1)
    return Positions(board, feature, (stm * 16 + castling), ply)


def load(path, device, games=None, held_out=4000, check=2000):
    """Training, check and test positions; the split is by game: the last games are never trained on."""
    head = read_bytes(path)[:8] if not str(path).endswith(".xz") else lzma.open(path).read(8)
    if head == b"RUKHPS01":
        return load_plain(path, device)
    lengths, moves = read_games(path)
    if games:
        held_out, check = min(held_out, games // 5), min(check, games // 5)
    total = len(lengths)
    cut = np.concatenate([[0], np.cumsum(lengths)])
    parts = []
    for begin, end in ((0 if not games else total - held_out - check - games, total - held_out - check),
                       (total - held_out - check, total - held_out), (total - held_out, total)):
        begin = max(begin, 0)
        parts.append(replay(lengths[begin:end], moves[cut[begin]:cut[end]], device))
    return parts


def load_plain(path, device):
    """Positions of a RUKHPS01 file; the last 2 % and the 2 % before them are held out (positions of a game are adjacent)."""
    raw = read_bytes(path)
    count = int(np.frombuffer(raw, "<u4", 1, 8)[0])
    rows = np.frombuffer(raw, np.uint8, count * 40, 12).reshape(count, 40)
    board = np.empty((count, 32, 2), np.uint8)
    board[:, :, 0], board[:, :, 1] = rows[:, :32] & 15, rows[:, :32] >> 4
    meta = rows[:, 32:40].copy().view("<u2")
    everything = Positions(torch.tensor(board.reshape(count, 64), device=device),
                           torch.tensor(meta[:, 0].astype(np.int16), device=device),
                           torch.tensor((meta[:, 1] & 255).astype(np.uint8), device=device),
                           torch.tensor(meta[:, 2].astype(np.int16), device=device))
    a, b = count * 96 // 100, count * 98 // 100
    return [everything.at(slice(0, a)), everything.at(slice(a, b)), everything.at(slice(b, count))]
