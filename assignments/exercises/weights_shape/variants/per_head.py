"""I give the weights of each head, for four heads."""

AVERAGED_WEIGHTS_SHAPE = (8, 4, 32, 32)
