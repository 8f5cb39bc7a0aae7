"""Games of the engine against itself under the eyes of somebody else's rules: python-chess for chess and Chess960,
pyffish for Makruk. `cargo xtask referee` starts it.

The referee keeps its own board and clocks. It ends games by the rules alone, or after a number of plies, and looks for
crashes, hangs, illegal moves, answers without a line that says why, losses on time, and ends of games that the engine
sees otherwise. Every fault is printed with all that is needed to play the game again.
"""

import argparse
import os
import random
import select
import subprocess
import sys
import time
from collections import Counter

import chess
import pyffish

PATIENCE = 30.0  # seconds without an answer, beyond what the clock allows, are a hang
COMPARE = 20  # after so many plies each, the engine's board is compared with the referee's


class Fault(Exception):
    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Engine:
    """One process, kept for many games."""

    def __init__(self, path, variant):
        self.path, self.variant = path, variant
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        )
        self.rest = b""
        self.send("uci")
        self.until("uciok")
        self.send("setoption name Hash value 4")
        if self.variant == "chess960":
            self.send("setoption name UCI_Chess960 value true")
        if self.variant == "makruk":
            self.send("setoption name UCI_Variant value makruk")

    def new_game(self):
        if self.process is None:
            self.start()
        self.send("ucinewgame\nisready")
        self.until("readyok")

    def send(self, text):
        try:
            self.process.stdin.write(text.encode() + b"\n")
        except OSError as error:
            raise Fault("crash", f"cannot write: {error}; exit status {self.process.poll()}") from None

    def lines(self, deadline):
        """Whole lines until the deadline."""
        while True:
            at = self.rest.find(b"\n")
            if at >= 0:
                line, self.rest = self.rest[:at], self.rest[at + 1 :]
                yield line.decode(errors="replace").rstrip("\r")
                continue
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Fault("hang", "no answer")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                raise Fault("crash", f"the engine left; exit status {self.process.wait()}; last words {self.rest!r}")
            self.rest += more

    def until(self, start, seconds=PATIENCE):
        said = []
        for line in self.lines(time.monotonic() + seconds):
            said.append(line)
            if line.startswith(start):
                return said

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class ChessBoard:
    """python-chess."""

    def __init__(self, rng, chess960):
        self.board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        self.board.chess960 = chess960
        for _ in range(8):
            moves = list(self.board.legal_moves)
            if not moves:
                break
            self.board.push(rng.choice(moves))
        # Castling rights by files in Chess960: a rook need not be the outermost one.
        self.start = self.board.shredder_fen() if chess960 else self.board.fen()
        self.board.clear_stack()
        self.moves = []
        self.seen = Counter([self.key()])

    def key(self):
        """Equal for positions that repeat each other. `is_repetition` takes the whole game back at every ply."""
        return self.board._transposition_key()

    def white_moves(self):
        return self.board.turn

    def legal(self, board, text):
        try:
            move = chess.Move.from_uci(text)
        except ValueError:
            return None
        return move if board.is_legal(move) and board.uci(move) == text else None

    def play(self, text):
        move = self.legal(self.board, text)
        if move is None:
            raise Fault("illegal", f"bestmove {text}")
        if self.board.is_zeroing(move):
            self.seen.clear()
        self.board.push(move)
        self.moves.append(text)
        self.seen[self.key()] += 1

    def check_line(self, line):
        board = self.board.copy(stack=False)
        for text in line:
            move = self.legal(board, text)
            if move is None:
                raise Fault("illegal line", f"{text} in the line {' '.join(line)}")
            board.push(move)

    def end(self):
        """None, or result and reason."""
        board = self.board
        if not any(True for _ in board.legal_moves):
            if not board.is_check():
                return "1/2-1/2", "stalemate"
            return ("0-1" if board.turn else "1-0"), "checkmate"
        if board.is_insufficient_material():
            return "1/2-1/2", "dead position"
        if board.halfmove_clock >= 100:
            return "1/2-1/2", "fifty moves"
        if self.seen[self.key()] >= 3:
            return "1/2-1/2", "repetition"
        return None

    def none_left(self):
        return self.end()

    def placement(self):
        return self.board.board_fen() + (" w" if self.board.turn else " b")


class MakrukBoard:
    """pyffish. Every question to it costs 2 ms (it makes its tables anew), so it is not asked at every ply: it reads the whole game and
    the engine's line at every `LOOK`th ply and at the end, and wherever its count may have run out. In between, a bare list of squares
    finds positions that repeat. Nothing gets through: a move that was not legal is found at the next look.
    """

    LOOK = 16

    def __init__(self, rng):
        fen, moves = pyffish.start_fen("makruk"), []
        for _ in range(8):
            moves.append(rng.choice(pyffish.legal_moves("makruk", fen, moves)))
        self.start, self.moves = pyffish.get_fen("makruk", fen, moves), []
        self.white = self.start.split()[1] == "w"
        self.squares = {}
        for rank, row in enumerate(self.start.split()[0].replace("~", "").split("/")):
            file = 0
            for sign in row:
                if sign.isdigit():
                    file += int(sign)
                else:
                    self.squares["abcdefgh"[file] + str(8 - rank)] = sign
                    file += 1
        self.seen = Counter([self.key()])
        self.look = 0

    def key(self):
        return self.white, frozenset(self.squares.items())

    def white_moves(self):
        return self.white

    def ask(self, question, more=()):
        try:
            return question("makruk", self.start, self.moves + list(more))
        except ValueError as error:
            raise Fault("illegal", f"{error}{' in the line ' + ' '.join(more) if more else ''}") from None

    def play(self, text):
        origin, target = text[:2], text[2:4]
        piece = self.squares.pop(origin, None)
        if piece is None:
            raise Fault("illegal", f"bestmove {text}")
        # A count begins, ends or changes its limit.
        if target in self.squares or len(text) > 4:
            self.look = 0
        if len(text) > 4:
            piece = "M" if self.white else "m"
        self.squares[target] = piece
        self.white = not self.white
        self.moves.append(text)
        self.seen[self.key()] += 1

    def check_line(self, line):
        if len(self.moves) % self.LOOK == 0:
            self.ask(pyffish.get_fen, line)

    def end(self):
        repeated = self.seen[self.key()] >= 3
        if not repeated and len(self.moves) < self.look:
            return None
        limit, count = self.ask(pyffish.get_fen).split()[3:5]
        self.look = len(self.moves) + min(self.LOOK, max(1, int(limit) - int(count)) if limit != "-" else self.LOOK)
        drawn, _ = self.ask(pyffish.is_optional_game_end)
        if repeated and not drawn:
            raise Fault("referee", "three times by the squares, not by pyffish")
        if drawn:
            return self.none_left() or ("1/2-1/2", "repetition" if repeated else "count")
        few = len(self.squares) <= 5 or set(self.squares.values()) <= set("KkMm")  # Mets of one colour mate nobody
        if few and all(self.ask(pyffish.has_insufficient_material)):
            return "1/2-1/2", "dead position"
        return None

    def none_left(self):
        """An engine has no move: does pyffish say so, too?"""
        if self.ask(pyffish.legal_moves):
            return None
        check = self.ask(pyffish.gives_check)
        return (("0-1" if self.white else "1-0"), "checkmate") if check else ("1/2-1/2", "stalemate")

    def placement(self):
        return " ".join(self.ask(pyffish.get_fen).split()[:2])


class Clock:
    def __init__(self, text):
        base, increment = text.split("+")
        self.increment = round(float(increment) * 1000)
        self.left = {True: float(base) * 1000, False: float(base) * 1000}

    def words(self):
        white, black = (max(1, int(self.left[side])) for side in (True, False))
        return f"wtime {white} btime {black} winc {self.increment} binc {self.increment}"


def answer(engine, board, clock, nodes):
    """The engine's move, and what it took."""
    moves = " moves " + " ".join(board.moves) if board.moves else ""
    engine.send(f"position fen {board.start}{moves}")
    limit = clock.words() if clock else f"nodes {nodes}"
    before = time.monotonic()
    engine.send(f"go {limit}")
    said = engine.until("bestmove", PATIENCE + (sum(clock.left.values()) / 1000 if clock else 0))
    spent = (time.monotonic() - before) * 1000
    best = said[-1].split()[1]
    if best == "(none)":
        return None, spent
    text = next((text for text in reversed(said) if " pv " in text), None)
    if text is None:
        raise Fault("no line", f"bestmove {best} without an info line")
    line = text.split(" pv ")[1].split()
    if line[0] != best:
        raise Fault("other line", f"bestmove {best} after '{text}'")
    board.check_line(line)
    return best, spent


def compare_end(engine, board, end):
    """Does the engine see the same board, and the same end of the game?"""
    engine.send(f"position fen {board.start}{' moves ' + ' '.join(board.moves) if board.moves else ''}\nd\nisready")
    said = engine.until("readyok")
    fen = next((line[5:] for line in said if line.startswith("Fen: ")), "")
    # A promoted Met bears a mark in some FENs and not in others.
    if " ".join(fen.split()[:2]).replace("~", "") != board.placement().replace("~", ""):
        raise Fault("other board", f"the engine has {fen}, the referee {board.placement()}")
    result = next((line[8:] for line in said if line.startswith("Result: ")), None)
    words = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "draw"}
    if (end is None) != (result is None) or end and not result.startswith(words[end[0]]):
        raise Fault("other result", f"the referee says {end}, the engine {result}")


def play(engines, board, clock, nodes, most_plies):
    """One game: result and reason."""
    for engine in engines:
        engine.new_game()
    while True:
        end = board.end()
        if end:
            compare_end(engines[0], board, end)
            return end
        if len(board.moves) % COMPARE == 0:
            # Mate and stalemate are otherwise left to the engine's silence.
            end = board.none_left()
            compare_end(engines[0], board, end)
            if end:
                return end
        if len(board.moves) >= most_plies:
            return "1/2-1/2", "ply limit"
        white = board.white_moves()
        best, spent = answer(engines[0 if white else 1], board, clock, nodes)
        if clock:
            clock.left[white] -= spent
            if clock.left[white] < 0:
                late = f"{-clock.left[white]:.0f} ms late; the last move took {spent:.0f} ms"
                return ("0-1" if white else "1-0"), f"time: {late}"
            clock.left[white] += clock.increment
        if best is None:
            end = board.none_left()
            if end is None:
                raise Fault("no move", "bestmove (none), and there are legal moves")
            compare_end(engines[0], board, end)
            return end
        board.play(best)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--engine", required=True)
    options.add_argument("--games", type=int, default=300)
    options.add_argument("--variant", default="chess,chess960,makruk")
    options.add_argument("--nodes", default="100-400", help="a number, or a range from which every game takes one")
    options.add_argument("--clock", default="0.5+0.005,1+0.01", help="seconds + increment; of several, every game takes one")
    options.add_argument("--clocked", type=int, default=20, help="per cent of the games that are played by the clock")
    options.add_argument("--load", type=int, default=0, help="so many programs take all the time they can get")
    options.add_argument("--plies", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, help="no game begins after so many seconds")
    options.add_argument("--log", help="lines are added to this file, too")
    args = options.parse_args()
    variants = args.variant.split(",")
    log = open(args.log, "a", buffering=1) if args.log else None

    def say(text):
        print(text, flush=True)
        if log:
            log.write(text + "\n")

    pyffish.set_option("UCI_Variant", "makruk")
    pairs = {variant: [Engine(args.engine, variant) for _ in range(2)] for variant in variants}
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(args.load)]
    ends, faults, games, plies, busyness = Counter(), Counter(), Counter(), 0, 0.0
    begin = time.monotonic()

    def summary():
        seconds = time.monotonic() - begin
        counted = ", ".join(f"{games[key]} {key}" for key in sorted(games))
        wrong = ", ".join(f"{faults[key]} {key}" for key in sorted(faults)) or "none"
        ways = ", ".join(f"{ends[key]} {key}" for key in sorted(ends))
        return (
            f"{sum(games.values())} games ({counted}), {plies} plies, {seconds:.0f} s, machine's load {busyness / max(1, sum(games.values())):.1f} on average\n"
            f"  ends: {ways}\n  faults: {wrong}"
        )

    try:
        for number in range(args.games):
            if args.seconds and time.monotonic() - begin >= args.seconds:
                break
            variant = variants[number % len(variants)]
            rng = random.Random(args.seed * 1_000_003 + number)
            by_clock = rng.randrange(100) < args.clocked
            board = MakrukBoard(rng) if variant == "makruk" else ChessBoard(rng, variant == "chess960")
            clock = Clock(rng.choice(args.clock.split(","))) if by_clock else None
            least, _, most = args.nodes.partition("-")
            nodes = rng.randint(int(least), int(most or least))
            where = lambda: f"game {number} of seed {args.seed}, {variant}, {nodes} nodes: {board.start} moves {' '.join(board.moves)}"
            try:
                result, reason = play(pairs[variant], board, clock, nodes, args.plies)
                if reason.startswith("time"):
                    faults["loss on time"] += 1
                    say(f"LOSS ON TIME ({reason}; machine's load {os.getloadavg()[0]:.1f}) {where()}")
                    reason = "time"
                ends[reason] += 1
            except Fault as fault:
                faults[fault.kind] += 1
                ends["fault"] += 1
                say(f"FAULT {fault.kind}: {fault} in {where()}")
                for engine in pairs[variant]:
                    engine.close()
            games[f"{variant} by {'clock' if by_clock else 'nodes'}"] += 1
            plies += len(board.moves)
            busyness += os.getloadavg()[0]
            if (number + 1) % 100 == 0:
                say(summary())
    finally:
        for process in busy:
            process.kill()
        for pair in pairs.values():
            for engine in pair:
                engine.close()
    say("DONE " + summary())
    # On a busy machine a loss on time says nothing about the rules.
    sys.exit(1 if any(kind != "loss on time" or not args.load for kind in faults) else 0)


if __name__ == "__main__":
    main()
