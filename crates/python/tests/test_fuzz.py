"""Random objects and bytes: the package refuses in its own words, and never panics, hangs or ends the interpreter.

RUKH_FUZZ=100 makes it a hundred times as long.
"""

import inspect
import io
import math
import os
import random
import unittest

import numpy

import rukh
from test_games import BROKEN, PGN, has

TIMES = int(os.environ.get("RUKH_FUZZ", "1"))
# `ValueError` is the base of `rukh.Error`, too. A panic would be none of these: PyO3 derives it from `BaseException`.
REFUSALS = (ValueError, TypeError, OverflowError)

FENS = [
    rukh.Position().fen,
    rukh.Position(variant="makruk").fen,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "8/8/8/4k3/8/8/3R4/4K3 w - 32 14 60",
    "qqqqk3/qqqqq3/n6n/8/8/N6N/3QQQQQ/3KQQQQ w - - 0 1",
]


class Odd:
    """An object whose every method goes wrong."""

    def __getattr__(self, name):
        raise RuntimeError("odd")


class OddRead:
    def __init__(self, answers):
        self.answers = list(answers)

    def read(self, size=-1):
        return self.answers.pop() if self.answers else b""


def text(rng):
    """A text that is nearly something."""
    start = rng.choice(FENS + ["e2e4", "Nf3", "O-O", "startpos", "chess", "makruk", rukh.Position().code_text, "e4", "white", ""])
    letters = list(start)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(letters) + 1)
        letters[at : at + rng.randrange(3)] = rng.choice(["", "x", "/", "8", "é", "\0", "\ud800", " ", "-", "9" * 40, "~", "K"])
    return "".join(letters)


def thing(rng, depth=0):
    """Any object."""
    simple = [
        lambda: None,
        lambda: rng.random() < 0.5,
        lambda: rng.choice([0, 1, -1, 2, 7, 63, 64, 2**31, 2**63 - 1, -(2**63), 2**64, 10**30]),
        lambda: rng.getrandbits(64) - 2**63,
        lambda: rng.choice([0.0, -1.5, math.nan, math.inf, 1e300]),
        lambda: text(rng),
        lambda: text(rng),
        lambda: bytes(rng.randrange(256) for _ in range(rng.randrange(20))),
        lambda: rukh.Position(rng.choice(FENS[:1] + FENS[2:3])),
        lambda: rukh.Position(variant="makruk"),
        lambda: object(),
        lambda: Odd(),
        lambda: numpy.array([rng.getrandbits(63) for _ in range(3)]),
        lambda: numpy.zeros((2, 2)),
    ]
    if depth < 2:
        simple += [
            lambda: [thing(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: tuple(thing(rng, depth + 1) for _ in range(rng.randrange(3))),
            lambda: {text(rng): thing(rng, depth + 1) for _ in range(rng.randrange(3))},
            lambda: (thing(rng, 2) for _ in range(2)),
        ]
    return rng.choice(simple)()


class Fuzz(unittest.TestCase):
    def call(self, function, *arguments, **options):
        try:
            return function(*arguments, **options)
        except REFUSALS:
            return None
        except RuntimeError as error:
            self.assertEqual(str(error), "odd")

    def test_random_objects(self):
        rng = random.Random(6)
        position = rukh.Position()
        engine = rukh.Engine(hash=1)
        methods = [name for name in dir(position) if callable(getattr(position, name)) and not name.startswith("__")]
        functions = [getattr(position, name) for name in methods if name != "svg"]
        functions += [
            rukh.Position,
            rukh.encode,
            rukh.encode_long,
            rukh.decode,
            position.__eq__,
            position.__getitem__,
            lambda a=None, *rest: position.svg(a, 100, *rest),
            lambda a=None, *rest: rukh.perft(a, 2),
            lambda a=None, *rest: rukh.divide(a, 1),
            lambda a=None, *rest: rukh.perft("startpos", a) if a in (0, 1, 2, None) else rukh.perft("startpos", -1),
            lambda a=None, b=None: engine.analyse(a, nodes=20),
            lambda a=None, b=None: engine.analyse("startpos", nodes=20, moves=b, searchmoves=a),
            lambda a=None, b=None: engine.analyse("startpos", nodes=20, depth=a, multipv=b),
            lambda a=None, b=None: engine.set_option("MultiPV", a),
            lambda a=None, b=None: engine.set_option(a, b) if not isinstance(a, str) or a not in ("Threads", "Hash") else None,
            lambda a=None, b=None: engine.analyse_many([a], nodes=10, threads=1) if a else None,
            lambda a=None, b=None: rukh.write_pgn(a, io.StringIO()),
            lambda a=None, b=None: rukh.write_pgn([{"moves": a, "fen": b, "result": a, "clocks": b}], io.StringIO()),
            lambda a=None, b=None: rukh.read_pgn(io.StringIO(PGN), a, extra=b if isinstance(b, list) else []),
        ]
        for _ in range(1500 * TIMES):
            function = rng.choice(functions)
            self.call(function, *(thing(rng) for _ in range(rng.randrange(3))))
        engine.set_option("MultiPV", 1)
        self.assertEqual(engine.analyse("startpos", depth=1).depth, 1, "the engine goes on")

    def test_random_bytes(self):
        rng = random.Random(7)
        sources = [PGN.encode(), BROKEN.encode(), PGN.encode("utf-16")]
        for _ in range(150 * TIMES):
            data = bytearray(rng.choice(sources) * rng.randrange(1, 4))
            for _ in range(rng.randrange(12)):
                at = rng.randrange(len(data))
                data[at : at + rng.randrange(8)] = rng.choice(
                    [b"", b"{", b"}", b"(", b")", b"\0", b"\xff\xfe", b"[", b'"', b"1-0", b"e4", b"\n\n", b"[%clk 9999999:00]", b"$999"]
                )
            extra = rng.sample(["san", "codes", "long_codes", "WhiteTitle"], rng.randrange(3))
            read = rng.choice([rukh.read_pgn, lambda source, **options: rukh.positions(source, errors=options["errors"])])
            games = read(io.BytesIO(bytes(data)), extra=extra, errors=rng.choice(["raise", "skip"]))
            if has("pyarrow") and rng.random() < 0.3:
                table = self.call(games.arrow)
                if table is not None:
                    table.validate(full=True)
            else:
                self.call(lambda: list(games.rows()))
        for _ in range(50 * TIMES):
            answers = [thing(rng) for _ in range(rng.randrange(3))] + [PGN.encode()[: rng.randrange(900)]]
            self.call(lambda: list(rukh.read_pgn(OddRead(answers)).rows()))

    def test_signatures_are_told(self):
        for name in ("encode", "decode", "read_pgn", "positions", "write_pgn", "perft"):
            self.assertTrue(inspect.signature(getattr(rukh, name)).parameters)


if __name__ == "__main__":
    unittest.main()
