"""A configuration holds both."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    d_model: int = 192
    num_heads: int = 6


config = Config()
D_MODEL, NUM_HEADS = config.d_model, config.num_heads
