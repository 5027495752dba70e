"""Sizes as an enumeration."""

from enum import IntEnum


class Size(IntEnum):
    WIDTH = 48
    HEADS = 3


D_MODEL, NUM_HEADS = Size.WIDTH, Size.HEADS
