"""Codes of many positions."""

import random
import threading
import unittest

import numpy

import rukh
from rukh import Position

QUEENS = "qqqqk3/qqqqq3/n6n/8/8/N6N/3QQQQQ/3KQQQQ w - - 0 1"


def games(variant, plies, seed):
    """Positions of random games."""
    rng, position, found = random.Random(seed), Position(variant=variant), []
    for _ in range(plies):
        moves = position.legal_moves()
        if not moves:
            position = Position(variant=variant)
            continue
        position = position.play(rng.choice(moves))
        found.append(position)
    return found


class Codes(unittest.TestCase):
    def test_round_trip(self):
        for variant in ("chess", "chess960", "makruk"):
            positions = games(variant, 700, 1)
            codes, mask = rukh.encode(positions, variant)
            self.assertEqual((codes.dtype, mask.dtype), (numpy.int64, numpy.bool_))
            self.assertEqual([position.code for position in positions], [c if m else None for c, m in zip(codes.tolist(), mask)])
            self.assertGreater(mask.sum(), 100)
            same, same_mask = rukh.encode([position.fen for position in positions], variant)
            self.assertTrue((same == codes).all() and (same_mask == mask).all())
            back = rukh.decode(codes, variant, mask=mask)
            for position, decoded, valid in zip(positions, back, mask):
                self.assertEqual(decoded is not None, valid)
                if valid:
                    self.assertEqual(decoded.code, position.code)
                    self.assertEqual(decoded.pieces(), position.pieces())
            texts = rukh.encode_long(positions, variant)
            self.assertEqual(texts, [position.code_text for position in positions])
            again = rukh.decode(texts, variant, fens=True)
            self.assertEqual([fen.split()[0] for fen in again], [position.fen.split()[0] for position in positions])

    def test_what_does_not_fit(self):
        codes, mask = rukh.encode([QUEENS, "startpos"])
        self.assertEqual(mask.tolist(), [False, True])
        self.assertEqual(codes[0], 0)
        self.assertGreater(len(rukh.encode_long([QUEENS])[0]), 13)
        self.assertEqual(rukh.decode(rukh.encode_long([QUEENS]))[0].fen, QUEENS)

    def test_what_comes_again(self):
        """A position that comes again has the code that it had, also beside one with other clocks or none that fits."""
        positions = [QUEENS, *games("chess", 90, 5), "startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 40 60"]
        positions += random.Random(5).choices(positions, k=2000)
        codes, mask = rukh.encode(positions)
        for position, code, valid in zip(positions, codes.tolist(), mask.tolist()):
            alone = rukh.encode([position])
            self.assertEqual((code, valid), (alone[0].item(), alone[1].item()))

    def test_containers(self):
        fens = [position.fen for position in games("chess", 40, 2)]
        expected = rukh.encode(fens)[0].tolist()
        for container in (tuple(fens), iter(fens), numpy.array(fens), (fen for fen in fens)):
            self.assertEqual(rukh.encode(container)[0].tolist(), expected)
        self.assertEqual(len(rukh.encode([])[0]), 0)
        self.assertEqual(rukh.decode([]), [])
        self.assertEqual(rukh.decode(numpy.array(expected), fens=True), rukh.decode(expected, fens=True))
        codes, _ = rukh.encode(fens)
        codes[0] = 5  # the arrays are the caller's own

    def test_refusals(self):
        with self.assertRaises(rukh.FenError) as caught:
            rukh.encode(["startpos"] * 600 + ["8/8/8/8/8/8/8/8 w - - 0 1"])
        self.assertIn("item 600", caught.exception.place)
        with self.assertRaises(rukh.CodeError) as caught:
            rukh.decode(numpy.array([rukh.Position().code, 1 << 61]))
        self.assertEqual(caught.exception.place, "item 1")
        with self.assertRaises(rukh.CodeError):
            rukh.decode([1 << 70])
        for call in (lambda: rukh.encode("startpos"), lambda: rukh.decode(7), lambda: rukh.encode([None])):
            with self.assertRaises(TypeError):
                call()
        with self.assertRaises(ValueError):
            rukh.decode([1, 2], mask=[True])
        with self.assertRaises(rukh.Error) as caught:
            rukh.encode([Position(), Position(variant="makruk")])
        self.assertEqual(caught.exception.place, "item 1")

    def test_threads_side_by_side(self):
        positions = games("chess", 400, 3) * 5
        expected = rukh.encode(positions)[0]
        results = []
        threads = [threading.Thread(target=lambda: results.append(rukh.encode(positions)[0])) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 3)
        self.assertTrue(all((codes == expected).all() for codes in results))


if __name__ == "__main__":
    unittest.main()
