def total(x):
    raise NotImplementedError


def pool(x, mask):
    raise NotImplementedError
