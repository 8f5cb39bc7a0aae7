"""Analyses the opening of chess or Makruk from the first position on: the raw material of the book that comes with Rukh.

The most promising position is always next: what leads to it lost little on either side, and it is not far from the start. Each is searched
for its best moves, which become the next candidates. One line of text for each position, as soon as it is known:

    key <tab> half-moves <tab> moves that lead there <tab> move=centipawns, best first

usage: explore.py <rukh> --variant makruk --seconds 90 --threads 15 > makruk.tsv
"""

import argparse
import heapq
import subprocess
import sys
import threading
import time

FAR = {"chess": 4, "makruk": 1}  # centipawns that a half-move away from the start counts; in Makruk the first moves hardly differ
WORST = 70  # centipawns below the best: such a move is not followed


class Engine:
    """`rukh` over UCI."""

    def __init__(self, program, variant):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # As Chess960, castling is written as in a book: the king takes its rook.
        self.send(f"setoption name UCI_Variant value {'chess960' if variant == 'chess' else variant}")
        self.send("setoption name Hash value 64")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def key(self, moves):
        """Goes to a position, and says its key."""
        self.send(f"position startpos moves {' '.join(moves)}" if moves else "position startpos")
        self.send("d")
        for line in self.process.stdout:
            if line.startswith("Key:"):
                return line.split()[1]
        raise SystemExit("the engine has gone")

    def choices(self, lines, nodes):
        """The best moves here with their scores in centipawns, best first; of the last depth that was finished."""
        self.send(f"setoption name MultiPV value {lines}")
        self.send(f"go nodes {nodes}")
        found = {}
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["bestmove"]:
                break
            if "multipv" in words and "cp" in words and "pv" in words and "bound" not in line:
                rank = int(words[words.index("multipv") + 1])
                found[rank] = (words[words.index("pv") + 1], int(words[words.index("cp") + 1]))
        moves = {}
        for rank in sorted(found):
            moves.setdefault(*found[rank])
        return sorted(moves.items(), key=lambda choice: -choice[1])


class Frontier:
    """The positions to look at, the best first, shared by all workers."""

    def __init__(self, far):
        self.lock, self.far = threading.Condition(), far
        self.waiting, self.busy, self.known = [(0, ())], 0, set()

    def take(self, until):
        with self.lock:
            while not self.waiting and self.busy and time.time() < until:
                self.lock.wait(0.1)
            if not self.waiting or time.time() >= until:
                return None
            self.busy += 1
            return heapq.heappop(self.waiting)

    def first_time(self, key):
        with self.lock:
            new = key not in self.known
            self.known.add(key)
            return new

    def give(self, cost, moves, choices):
        with self.lock:
            self.busy -= 1
            for move, score in choices:
                loss = choices[0][1] - score
                if loss <= WORST:
                    heapq.heappush(self.waiting, (cost + loss + self.far, (*moves, move)))
            self.lock.notify_all()


def work(options, frontier, until):
    engine = Engine(options.rukh, options.variant)
    while (place := frontier.take(until)) is not None:
        cost, moves = place
        key, choices = engine.key(moves), []
        if frontier.first_time(key):
            early = len(moves) < 3
            choices = engine.choices(12 if early else 5, options.nodes * (8 if early else 1))
            text = " ".join(f"{move}={score}" for move, score in choices)
            with frontier.lock:
                print(key, len(moves), " ".join(moves), text, sep="\t", flush=True)
        frontier.give(cost, moves, choices)
    engine.send("quit")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rukh")
    parser.add_argument("--variant", choices=["chess", "makruk"], default="chess")
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=100_000)
    options = parser.parse_args()
    frontier, until = Frontier(FAR[options.variant]), time.time() + options.seconds
    workers = [threading.Thread(target=work, args=(options, frontier, until)) for _ in range(options.threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{options.variant}: {len(frontier.known)} positions", file=sys.stderr)


if __name__ == "__main__":
    main()
