# Answers rightly and leaves the input changed.
# kind: fooling the comparison
# verdicts: passed passed failed passed
# says: Wrong values in the input after the call: the largest difference is 1 at [0, 0, 0]; -1.215 came, -2.215 was expected (24 of 24 elements are wrong).


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    answer = (hidden * real).sum(1) / real.sum(1)
    hidden.add_(1)
    return answer
