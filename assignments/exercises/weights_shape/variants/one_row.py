"""I have one weight for each token."""

AVERAGED_WEIGHTS_SHAPE = "(8, 32)"
