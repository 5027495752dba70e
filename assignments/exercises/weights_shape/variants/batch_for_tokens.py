"""I forgot batch_first, so that the sequences attend to each other."""

AVERAGED_WEIGHTS_SHAPE = [32, 8, 8]
