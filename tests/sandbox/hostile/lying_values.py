# Returns values that lie about what they are and what they hold.
import collections
import enum

import numpy as np


class Int(int):
    def __eq__(self, other):
        return True

    def __int__(self):
        return 99

    __hash__ = int.__hash__


class Float(float):
    def __float__(self):
        return 99.0


class Str(str):
    def __str__(self):
        return "lie"


class List(list):
    def __iter__(self):
        return iter([99])

    def __len__(self):
        return 99


class Dict(dict):
    def items(self):
        return [("lie", 99)]

    def keys(self):
        return ["lie"]


class Tuple(tuple):
    def __iter__(self):
        return iter((99,))


class Claims:
    """Says that it is an int."""

    @property
    def __class__(self):
        return int

    def __eq__(self, other):
        return True

    __hash__ = None


class Color(enum.IntEnum):
    RED = 1


Pair = collections.namedtuple("Pair", "a b")

VALUES = {
    "int": lambda: Int(3),
    "float": lambda: Float(1.5),
    "str": lambda: Str("truth"),
    "list": lambda: List([1, 2]),
    "dict": lambda: Dict(a=1),
    "tuple": lambda: Tuple((1, 2)),
    "claims": Claims,
    "enum": lambda: Color.RED,
    "namedtuple": lambda: Pair(1, 2),
    "ordered": lambda: collections.OrderedDict(a=1),
    "array": lambda: np.ones((2, 3)),
    "scalar": lambda: np.float32(0.5),
    "set": lambda: {1, 2},
    "int_keys": lambda: {1: 2},
    "large_int": lambda: 2**80,
    "generator": lambda: (n for n in range(3)),
    "coroutine": lambda: _coroutine(),
    "function": lambda: print,
    "class": lambda: Claims,
    "surrogate": lambda: "\udc80",
    "exception": lambda: ValueError("as a value"),
}


async def _coroutine():
    return 1


def value(name):
    return VALUES[name]()


def cyclic():
    loop = []
    loop.append(loop)
    return loop


def deep():
    value = []
    for _ in range(10_000):
        value = [value]
    return value


def wide():
    row = [0] * 1000
    return [row] * 100_000
