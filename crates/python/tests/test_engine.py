"""The engine: limits, reports, stopping, many positions, asyncio, Ctrl-C."""

import _thread
import asyncio
import signal
import threading
import unittest

import rukh
from rukh import Engine, Position

MATE = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


class Searching(unittest.TestCase):
    def test_answer(self):
        answer = Engine().analyse(MATE, depth=4)
        self.assertEqual((answer.best_move, answer.best_san, answer.mate, answer.cp), ("h5f7", "Qxf7#", 1, None))
        self.assertEqual((answer.pv, answer.lines[0].pv_san), (["h5f7"], ["Qxf7#"]))
        row = answer.to_dict()
        self.assertEqual((row["code"], row["move"], row["mate"]), (Position(MATE).code, "h5f7", 1))
        over = Engine().analyse(Position(MATE).play("Qxf7"), depth=2)
        self.assertEqual((over.best_move, over.pv), (None, []))

    def test_reports_and_lines(self):
        seen = []
        answer = Engine().analyse("startpos", nodes=4000, multipv=3, on_info=seen.append)
        self.assertEqual([line.multipv for line in answer.lines], [1, 2, 3])
        self.assertEqual(len({line.pv[0] for line in answer.lines}), 3)
        self.assertEqual(answer.lines[0].pv[0], answer.best_move)
        self.assertGreater(len(seen), 3)
        last = seen[-1]
        self.assertEqual(sum(last.wdl), 1000)
        self.assertIn(last.bound, ("exact", "lower", "upper"))
        self.assertTrue(last.depth >= 1 and last.seldepth >= 1 and last.nodes <= 4000 and last.time >= 0)
        self.assertIn("depth=", repr(last))
        chosen = Engine().analyse("startpos", nodes=500, searchmoves=["a3", "h2h4"])
        self.assertIn(chosen.best_move, ("a2a3", "h2h4"))

    def test_variants_and_games(self):
        engine = Engine()
        for variant in ("makruk", "chess", "chess960"):
            position = Position(variant=variant)
            self.assertIn(engine.play(position, nodes=300), position.legal_moves())
        move = engine.play("startpos", moves=["e4", "e5", "Nf3"], nodes=300)
        self.assertIn(move, Position().play("e4", "e5", "Nf3").legal_moves())
        self.assertIn(Engine(elo=800).play(nodes=200), Position().legal_moves())

    def test_stopping(self):
        engine = Engine()
        with engine.infos() as search:
            self.assertIsNotNone(next(search).pv)
            with self.assertRaises(rukh.EngineError):
                engine.analyse(depth=1)
        self.assertIsNotNone(search.result().best_move)
        self.assertEqual(list(search), [])
        search = engine.infos()
        next(search)
        del search  # nobody can hear its answer: it stops
        while engine._core.is_searching:
            pass
        self.assertEqual(engine.analyse(depth=1).depth, 1)

        def broken(info):
            raise RuntimeError("enough")

        with self.assertRaises(RuntimeError):
            engine.analyse(nodes=10**12, on_info=broken)
        self.assertEqual(engine.analyse(depth=1).depth, 1)

    def test_other_threads_run_meanwhile(self):
        engine, search = Engine(), None
        search = engine.infos()
        done = threading.Event()
        answers = []
        thread = threading.Thread(target=lambda: (answers.append(search.result()), done.set()))
        thread.start()
        search.stop()  # reached only because the waiting thread lets others run
        thread.join()
        self.assertTrue(done.is_set())
        self.assertIsNotNone(answers[0].best_move)

    def test_interrupt(self):
        # Whoever starts the tests in the background has them ignore Ctrl-C.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        for call in (
            lambda engine: engine.analyse(nodes=10**15),
            lambda engine: engine.analyse_many(["startpos"] * 3, nodes=10**15, threads=2),
            lambda engine: rukh.perft("startpos", 12),
        ):
            engine = Engine()
            timer = threading.Timer(0.2, _thread.interrupt_main)
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                call(engine)
            timer.join()

    def test_many(self):
        positions = [Position().play(move) for move in Position().legal_moves()] + [MATE]
        engine = Engine()
        one = [answer.to_dict() for answer in engine.analyse_many(positions, nodes=600, threads=1)]
        many = [answer.to_dict() for answer in engine.analyse_many(iter(positions), nodes=600, threads=3)]
        self.assertEqual(one, many)
        self.assertEqual((len(one), one[-1]["mate"]), (21, 1))
        self.assertEqual(engine.analyse_many([], depth=1), [])
        with self.assertRaises(rukh.FenError) as caught:
            engine.analyse_many(["startpos", "8/8 w"], depth=1)
        self.assertEqual(caught.exception.place, "item 1")

    def test_asyncio(self):
        async def both():
            first, second = Engine(), Engine()
            seen = []
            answers = await asyncio.gather(
                first.analyse_async(MATE, depth=3, on_info=seen.append), second.analyse_async("startpos", nodes=500)
            )
            self.assertTrue(seen)
            endless = asyncio.ensure_future(first.analyse_async("startpos", nodes=10**15))
            await asyncio.sleep(0.05)
            endless.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await endless
            async with first.infos() as search:
                async for info in search:
                    break
            return answers

        mate, start = asyncio.run(both())
        self.assertEqual((mate.best_move, start.best_move is not None), ("h5f7", True))

    def test_refusals(self):
        engine = Engine()
        for call in (
            lambda: engine.analyse("startpos"),
            lambda: engine.analyse("startpos", depth=0),
            lambda: engine.analyse("startpos", time=-1),
            lambda: engine.analyse("startpos", nodes="many"),
            lambda: Engine(threads=0),
            lambda: Engine(elo=5),
            lambda: Engine(options={"Nothing": 1}),
            lambda: engine.set_option("Hash", "large"),
        ):
            with self.assertRaises(rukh.EngineError):
                call()
        with self.assertRaises(rukh.MoveError):
            engine.analyse("startpos", moves=["e5"], depth=1)
        with self.assertRaises(rukh.MoveError):
            engine.analyse("startpos", searchmoves=["e5"], depth=1)
        engine.set_option("UCI_LimitStrength", True)
        engine.new_game()


if __name__ == "__main__":
    unittest.main()
