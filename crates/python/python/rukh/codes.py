"""Codes of many positions at once."""

from . import _rukh


def encode(positions, variant="chess", *, errors="raise"):
    """Codes of many positions, on all cores: an int64 array, and a bool array that says which positions have one.

    `positions` are FENs, positions or codes. What is no position raises an error with its number; with `errors="mask"` it
    has no code instead.

    >>> codes, mask = rukh.encode(["startpos", Position().play("e4")])
    >>> codes.dtype, mask.tolist()
    (dtype('int64'), [True, True])
    >>> rukh.encode(["startpos", "nonsense/"], errors="mask")[1].tolist()
    [True, False]
    """
    import numpy

    if errors not in ("raise", "mask"):
        raise ValueError(f"errors is 'raise' or 'mask', not {errors!r}")
    if isinstance(positions, (str, bytes, _rukh.Position)):
        raise TypeError("expected several positions; for one of them there is Position.code")
    codes, mask = _rukh.encode(_items(positions), variant, errors == "raise")
    return numpy.frombuffer(codes, dtype=numpy.int64), numpy.frombuffer(mask, dtype=numpy.bool_)


def encode_long(positions, variant="chess"):
    """Codes as texts, for every legal position: thirteen characters where 64 bits are enough, a few more where not.

    >>> rukh.encode_long(["startpos"])
    ['fdc_yeyowhwg-']
    """
    if isinstance(positions, (str, bytes, _rukh.Position)):
        raise TypeError("expected several positions; for one of them there is Position.code_text")
    return _rukh.encode_long(_items(positions), variant)


def decode(codes, variant="chess", *, mask=None, fens=False):
    """Positions of many codes (numbers or texts), or with `fens=True` their FENs; `None` where `mask` is false.

    >>> rukh.decode(rukh.encode(["startpos"])[0], fens=True)
    ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1']
    """
    import numpy

    if isinstance(codes, (str, bytes, int)):
        raise TypeError("expected several codes; for one of them there is Position(code)")
    codes = codes if isinstance(codes, numpy.ndarray) else _items(codes)
    if mask is not None:
        mask = numpy.asarray(mask, dtype=bool)
        if mask.ndim != 1 or len(mask) != len(codes):
            raise ValueError("mask and codes are of different length")
        chosen = numpy.flatnonzero(mask)
        found = decode([codes[at] for at in chosen] if isinstance(codes, list) else codes[chosen], variant, fens=fens)
        result = [None] * len(codes)
        for at, position in zip(chosen.tolist(), found):
            result[at] = position
        return result
    if isinstance(codes, numpy.ndarray):
        if codes.ndim == 1 and codes.dtype.kind in "iu" and codes.dtype != numpy.uint64:
            return _rukh.decode(codes.astype(numpy.int64).tobytes(), variant, fens)
        codes = codes.tolist()
    return _rukh.decode(codes, variant, fens)


def _items(things):
    """A list; arrays and series give Python's own objects rather than theirs."""
    if isinstance(things, list):
        return things
    if hasattr(things, "to_pylist"):
        return things.to_pylist()
    if hasattr(things, "tolist"):
        return things.tolist()
    return list(things)
