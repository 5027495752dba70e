# Never returns: a loop in C that holds the interpreter's lock.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.


def pool(hidden, padding):
    return sum(iter(int, 1))
