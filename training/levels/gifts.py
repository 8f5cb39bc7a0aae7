#!/usr/bin/env python3
"""How often players give their queen away at once, by name, from PGN: gifts.py GAMES.pgn (needs python-chess).

A gift: after the move the opponent can take a queen and win at least four pawns in the exchange on that square, the move
itself took nothing worth that much, and there was another move after which this would not have been so.
"""
import collections
import sys

import chess
import chess.pgn

VALUE = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}
GIFT = 4


def exchange(board, square):
    """What the side to move wins by capturing on `square` with its cheapest piece, and so on."""
    captures = [m for m in board.legal_moves if m.to_square == square and board.is_capture(m)]
    if not captures:
        return 0
    move = min(captures, key=lambda m: VALUE[board.piece_type_at(m.from_square)])
    victim = board.piece_type_at(square) or chess.PAWN
    board.push(move)
    gain = VALUE[victim] - exchange(board, square)
    board.pop()
    return max(0, gain)


def loses_queen(board, mover):
    """Whether the side to move can win a queen of `mover`."""
    return any(
        board.is_attacked_by(not mover, queen) and exchange(board, queen) >= GIFT
        for queen in board.pieces(chess.QUEEN, mover)
    )


def is_gift(board, move):
    mover = board.turn
    took = VALUE.get(board.piece_type_at(move.to_square), 0)
    board.push(move)
    lost = took < GIFT and loses_queen(board, mover)
    board.pop()
    if not lost:
        return False
    for other in board.legal_moves:
        board.push(other)
        avoids = not loses_queen(board, mover)
        board.pop()
        if avoids:
            return True
    return False


def main():
    moves, gifts, with_queen = (collections.Counter() for _ in range(3))
    for path in sys.argv[1:]:
        with open(path) as file:
            while (game := chess.pgn.read_game(file)) is not None:
                board = game.board()
                for move in game.mainline_moves():
                    name = game.headers["White" if board.turn else "Black"]
                    moves[name] += 1
                    if board.pieces(chess.QUEEN, board.turn):
                        with_queen[name] += 1
                        gifts[name] += is_gift(board, move)
                    board.push(move)
    print("| player | moves | with a queen | gifts | per 1000 moves with a queen |\n| --- | ---: | ---: | ---: | ---: |")
    for name in sorted(moves, key=lambda n: (n.split("-")[0], int(n.split("-")[-1]) if n.split("-")[-1].isdigit() else 0)):
        rate = 1000 * gifts[name] / max(1, with_queen[name])
        print(f"| {name} | {moves[name]} | {with_queen[name]} | {gifts[name]} | {rate:.1f} |")


if __name__ == "__main__":
    main()
