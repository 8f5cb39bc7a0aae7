"""The same tasks with python-chess give the same answers (docs/python.md, "Coming from python-chess")."""

import io
import random
import unittest

import rukh
from test_games import PGN, has


@unittest.skipUnless(has("chess"), "no python-chess")
class BesidePythonChess(unittest.TestCase):
    def test_random_games(self):
        import chess
        import chess.polyglot

        rng = random.Random(3)
        for chess960 in (False, True):
            for number in range(6):
                board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
                position = rukh.Position(board.fen(), "chess960" if chess960 else "chess")
                for _ in range(150):
                    legal = sorted(move.uci() for move in board.legal_moves)
                    self.assertEqual(sorted(position.legal_moves()), legal, position.fen)
                    self.assertEqual(position.key, chess.polyglot.zobrist_hash(board))
                    self.assertEqual(position.is_check, board.is_check())
                    self.assertEqual(position.pieces(), {chess.square_name(at): piece.symbol() for at, piece in board.piece_map().items()})
                    if not legal or board.is_insufficient_material():
                        self.assertEqual(position.result, board.result())
                        break
                    move = chess.Move.from_uci(rng.choice(legal))
                    self.assertEqual(position.san(move.uci()), board.san(move))
                    position = position.play(board.san(move))
                    board.push(move)

    def test_reading(self):
        import chess.pgn

        source, games = io.StringIO(PGN.split('[Event "Three"]')[0]), []
        while True:
            game = chess.pgn.read_game(source)
            if game is None:
                break
            games.append([move.uci() for move in game.mainline_moves()])
        rows = list(rukh.read_pgn(io.StringIO(PGN), ["moves"]).rows())
        self.assertEqual([row["moves"] for row in rows[:2]], games)


if __name__ == "__main__":
    unittest.main()
