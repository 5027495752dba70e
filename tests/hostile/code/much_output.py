# Prints more than is kept, and less than a flood.
# kind: resources
# verdicts: passed


def pool(hidden, padding):
    for number in range(5000):
        print("line", number)
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
