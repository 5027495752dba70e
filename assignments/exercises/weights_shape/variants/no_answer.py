"""I gave the number of elements."""

AVERAGED_WEIGHTS_SHAPE = 8 * 32 * 32
