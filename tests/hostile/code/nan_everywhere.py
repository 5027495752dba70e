# Returns nan, which no comparison finds larger than a tolerance.
# kind: fooling the comparison
# verdicts: failed
# says: Wrong values in the output: nan came at [0, 0]; 2 was expected.


def pool(hidden, padding):
    return hidden.sum(1) * float("nan")
