"""I wrote the sizes into a function."""


def configuration():
    D_MODEL = 128
    NUM_HEADS = 4
    return D_MODEL, NUM_HEADS
