"""Loss curves as an SVG picture, without any library: `python3 plot.py LOSS.csv OUT.svg`."""
import csv
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import whole

COLOURS = ("#1b6ca8", "#c8553d", "#2a9d5c", "#8e5ea2", "#b8860b", "#444444", "#d16ba5", "#3c9d9b", "#7a5230", "#99aa33")


def draw(rows, path, title="held-out loss"):
    """`rows`: dictionaries with run, samples (millions) and loss."""
    runs = {}
    for row in rows:
        runs.setdefault(row["run"], []).append((float(row["samples"]), float(row["loss"])))
    points = [p for line in runs.values() for p in line]
    if not points:
        return
    left, top, width, height = 70, 40, 700, 360
    x_max = max(x for x, _ in points) or 1
    losses = sorted(y for _, y in points)
    low, high = losses[0], losses[int(0.95 * (len(losses) - 1))]
    high = high if high > low else low + 1e-6
    place = lambda x, y: (left + width * x / x_max, top + height * (1 - (min(y, high) - low) / (high - low)))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {top + height + 50}" font-family="sans-serif" font-size="12">']
    out.append(f'<rect width="100%" height="100%" fill="white"/><text x="{left}" y="22" font-size="15">{title}</text>')
    for i in range(6):
        y = low + (high - low) * i / 5
        _, v = place(0, y)
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{v:.1f}" y2="{v:.1f}" stroke="#ddd"/><text x="8" y="{v + 4:.1f}">{y:.5f}</text>')
        x = x_max * i / 5
        h, _ = place(x, low)
        out.append(f'<text x="{h:.1f}" y="{top + height + 18}" text-anchor="middle">{x:.0f} M</text>')
    for i, (run, line) in enumerate(runs.items()):
        colour = COLOURS[i % len(COLOURS)]
        path_text = " ".join(f"{a:.1f},{b:.1f}" for a, b in (place(*p) for p in sorted(line)))
        out.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        out.append(f'<text x="{left + width + 12}" y="{top + 14 + 16 * i}" fill="{colour}">{run} ({line[-1][1]:.5f})</text>')
    out.append("</svg>")
    whole.write(path, "\n".join(out) + "\n")


if __name__ == "__main__":
    with open(sys.argv[1]) as source:
        draw(list(csv.DictReader(source)), sys.argv[2])
