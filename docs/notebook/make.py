"""Writes games.ipynb and executes it: `python docs/notebook/make.py [--check]`.

Needs the wheel and polars, duckdb, pyarrow, matplotlib, nbclient, ipykernel. With --check it is executed in memory, with fewer
games, and nothing is written: what `cargo xtask test --long` does. RUKH_GAMES names games of your own (PGN, plain or packed).
"""

import os
import sys
import tempfile
import textwrap
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent

CELLS = [
    """
    # Games as data

    What a pile of games says about openings and about the engine that judges them, in four steps: games into polars, how many of their
    positions are a single 64-bit number, results of openings by rating with DuckDB, evaluation against result. Executed by
    [make.py](make.py), which says what it needs. The games are made here, by the engine's own levels; set `RUKH_GAMES` to use others
    (they need ratings for step 3).
    """,
    """
    import os, random
    import duckdb, matplotlib.pyplot as plt, polars as pl, rukh

    games_file = os.environ.get("RUKH_GAMES", "levels.pgn.zst")
    count = int(os.environ.get("RUKH_NOTEBOOK_GAMES", 1000))
    plt.rcParams.update({"figure.figsize": (6.4, 3.2), "figure.dpi": 80, "axes.spines.top": False, "axes.spines.right": False})
    """,
    """
    ## The games

    Six levels play each other, with 400 nodes a move at most, so that it takes minutes only; the strongest cannot show all they have. The
    first moves are random, so that the openings differ. What is not over after 120 half-moves is judged by the engine at full strength.
    """,
    """
    FIRST = [("e4", ["e5", "c5", "e6", "c6"]), ("d4", ["d5", "Nf6"]), ("c4", ["e5", "Nf6"]), ("Nf3", ["d5", "Nf6"])]
    LEVELS = [900, 1200, 1500, 1800, 2100, 2400]

    def play_games(count, seed=1):
        lots, referee = random.Random(seed), rukh.Engine()
        players = {elo: rukh.Engine(elo=elo) for elo in LEVELS}
        for number in range(count):
            white, black = lots.choice(LEVELS), lots.choice(LEVELS)
            first, replies = lots.choice(FIRST)
            position, moves = rukh.Position(), []
            for move in (first, lots.choice(replies)):
                moves.append(position.uci(move))
                position = position.play(move)
            while position.status is None and len(moves) < 120:
                moves.append(players[white if position.turn == "white" else black].play(position, nodes=400))
                position = position.play(moves[-1])
            result = position.result
            if result in (None, "*"):
                judged = referee.analyse(position, nodes=2000)
                score = (judged.cp if judged.mate is None else 10_000 * judged.mate) * (1 if position.turn == "white" else -1)
                result = "1-0" if score > 250 else "0-1" if score < -250 else "1/2-1/2"
            yield {"event": "Levels", "white": f"Rukh {white}", "black": f"Rukh {black}", "white_elo": white, "black_elo": black,
                   "round": number + 1, "result": result, "moves": moves}

    if not os.path.exists(games_file):
        print(rukh.write_pgn(play_games(count), games_file), "games played")
    """,
    """
    ## 1. Games into polars

    One row a game. Columns that are not asked for are not read; `codes` are the positions of the game, each one number.
    """,
    """
    games = rukh.read_pgn(games_file, ["white_elo", "black_elo", "result", "plies"], extra=["codes"], errors="skip").polars()
    games = games.with_columns(score=pl.col("result").replace_strict({"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}, default=None))
    games.head(5)
    """,
    """
    rated = games.drop_nulls(["white_elo", "black_elo", "score"]).with_columns(ahead=pl.col("white_elo") - pl.col("black_elo"))
    by_rating = rated.group_by(pl.col("ahead") // 300 * 300).agg(pl.col("score").mean(), pl.len()).filter(pl.col("len") >= 5).sort("ahead")
    fig, axes = plt.subplots()
    axes.plot(by_rating["ahead"], by_rating["score"], "o", label="these games")
    grid = range(-1500, 1501, 50)
    axes.plot(grid, [1 / (1 + 10 ** (-d / 400)) for d in grid], color="gray", lw=1, label="Elo's formula")
    axes.set(xlabel="White's rating ahead of Black's", ylabel="White's score", ylim=(0, 1))
    axes.legend(frameon=False);
    """,
    """
    ## 2. How many positions are one number?

    Openings fit 63 bits, and so do endings; in between the more surprising positions need a longer text (`long_codes`), and have a null in
    `codes`. Games between weak levels are full of surprises: of the positions of master games three in four fit, of these a third.
    """,
    """
    coded = games.select(pl.col("codes").list.eval(pl.element().is_not_null()).alias("fits"))
    coded = coded.with_columns(ply=pl.int_ranges(pl.col("fits").list.len())).explode("fits", "ply")
    by_ply = coded.group_by("ply").agg(pl.col("fits").mean(), pl.len()).filter(pl.col("len") >= 20).sort("ply")
    fig, axes = plt.subplots()
    axes.plot(by_ply["ply"], 100 * by_ply["fits"])
    axes.set(xlabel="half-moves played", ylabel="% with a 64-bit code", ylim=(min(90, 100 * by_ply["fits"].min() - 1), 100.5))
    print(f"{100 * coded['fits'].mean():.2f} % of {len(coded):,} positions")
    """,
    """
    ## 3. Results of openings by rating

    One table of positions, one of openings by name, joined on the code: a position is the same number in both, however it was reached.
    DuckDB reads the games while it counts.
    """,
    """
    lines = {"Open game": "e4 e5", "Sicilian": "e4 c5", "French": "e4 e6", "Caro-Kann": "e4 c6", "Closed game": "d4 d5",
             "Indian": "d4 Nf6", "English": "c4", "Réti": "Nf3"}
    codes, _ = rukh.encode([rukh.Position().play(*moves.split()) for moves in lines.values()])
    openings = pl.DataFrame({"opening": list(lines), "code": codes})
    positions = rukh.positions(games_file, ["code", "result", "white_elo", "black_elo"], errors="skip").arrow()
    table = duckdb.sql('''
        SELECT opening, if((white_elo + black_elo) / 2 < 1650, 'below 1650', 'above') AS players, count(*) AS games,
               round(avg(CASE result WHEN '1-0' THEN 1 WHEN '0-1' THEN 0 ELSE 0.5 END), 2) AS score
        FROM positions JOIN openings USING (code) WHERE white_elo IS NOT NULL AND black_elo IS NOT NULL AND result <> '*'
        GROUP BY ALL ORDER BY opening, players''').pl()
    table
    """,
    """
    fig, axes = plt.subplots()
    names = sorted(table["opening"].unique())
    for shift, players in ((-0.2, "below 1650"), (0.2, "above")):
        scores = dict(table.filter(players=players).select("opening", "score").iter_rows())
        axes.bar([at + shift for at in range(len(names))], [scores.get(name, 0) for name in names], 0.4, label=players)
    axes.axhline(0.5, color="gray", lw=0.8)
    axes.set(ylabel="White's score", ylim=(0, 1))
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.legend(frameon=False);
    """,
    """
    ## 4. Evaluation against result

    Some positions of the games, 2,000 nodes each, on all cores, with the same answers every time; and how the games ended from there. The
    line is what the engine itself expects (`wdl`).
    """,
    """
    table = rukh.positions(games_file, ["ply", "fen", "result"], errors="skip").polars()
    sample = table.filter((pl.col("ply") >= 8) & (pl.col("result") != "*")).sample(min(3 * count, 3000), seed=1)
    answers = rukh.Engine().analyse_many(sample["fen"].to_list(), nodes=2000)
    rows = []
    for fen, result, answer in zip(sample["fen"], sample["result"], answers):
        if answer.cp is not None:
            side = 1 if " w " in fen else -1
            won, drawn, lost = answer.wdl
            expected = (won + drawn / 2) / (won + drawn + lost)
            score = {"1-0": 1.0, "0-1": 0.0}.get(result, 0.5)
            rows.append((side * answer.cp, score, expected if side > 0 else 1 - expected))
    judged = pl.DataFrame(rows, ["cp", "score", "expected"], orient="row").filter(pl.col("cp").abs() <= 1000)
    steps = judged.group_by(pl.col("cp") // 125 * 125 + 62).agg(pl.col("score", "expected").mean(), pl.len()).filter(pl.col("len") >= 5).sort("cp")
    fig, axes = plt.subplots()
    axes.plot(steps["cp"] / 100, steps["score"], "o", label="how it ended")
    axes.plot(steps["cp"] / 100, steps["expected"], color="gray", lw=1, label="what the engine expects")
    axes.set(xlabel="evaluation, in pawns for White", ylabel="White's score", ylim=(0, 1))
    axes.legend(frameon=False);
    """,
]


def notebook():
    """The cells; those that begin with a heading or words are text."""
    made = nbformat.v4.new_notebook()
    made.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for number, cell in enumerate(CELLS):
        source = textwrap.dedent(cell).strip()
        make = nbformat.v4.new_markdown_cell if source.startswith("#") else nbformat.v4.new_code_cell
        made.cells.append(make(source, id=f"cell-{number}"))
    return made


def main():
    check = sys.argv[1:] == ["--check"]
    if check:
        os.environ.setdefault("RUKH_NOTEBOOK_GAMES", "60")
    made = notebook()
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(made, timeout=3600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    pictures = sum("image/png" in output.get("data", {}) for cell in made.cells for output in cell.get("outputs", []))
    if pictures != 4:
        raise SystemExit(f"{pictures} plots instead of 4")
    for cell in made.cells:
        cell.metadata.pop("execution", None)  # times of day
    text = nbformat.writes(made) + "\n"
    if len(text) > 300_000:
        raise SystemExit(f"{len(text)} bytes are too many for a page of documentation")
    if not check:
        (HERE / "games.ipynb").write_text(text, encoding="utf-8")
    print(f"{len(made.cells)} cells executed, {pictures} plots, {len(text)} bytes")


if __name__ == "__main__":
    main()
