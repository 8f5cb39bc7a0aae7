#!/usr/bin/env python3
"""Measures the levels of strength: matches between neighbours and against Stockfish's UCI_Elo, one rating for all.

    ladder.py play  --rukh rukh --out DIR [--stockfish stockfish] [--openings FILE] [--games 60] [--low 600] [--high 2800]
    ladder.py fit   --out DIR [--svg FILE]

`play` adds one line to DIR/results.jsonl per match; it may be stopped and run again, and skips what is there. `fit` gives
every level the rating that makes the results likeliest (logistic, draws are half a win), with Stockfish's levels held at
their names; error bars are 95 %. Stockfish 15.1's own scale is anchored to CCRL 40/4.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import whole

STOCKFISH = [1350, 1500, 1650, 1800, 2000, 2200, 2400, 2600, 2850]


def levels(low, high):
    return list(range(low, high + 1, 200))


def pairs(low, high):
    """Neighbours, and the Stockfish levels within 150 points."""
    ours = levels(low, high)
    for a, b in zip(ours, ours[1:]):
        yield ("rukh", a), ("rukh", b)
    for a in ours:
        for b in STOCKFISH:
            if abs(a - b) <= 150:
                yield ("rukh", a), ("stockfish", b)


def engine(args, side):
    program, elo = side
    if program == "rukh":
        # More nodes than any level uses: each stops by itself.
        command, limit = args.rukh, "nodes=1000000"
    else:
        # Stockfish chooses its weak move after so many plies and then searches on for nothing: stop it one ply later.
        skill = (max(0.0, elo - 1346.6) / 143.4) ** (1 / 0.806)
        command, limit = args.stockfish, f"depth={2 + int(skill)}"
    return f"cmd={command} name={program}-{elo} option.UCI_LimitStrength=true option.UCI_Elo={elo} {limit}"


def play(args):
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    results = out / "results.jsonl"
    done = {(r["first"], r["second"]) for r in map(json.loads, results.open())} if results.exists() else set()
    for first, second in pairs(args.low, args.high):
        names = [f"{p}-{e}" for p, e in (first, second)]
        if tuple(names) in done or (second[0] == "stockfish" and not args.stockfish):
            continue
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            command = [args.rukh, "match", "--engine", engine(args, first), "--engine", engine(args, second)]
            command += ["--each", "option.Hash=8", "--games", str(args.games)]
            command += ["--concurrency", str(args.concurrency), "--quiet", "--status", "0", "--json", report.name]
            command += ["--pgn", str(out / "games.pgn"), "--max-moves", "200"]
            command += ["--openings", args.openings] if args.openings else []
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            data = json.load(open(report.name))
        wins, draws, losses = score(data, names)
        line = {"first": names[0], "second": names[1], "wins": wins, "draws": draws, "losses": losses}
        with results.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(line, flush=True)


def score(data, names):
    """Wins, draws and losses of the first engine in the report of `rukh match --json`."""
    for pairing in data["pairings"]:
        if [pairing["first"], pairing["second"]] == names:
            return pairing["wins"], pairing["draws"], pairing["losses"]
    sys.exit(f"no result of {names} in the report")


def fit(args):
    rows = [json.loads(line) for line in open(pathlib.Path(args.out) / "results.jsonl")]
    names = sorted({n for r in rows for n in (r["first"], r["second"])}, key=lambda n: (n[0] != "r", int(n.split("-")[1])))
    rating = {n: float(n.split("-")[1]) for n in names}
    free = [n for n in names if n.startswith("rukh")]
    anchored = any(n.startswith("stockfish") for n in names)
    expected = lambda a, b: 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400))
    k = math.log(10) / 400
    information = {}
    for _ in range(4000):
        worst = 0.0
        for name in free if anchored else free[1:]:
            slope = curve = 0.0
            for r in rows:
                if name not in (r["first"], r["second"]):
                    continue
                games = r["wins"] + r["draws"] + r["losses"]
                points = r["wins"] + r["draws"] / 2
                e = expected(r["first"], r["second"])
                sign = 1 if name == r["first"] else -1
                slope += sign * (points - games * e) * k
                curve += games * e * (1 - e) * k * k
            # A weak pull to the neighbourhood of the name keeps a rating finite that has only won or only lost.
            slope -= (rating[name] - float(name.split("-")[1])) / 6000**2
            curve += 1 / 6000**2
            step = slope / curve
            rating[name] += max(-50, min(50, step))
            information[name] = curve
            worst = max(worst, abs(step))
        if worst < 0.01:
            break
    print("| level (UCI_Elo) | measured | ± | games |\n| ---: | ---: | ---: | ---: |")
    table = []
    for name in free:
        games = sum(r["wins"] + r["draws"] + r["losses"] for r in rows if name in (r["first"], r["second"]))
        bar = 1.96 / math.sqrt(information.get(name, 1))
        table.append((int(name.split("-")[1]), rating[name], bar))
        print(f"| {table[-1][0]} | {rating[name]:.0f} | {bar:.0f} | {games} |")
    steps = [b[1] - a[1] for a, b in zip(table, table[1:])]
    print("\nmonotone" if all(s > 0 for s in steps) else "\nNOT monotone", f"(smallest step {min(steps):.0f})")
    if args.svg:
        whole.write(args.svg, picture(table))


def picture(table):
    low = min(min(t[0], t[1] - t[2]) for t in table) // 200 * 200
    high = -(-max(max(t[0], t[1] + t[2]) for t in table) // 200) * 200
    size, edge = 420, 56
    at = lambda v: edge + (v - low) / (high - low) * size
    up = lambda v: edge + size - (v - low) / (high - low) * size
    total = size + 2 * edge
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {total}" font-family="sans-serif" font-size="12">',
        "<title>Measured rating of each level</title>",
        f'<rect width="{total}" height="{total}" fill="#fff"/>',
    ]
    for v in range(int(low), int(high) + 1, 400):
        out.append(f'<path d="M{at(v):.0f} {up(low):.0f}V{up(high):.0f}M{at(low):.0f} {up(v):.0f}H{at(high):.0f}" stroke="#ddd"/>')
        out.append(f'<text x="{at(v):.0f}" y="{up(low) + 18:.0f}" text-anchor="middle">{v}</text>')
        out.append(f'<text x="{at(low) - 8:.0f}" y="{up(v) + 4:.0f}" text-anchor="end">{v}</text>')
    out.append(f'<path d="M{at(low):.0f} {up(low):.0f}L{at(high):.0f} {up(high):.0f}" stroke="#999" stroke-dasharray="4 4"/>')
    points = " ".join(f"{at(x):.1f},{up(y):.1f}" for x, y, _ in table)
    out.append(f'<polyline points="{points}" fill="none" stroke="#0a6" stroke-width="2"/>')
    for x, y, bar in table:
        out.append(f'<path d="M{at(x):.1f} {up(y - bar):.1f}V{up(y + bar):.1f}" stroke="#0a6"/>')
        out.append(f'<circle cx="{at(x):.1f}" cy="{up(y):.1f}" r="3.5" fill="#0a6"/>')
    out.append(f'<text x="{total / 2:.0f}" y="{total - 14}" text-anchor="middle">UCI_Elo</text>')
    out.append(f'<text x="16" y="{total / 2:.0f}" text-anchor="middle" transform="rotate(-90 16 {total / 2:.0f})">measured</text>')
    out.append("</svg>\n")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["play", "fit"])
    parser.add_argument("--rukh", default="rukh")
    parser.add_argument("--stockfish", default="stockfish", help="empty for none")
    parser.add_argument("--openings")
    parser.add_argument("--out", required=True)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--low", type=int, default=600)
    parser.add_argument("--high", type=int, default=2800)
    parser.add_argument("--svg")
    args = parser.parse_args()
    play(args) if args.what == "play" else fit(args)


if __name__ == "__main__":
    main()
