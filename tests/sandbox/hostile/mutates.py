# Changes the tensors that it is given, and keeps them.
KEPT = []


def attempt(x, scale=1.0):
    x.mul_(0)
    KEPT.append(x)
    return x
