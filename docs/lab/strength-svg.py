"""Draws docs/strength.svg from the figures of docs/strength.md: `python3 docs/lab/strength-svg.py`."""

import math
import re
from pathlib import Path

HERE = Path(__file__).parent.parent
NAMES = ["Carp 3.0.1", "Ethereal 12.00", "Stockfish 11", "Viridithas 10", "Stockfish 15.1", "Fairy-Stockfish 11.1"]
LEFT, RIGHT, TOP, STEP, LOW, HIGH = 210, 700, 50, 34, -400, 600


def elo(score):
    return 400 * math.log10(score / (1 - score))


def figures():
    """Name, Elo, lower and upper bound, of every engine in the tables."""
    text = (HERE / "strength.md").read_text()
    for name in NAMES:
        line = next(line for line in text.splitlines() if f"against {name}" in line)
        games, score, rating = (cell.strip() for cell in line.split("|")[2:5])
        rating = rating.replace("−", "-")
        if found := re.fullmatch(r"([+-]\d+) ± (\d+)", rating):
            middle, half = map(int, found.groups())
            bounds = middle - half, middle + half
        elif found := re.fullmatch(r"([+-]\d+) \[([+-]\d+), ([+-]\d+)\]", rating):
            middle, *bounds = map(int, found.groups())
        else:
            # Bounds as if no game had been drawn: they are at most as wide as this.
            share, n = float(score.split()[0]) / 100, int(games)
            half = 1.96 * math.sqrt(share * (1 - share) / n)
            middle, bounds = elo(share), (elo(share - half), elo(share + half))
        label = name + (" (Makruk)" if name.startswith("Fairy") else "")
        yield label, middle, *bounds


def main():
    rows = sorted(figures(), key=lambda row: -row[1])
    bottom = TOP + STEP * len(rows)
    x = lambda value: LEFT + (value - LOW) / (HIGH - LOW) * (RIGHT - LEFT)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {bottom + 40}" font-family="sans-serif" font-size="13">',
        "<title>Rukh against other engines, Elo with 95 % bounds</title>",
        f'<rect width="720" height="{bottom + 40}" fill="#fff"/>',
        '<text x="12" y="26" font-size="15" font-weight="bold">Rukh against …, one thread each, 8+0.08: Elo and 95 % bounds</text>',
    ]
    for mark in range(LOW, HIGH + 1, 200):
        out.append(f'<path d="M{x(mark):.0f} {TOP - 8}V{bottom}" stroke="{"#888" if mark == 0 else "#ddd"}"/>')
        out.append(f'<text x="{x(mark):.0f}" y="{bottom + 18}" text-anchor="middle" fill="#555">{mark:+d}</text>'.replace("+0<", "0<").replace(">-", ">−"))
    for number, (name, middle, low, high) in enumerate(rows):
        y = TOP + STEP * number + 14
        colour = "#0a6" if middle > 0 else "#b33"
        out.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{name}</text>')
        out.append(f'<path d="M{x(low):.1f} {y}H{x(high):.1f}" stroke="{colour}" stroke-width="3" stroke-linecap="round"/>')
        out.append(f'<circle cx="{x(middle):.1f}" cy="{y}" r="6" fill="{colour}"/>')
        out.append(f'<text x="{x(high) + 8:.1f}" y="{y + 4}" fill="#333">{middle:+.0f}</text>'.replace(">-", ">−"))
    out.append(f'<text x="{RIGHT}" y="{bottom + 34}" text-anchor="end" fill="#777" font-size="11">right of 0 Rukh is the stronger; figures and conditions: docs/strength.md</text>')
    (HERE / "strength.svg").write_text("\n".join(out) + "\n</svg>\n")


if __name__ == "__main__":
    main()
