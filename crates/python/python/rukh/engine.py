"""The engine."""

import asyncio

from . import _rukh
from .errors import EngineError


class Engine:
    """An engine for chess, Chess960 and Makruk in this process.

    `threads` search together, with a hash table of `hash` MiB. `elo` (600 to 2800) limits its strength. Other
    options are the UCI options: `Engine(options={"SyzygyPath": "/tables"})`. An engine runs one search at a time;
    other Python threads keep running, and Ctrl-C stops it.

    >>> engine = rukh.Engine()
    >>> mate = Position("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    >>> answer = engine.analyse(mate, depth=5)
    >>> answer.best_san, answer.mate
    ('Qxf7#', 1)
    """

    def __init__(self, threads=1, hash=16, *, elo=None, options=None):
        chosen = {"Threads": threads, "Hash": hash}
        if elo is not None:
            chosen.update({"UCI_LimitStrength": "true", "UCI_Elo": elo})
        chosen.update(options or {})
        self._core = _rukh.EngineCore(chosen)

    def infos(self, position="startpos", *, moves=(), depth=None, nodes=None, time=None, mate=None, multipv=1, searchmoves=None):
        """Starts a search and iterates over its info as it runs; without a limit, until `stop` is called.

        >>> with rukh.Engine().infos("startpos") as search:
        ...     for info in search:
        ...         if info.depth >= 3:
        ...             search.stop()
        >>> search.result().best_move is not None
        True
        """
        limits = dict(depth=depth, nodes=nodes, time=time, mate=mate, multipv=multipv, searchmoves=searchmoves)
        return Search(self._core.start(position, list(moves), limits))

    def analyse(
        self,
        position="startpos",
        *,
        moves=(),
        depth=None,
        nodes=None,
        time=None,
        mate=None,
        multipv=1,
        searchmoves=None,
        on_info=None,
    ):
        """Searches a position up to a limit: `depth`, `nodes`, `time` in seconds, or `mate` in that many moves.

        `moves` are played from the position (so that repetitions are known), `multipv` asks for several lines, `searchmoves` for
        certain moves only; `on_info` is called with every info, and an exception in it stops the search.

        >>> len(rukh.Engine().analyse("startpos", nodes=2000, multipv=3).lines)
        3
        """
        _limited(depth, nodes, time, mate)
        search = self.infos(
            position, moves=moves, depth=depth, nodes=nodes, time=time, mate=mate, multipv=multipv, searchmoves=searchmoves
        )
        with search:
            for info in search:
                if on_info is not None:
                    on_info(info)
            return search.result()

    def play(self, position="startpos", *, moves=(), depth=None, nodes=None, time=None):
        """The engine's move in UCI notation, at its level; `None` if the game is over.

        >>> rukh.Engine(elo=1200).play("startpos", nodes=500) in Position().legal_moves()
        True
        """
        return self.analyse(position, moves=moves, depth=depth, nodes=nodes, time=time).best_move

    def analyse_many(self, positions, *, depth=None, nodes=None, time=None, mate=None, multipv=1, threads=None, hash=1):
        """Analyses many positions on all cores, independently of each other: the results do not depend on order or threads.

        With a depth or node limit they are the same every time. `hash` is the hash table size per thread.

        >>> [answer.mate for answer in rukh.Engine().analyse_many(["7k/5K2/8/6Q1/8/8/8/8 w - - 0 1"], depth=4)]
        [1]
        """
        _limited(depth, nodes, time, mate)
        limits = dict(depth=depth, nodes=nodes, time=time, mate=mate, multipv=multipv)
        return self._core.analyse_many(positions, limits, threads, hash)

    async def analyse_async(self, position="startpos", *, on_info=None, **limits):
        """Like `analyse`, for `asyncio`; cancelling the task stops the search.

        >>> import asyncio
        >>> asyncio.run(rukh.Engine().analyse_async("startpos", depth=2)).depth
        2
        """
        _limited(limits.get("depth"), limits.get("nodes"), limits.get("time"), limits.get("mate"))
        async with self.infos(position, **limits) as search:
            async for info in search:
                if on_info is not None:
                    on_info(info)
        return search.result()

    def stop(self):
        """Stops the running search, if any; its result comes immediately."""
        self._core.stop()

    def new_game(self):
        """Clears the hash table."""
        self._core.new_game()

    def set_option(self, name, value):
        """Sets a UCI option."""
        self._core.set_option(str(name), str(value).lower() if isinstance(value, bool) else str(value))


class Search:
    """A running search: iterate over its info with `for` or `async for`; leaving a `with` block stops it."""

    def __init__(self, core):
        self._core = core

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._core)

    def stop(self):
        """Stops the search; its result comes immediately."""
        self._core.stop()

    def result(self):
        """Waits for the search to finish and returns its result."""
        return self._core.result()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
        self._core.result()

    def __aiter__(self):
        return self

    async def __anext__(self):
        info = await asyncio.get_running_loop().run_in_executor(None, self._core._next)
        if info is None:
            raise StopAsyncIteration
        return info

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        self.stop()
        await asyncio.get_running_loop().run_in_executor(None, self._core.result)


def _limited(*limits):
    if all(limit is None for limit in limits):
        raise EngineError("a search needs a limit: depth, nodes, time or mate")
