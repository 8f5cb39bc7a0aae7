"""Makes a book of what explore.py found: a Polyglot file (for Makruk the same records under Makruk's keys).

Scores go back from the last positions to the first one, as in any search: a move is worth what the best answer to it leaves. In every
position the moves that are nearly as good as the best are kept, the better the heavier.

usage: make.py book-chess.tsv book.bin
"""

import argparse
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import whole

PROMOTION = {"n": 1, "b": 2, "r": 3, "q": 4, "m": 4}


class Place:
    """A position: where it leads, and what its best moves are worth there."""

    def __init__(self, key, ply, choices):
        self.key, self.ply, self.choices = key, ply, choices

    def best(self):
        return max(self.choices.values())


def read(path):
    """The positions by key, and where a move from one of them leads."""
    places, roads, by_path = {}, {}, {}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            key, ply, path_here, found = line.rstrip("\n").split("\t")
            choices = {move: int(score) for move, score in (choice.split("=") for choice in found.split())}
            if choices:
                places[key] = Place(key, int(ply), choices)
                by_path[path_here] = key
    for path_here, key in by_path.items():
        before, _, move = path_here.rpartition(" ")
        if path_here and before in by_path:
            roads[by_path[before], move] = key
    return places, roads


def settle(places, roads):
    """Scores from the last positions back to the first."""
    for place in sorted(places.values(), key=lambda place: -place.ply):
        for move in place.choices:
            after = places.get(roads.get((place.key, move)))
            if after is not None and after.ply > place.ply:
                place.choices[move] = -after.best()


def coded(move):
    def square(text):
        return "abcdefgh".index(text[0]) + 8 * (int(text[1]) - 1)

    return square(move[2:4]) | square(move[:2]) << 6 | PROMOTION.get(move[4:], 0) << 12


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions")
    parser.add_argument("book")
    parser.add_argument("--within", type=int, default=12, help="centipawns below the best move")
    options = parser.parse_args()
    places, roads = read(options.positions)
    settle(places, roads)
    records = []
    for place in places.values():
        best = place.best()
        for move, score in place.choices.items():
            if best - score <= options.within:
                # 100 for the best, 10 for the last that is taken.
                weight = 100 - 90 * (best - score) // max(options.within, 1)
                records.append((int(place.key, 16), -weight, coded(move)))
    records.sort()
    whole.write(options.book, b"".join(struct.pack(">QHHI", key, move, -weight, 0) for key, weight, move in records))
    print(f"{options.book}: {len(records)} moves of {len({key for key, *_ in records})} positions, {16 * len(records)} bytes")


if __name__ == "__main__":
    main()
