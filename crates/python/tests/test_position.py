"""Positions: reading, playing, writing, comparing."""

import pickle
import random
import unittest
import xml.etree.ElementTree as xml

import rukh
from rukh import Position

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class Positions(unittest.TestCase):
    def test_start(self):
        start = Position()
        self.assertEqual(start.fen, START)
        self.assertEqual(str(start), START)
        self.assertEqual((start.turn, start.fullmove, start.halfmove_clock, start.men), ("white", 1, 0, 32))
        self.assertEqual(start, Position("startpos"))
        self.assertEqual(start, Position(START))
        self.assertEqual(start, Position(start.code))
        self.assertEqual(start, Position(start.code_text))
        self.assertEqual(start, Position(start))
        self.assertIn("8  r n b q k b n r", repr(start))

    def test_perft(self):
        self.assertEqual([rukh.perft(Position(), depth) for depth in range(5)], [1, 20, 400, 8902, 197281])
        self.assertEqual(rukh.perft(Position(variant="makruk"), 3), 12012)
        # The stack ended before the first leaf, and the interpreter with it.
        for count in (rukh.perft, rukh.divide):
            with self.assertRaisesRegex(rukh.Error, "at most 20"):
                count(Position(), 1_000_000)
        self.assertEqual(sum(rukh.divide(Position(), 3).values()), 8902)
        self.assertEqual(rukh.divide(Position(), 0), {})

    def test_random_games_both_notations(self):
        rng = random.Random(20)
        for variant in ("chess", "makruk"):
            position = Position(variant=variant)
            for _ in range(200):
                moves, written = position.legal_moves(), position.legal_san()
                self.assertEqual(len(moves), len(written))
                if not moves:
                    self.assertIn(position.status, ("checkmate", "stalemate"))
                    break
                for move, san in zip(moves, written):
                    self.assertEqual((position.uci(san), position.san(move)), (move, san))
                    self.assertTrue(position.is_legal(move))
                again = pickle.loads(pickle.dumps(position))
                self.assertEqual((again, hash(again)), (position, hash(position)))
                if position.code is not None:
                    back = Position(position.code, variant)
                    self.assertEqual(back.fen.split()[:3], position.fen.split()[:3])
                self.assertEqual(len(position.pieces()), position.men)
                position = position.play(rng.choice(moves))

    def test_chess960(self):
        position = Position("nrk2bbr/pppppppp/8/8/8/8/PPPPPPPP/NRK2BBR w HBhb - 0 1", "chess960")
        self.assertEqual(position.uci("O-O-O"), "c1b1")
        self.assertIn("c1b1", position.legal_moves())
        self.assertEqual(position.variant, "chess960")
        self.assertNotEqual(Position(START, "chess960"), Position(START))

    def test_comparing(self):
        self.assertEqual(len({Position(), Position(), Position().play("e4")}), 2)
        self.assertNotEqual(Position(), START)
        self.assertFalse(Position() == 5)
        self.assertTrue(Position() != Position(variant="makruk"))

    def test_picture(self):
        position = Position().play("f3", "e5", "g4", "Qh4")
        for text in (position._repr_svg_(), position.svg("black", 200, "d8h4"), Position(variant="makruk").svg()):
            tree = xml.fromstring(text)
            drawn = [part for part in tree if part.tag.endswith("}g")]
            self.assertEqual(len(drawn), 32)
            self.assertTrue(all(len(part) for part in drawn), "every piece has a drawing")
            self.assertNotIn("class=", text)
        turned = Position("8/8/8/4k3/8/2M~5/3R4/4K3 w - - 0 60", "makruk")
        self.assertEqual(len([part for part in xml.fromstring(turned.svg()) if part.tag.endswith("}g")]), 4)

    def test_refusals(self):
        with self.assertRaises(rukh.FenError) as caught:
            Position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1")
        self.assertEqual(caught.exception.place, "character 45")
        self.assertIn("side to move", caught.exception.reason)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), type(again)), (str(caught.exception), rukh.FenError))
        # Neither a FEN nor anything like a code.
        for wrong in ("hello", "", "e4 e5"):
            with self.assertRaises(rukh.FenError) as caught:
                Position(wrong)
            self.assertEqual(str(caught.exception), "expected a FEN, `startpos` or a code")
        with self.assertRaises(rukh.MoveError) as caught:
            Position().play("e4", "e9")
        self.assertEqual(caught.exception.place, "move 2")
        for wrong in ("aaaaaaaaaaaaa", 1 << 61, 1 << 80, -(1 << 70)):
            with self.assertRaises(rukh.CodeError):
                Position(wrong)
        for call in (lambda: Position(variant="shogi"), lambda: Position().piece_at("j9"), lambda: Position().svg("up")):
            with self.assertRaises(rukh.Error):
                call()
        for call in (lambda: Position(3.5), lambda: Position().play(7), lambda: rukh.perft(None, 1)):
            with self.assertRaises(TypeError):
                call()
        with self.assertRaises(rukh.Error):
            Position(Position(), "makruk")
        self.assertTrue(issubclass(rukh.Error, ValueError))


if __name__ == "__main__":
    unittest.main()
