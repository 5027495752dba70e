"""The shape as a list."""

AVERAGED_WEIGHTS_SHAPE = [8, 32, 32]
