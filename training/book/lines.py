"""Opening lines that the engine plays against itself, as PGN: the raw material of the own book.

Each move is drawn by lot among those that a search of several lines finds nearly as good as the best, so that the lines
spread over what the engine itself thinks playable. usage: lines.py <rukh> > lines.pgn
"""

import argparse
import random
import subprocess


class Engine:
    """`rukh` over UCI, with what it said about a line kept."""

    def __init__(self, program, options, nodes):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.nodes, self.known = nodes, {}
        for name, value in options.items():
            self.send(f"setoption name {name} value {value}")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def choices(self, moves):
        """The best moves with their scores in centipawns, best first."""
        key = tuple(moves)
        if key not in self.known:
            self.send(f"position startpos moves {' '.join(moves)}" if moves else "position startpos")
            self.send(f"go nodes {self.nodes}")
            found = {}
            for line in self.process.stdout:
                words = line.split()
                if words[:1] == ["bestmove"]:
                    break
                if "multipv" in words and "cp" in words and "pv" in words and "bound" not in line:
                    rank = int(words[words.index("multipv") + 1])
                    found[rank] = (words[words.index("pv") + 1], int(words[words.index("cp") + 1]))
            self.known[key] = [found[rank] for rank in sorted(found)]
        return self.known[key]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rukh")
    parser.add_argument("--lines", type=int, default=600)
    parser.add_argument("--plies", type=int, default=16)
    parser.add_argument("--nodes", type=int, default=30_000)
    parser.add_argument("--within", type=int, default=12, help="centipawns below the best move")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    engine = Engine(options.rukh, {"MultiPV": 5, "Hash": 64}, options.nodes)
    lot = random.Random(options.seed)
    for number in range(options.lines):
        moves = []
        while len(moves) < options.plies:
            choices = engine.choices(moves)
            good = [move for move, score in choices if score >= choices[0][1] - options.within]
            if not good:
                break
            moves.append(lot.choice(good))
        print(f'[White "Rukh"]\n[Black "Rukh"]\n[Round "{number + 1}"]\n[Result "*"]\n\n{" ".join(moves)} *\n')
    engine.send("quit")


if __name__ == "__main__":
    main()
