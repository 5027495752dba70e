# Never returns: a loop in C that holds the interpreter's lock.
def attempt():
    return sum(iter(int, 1))
