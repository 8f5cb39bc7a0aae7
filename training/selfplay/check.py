"""Tests the self-play program without a GPU: the same source, with coroutines as lanes. Needs a C++ compiler.

    python3 check.py BUILD-FOLDER [NET VALUES]

Leaf counts of three positions, the values of NET for the lines `fen;value` of VALUES (without their clocks, which fade a value), and some moves of
training games, whose records must be what docs/formats/games.md says. The network in the program by default.
"""
import pathlib
import shutil
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LEAVES = [
    (3, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 8902),
    (3, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 97862),
    (4, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 43238),
]
MATE = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


def main():
    if len(sys.argv) not in (2, 4):
        raise SystemExit(__doc__)
    build = pathlib.Path(sys.argv[1])
    build.mkdir(parents=True, exist_ok=True)
    net, values = sys.argv[2:] or (ROOT / "crates/eval/src/nnue/chess.nnue", ROOT / "crates/eval/tests/data/nnue-chess.txt")
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if compiler is None:
        print("skipped: no C++ compiler")
        return
    neurons = struct.unpack("<H", pathlib.Path(net).read_bytes()[12:14])[0]
    program = build / "selfplay"
    flags = ["-x", "c++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", f"-DNEURONS={neurons}"]
    subprocess.run([compiler, *flags, HERE / "selfplay.cu", "-o", program], check=True)

    def say(*words, text=""):
        return subprocess.run([program, *map(str, words)], input=text, capture_output=True, text=True, check=True).stdout

    for depth, fen, leaves in LEAVES:
        found = int(say("perft", net, depth, fen))
        if found != leaves:
            raise SystemExit(f"{fen}: {found} leaves at depth {depth}, not {leaves}")
    wanted = []
    for line in pathlib.Path(values).read_text().splitlines():
        if not line.startswith("#"):
            fen, value = line.split(";")
            fields = fen.split()
            wanted.append(" ".join([*fields[:4], "0", *fields[5:]]) + ";" + value)
    found = say("eval", net, text="".join(line.split(";")[0] + "\n" for line in wanted)).splitlines()
    wrong = [pair for pair in zip(found, wanted) if pair[0] != pair[1]]
    if wrong or len(found) != len(wanted):
        raise SystemExit(f"{len(wrong)} of {len(wanted)} values differ, the first: {wrong[:1]}")
    move, score, _ = say("think", net, 100, text=MATE + "\n").split()
    if move != "h5f7" or int(score) < 29000:
        raise SystemExit(f"{MATE}: {move} {score} is not the mate in one")
    out = build / "selfplay.flat"
    print(say("play", net, out, "--moves", 600, "--seed", 3).strip())
    records = out.read_bytes()
    if not records or len(records) % 36:
        raise SystemExit(f"{len(records)} bytes are no records")
    for at in range(0, len(records), 36):
        record = records[at : at + 36]
        codes = [code for byte in record[:32] for code in (byte & 15, byte >> 4)]
        score = struct.unpack("<h", record[32:34])[0]
        if codes.count(6) != 1 or codes.count(14) != 1 or {7, 8, 15} & set(codes) or {1, 9} & set(codes[:8] + codes[56:]) or abs(score) > 20000 or record[34] > 2 or record[35] > 1:
            raise SystemExit(f"not a record: {record.hex()}")
    print(f"self-play: {len(LEAVES)} leaf counts, {len(wanted)} values, {len(records) // 36} records")


if __name__ == "__main__":
    main()
