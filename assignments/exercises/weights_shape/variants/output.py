"""I took the shape of the output."""

AVERAGED_WEIGHTS_SHAPE = (8, 32, 128)
