"""Figures beside python-chess and chessops, in one run: `python bench.py [games.pgn[.zst]]`. Without a file it makes random games.

Both sides take turns and the medians of several rounds are shown; python-chess and chessops read a part of the file only.
chessops runs where there are Node and npm: it is installed in a folder that goes afterwards.
"""

import io
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
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


def memory(path):
    """Reads a file of games, all columns, in a process of its own and tells its greatest size."""
    before = most_memory()
    rows = sum(batch.num_rows for batch in rukh.read_pgn(path, errors="skip"))
    size = os.path.getsize(path) / 1e9
    print(f"{size:.2f} GB of PGN, {rows:,} games: at most {most_memory():,} MiB of memory (before it {before:,})")


def chessops(text, fens):
    """What chessops does of the same, by its own clock: half-moves read, positions with their moves, FENs read; a second, and a CPU second."""
    if not shutil.which("npm"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        install = ["npm", "install", "--no-audit", "--no-fund", "--silent", "chessops"]
        if subprocess.run(install, cwd=folder, check=False, capture_output=True).returncode != 0:
            return None
        for name, content in (("games.pgn", text), ("fens.txt", "\n".join(fens))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        script = shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "bench.mjs"), folder)
        done = subprocess.run(["node", script, "games.pgn", "fens.txt"], cwd=folder, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)


def most_memory():
    """The greatest size of this process so far, in MiB. (`getrusage` would count what the parent had.)"""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024


def main():
    if sys.argv[1:2] == ["--memory"]:
        return memory(sys.argv[2])
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

    # No two alike: a position that comes again costs next to nothing.
    fens = {}
    for row in rukh.positions(io.BytesIO(data[: 1 << 20]), ["fen"], errors="skip").rows():
        fens[row["fen"].rsplit(" ", 2)[0]] = row["fen"]
    fens = list(fens.values())
    different = [rukh.Position(fen) for fen in fens]
    every, fens = fens, fens[::7][:5000]
    positions, boards = [rukh.Position(fen) for fen in fens], [chess.Board(fen) for fen in fens[:1000]]

    def legal_moves():
        return sum(1 for position in positions if position.legal_moves() is not None)

    compared(
        "legal moves",
        "positions",
        legal_moves,
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
        lambda: len(rukh.encode(every)[0]),
        lambda: sum(1 for fen in fens[:1000] if chess.polyglot.zobrist_hash(chess.Board(fen)) is not None),
    )
    compared(
        "Position to code (to Zobrist key there)",
        "positions",
        lambda: len(rukh.encode(different)[0]),
        lambda: sum(1 for board in boards if chess.polyglot.zobrist_hash(board) is not None),
    )
    theirs = chessops("\n[".join(text.split("\n[")[:1500]), fens[:1000])
    if theirs:
        ours = {"read": timed(read_ours), "moves": timed(legal_moves), "fen": timed(lambda: len(rukh.encode(every)[0]))}
        print("\n| task | chessops, a CPU second | rukh, a CPU second | ratio |\n| --- | ---: | ---: | ---: |")
        names = {"read": "read games with their moves", "moves": "legal moves (there: as numbers)", "fen": "FEN to code (there: to a position)"}
        for task, name in names.items():
            print(f"| {name} | {theirs[task][1]:,.0f} | {ours[task][1]:,.0f} | {ours[task][1] / theirs[task][1]:.1f} |")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "games.pgn")
        with open(path, "wb") as file:
            while file.tell() < 1e9:
                file.write(data + b"\n")
        subprocess.run([sys.executable, os.path.abspath(__file__), "--memory", path], check=True)


if __name__ == "__main__":
    main()
