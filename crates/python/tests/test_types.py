"""What a type checker says to programs that use the stubs, where mypy is to be had."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

GOOD = '''
from typing import Optional, Tuple
import rukh

position = rukh.Position("startpos").play("e4", "e5", "Nf3")
moves: Tuple[str, ...] = position.legal_moves()
san: str = position.san("b8c6")
key: int = position.key
leaves: int = rukh.perft(position, 3)
codes, mask = rukh.encode([position, "startpos"])
back = rukh.decode(codes, mask=mask)
rows = rukh.read_pgn("games.pgn.zst").rows()
for batch in rukh.read_pgn("huge.pgn.zst", ["white", "moves"], extra=["codes"]):
    pass
engine = rukh.Engine(threads=4, hash=256)
best: Optional[str] = engine.analyse(position, time=2, multipv=3).best_san
for info in engine.infos(position, nodes=10**7):
    depth: int = info.depth
many = [answer.to_dict() for answer in engine.analyse_many(["startpos"], nodes=50_000)]
database = rukh.Database("my.db")
database.import_pgn("games.pgn.zst", progress=print)
known = database.explore(position)["moves"]

async def later() -> None:
    await engine.analyse_async(position, depth=20)

try:
    rukh.Position("x")
except rukh.FenError as error:
    reason: str = error.reason
'''

BAD = '''
import rukh

number: int = rukh.Position().fen
rukh.Engine(threads="four")
rukh.Position().nothing
'''


@unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy")
class Types(unittest.TestCase):
    def errors(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            words = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", folder, path]
            said = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        self.assertEqual(said.stderr, "")
        return [line for line in said.stdout.splitlines() if ": error: " in line]

    def test_programs_of_the_guide_are_well_typed(self):
        self.assertEqual(self.errors(GOOD), [])

    def test_wrong_ones_are_not(self):
        self.assertEqual(len(self.errors(BAD)), 3)


if __name__ == "__main__":
    unittest.main()
