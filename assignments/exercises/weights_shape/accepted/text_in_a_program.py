"""The shape as a text."""

AVERAGED_WEIGHTS_SHAPE = "8 × 32 × 32"
