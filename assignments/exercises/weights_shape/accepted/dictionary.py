"""A dictionary with the size of each axis, in their order."""

AVERAGED_WEIGHTS_SHAPE = {"batch": 8, "target": 32, "source": 32}
