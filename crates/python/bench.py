"""Figures beside python-chess, in one run: `python bench.py [games.pgn[.zst]]`. Without a file it makes random games.

Both sides take turns and the medians of several rounds are shown, by wall time; python-chess reads a part of the file only.
"""

import io
import os
import random
import statistics
import subprocess
import sys
import time

import rukh

ROUNDS = 5


def games_text(path):
    """Text of about 30 MB: a file's, or that of random games."""
    if path:
        rows = []
        for row in rukh.read_pgn(path, ["white", "black", "result", "event", "date", "white_elo", "black_elo", "san"], errors="skip").rows():
            rows.append(row)
            if len(rows) == 40000:
                break
    else:
        rng, rows = random.Random(1), []
        for _ in range(2000):
            position, moves = rukh.Position(), []
            for _ in range(80):
                legal = position.legal_moves()
                if not legal:
                    break
                moves.append(rng.choice(legal))
                position = position.play(moves[-1])
            rows.append({"white": "A", "black": "B", "result": "*", "moves": moves})
        rows *= 20
    for row in rows:
        row["moves"] = row.pop("san", None) or row["moves"]
    out = io.StringIO()
    rukh.write_pgn(rows, out)
    return out.getvalue()


def timed(work):
    """Units a second of wall time, and of processor time."""
    wall, cpu = time.perf_counter(), time.process_time()
    units = work()
    return units / (time.perf_counter() - wall), units / (time.process_time() - cpu)


def compared(name, unit, ours, theirs):
    """Takes turns; prints medians and the median of the ratios."""
    rounds = [(timed(ours), timed(theirs)) for _ in range(ROUNDS)]
    wall = statistics.median(our[0] for our, _ in rounds)
    cpu = statistics.median(our[1] for our, _ in rounds)
    their = statistics.median(their[0] for _, their in rounds)
    ratio = statistics.median(our[0] / their[0] for our, their in rounds)
    by_cpu = statistics.median(our[1] / their[1] for our, their in rounds)
    print(f"| {name} | {wall:,.0f} | {cpu:,.0f} | {their:,.0f} | **{ratio:.0f}** | {by_cpu:.0f} | {unit} |", flush=True)


def memory(text):
    """Reads a gigabyte of games in a process of its own and tells its greatest size."""

    class Endless(io.RawIOBase):
        left = 1 << 30

        def __init__(self):
            self.text, self.at = text.encode(), 0

        def read(self, size=-1):
            part = self.text[self.at : self.at + min(size, self.left)]
            self.at = (self.at + len(part)) % len(self.text)
            self.left -= len(part)
            return part

    before = most_memory()
    rows = sum(batch.num_rows for batch in rukh.read_pgn(Endless(), errors="skip"))
    print(f"1 GiB of PGN, {rows:,} games: at most {most_memory():,} MiB of memory (before it {before:,})")


def most_memory():
    """The greatest size of this process so far, in MiB. (`getrusage` would count what the parent had.)"""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024


def main():
    if sys.argv[1:2] == ["--memory"]:
        return memory(sys.stdin.read())
    import chess
    import chess.pgn
    import chess.polyglot

    text = games_text(sys.argv[1] if len(sys.argv) > 1 else None)
    columns = ["white", "black", "result", "moves", "plies"]
    total = sum(row["plies"] for row in rukh.read_pgn(io.StringIO(text), columns).rows())
    print(f"{len(text) / 1e6:.0f} MB, {total:,} half-moves, python-chess {chess.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print("| task | rukh, a second | rukh, a CPU second | python-chess, a second | ratio | ratio by CPU | of |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")

    def read_ours():
        for _ in rukh.read_pgn(io.BytesIO(data), columns):
            pass
        return total

    def read_theirs():
        source, plies = io.StringIO(text), 0
        for _ in range(150):
            plies += sum(1 for _ in chess.pgn.read_game(source).mainline_moves())
        return plies

    data = text.encode()
    compared("read games with their moves", "half-moves", read_ours, read_theirs)

    fens = []
    for row in rukh.positions(io.BytesIO(data[: 1 << 20]), ["fen"], errors="skip").rows():
        fens.append(row["fen"])
    fens = fens[::7][:5000]
    positions, boards = [rukh.Position(fen) for fen in fens], [chess.Board(fen) for fen in fens[:1000]]
    compared(
        "legal moves",
        "positions",
        lambda: sum(1 for position in positions if position.legal_moves() is not None),
        lambda: sum(1 for board in boards if list(board.legal_moves) is not None),
    )
    moves = [(position, position.legal_san()[0]) for position in positions if position.status is None]
    pushes = [(chess.Board(position.fen), san) for position, san in moves[:1000]]
    compared(
        "play a move in SAN",
        "moves",
        lambda: sum(1 for position, san in moves if position.play(san)),
        lambda: sum(1 for board, san in pushes if board.copy(stack=False).push_san(san)),
    )
    compared(
        "FEN to code (to Zobrist key there)",
        "positions",
        lambda: len(rukh.encode(fens * 4)[0]),
        lambda: sum(1 for fen in fens[:1000] if chess.polyglot.zobrist_hash(chess.Board(fen)) is not None),
    )
    compared(
        "Position to code (to Zobrist key there)",
        "positions",
        lambda: len(rukh.encode(positions * 4)[0]),
        lambda: sum(1 for board in boards if chess.polyglot.zobrist_hash(board) is not None),
    )
    subprocess.run([sys.executable, os.path.abspath(__file__), "--memory"], input=text, text=True, check=True)


if __name__ == "__main__":
    main()
