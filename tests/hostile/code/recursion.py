# Calls itself without end, in Python and in a destructor.
# kind: resources
# verdicts: error
# says: RecursionError: maximum recursion depth exceeded


class Deep:
    def __del__(self):
        Deep()


def pool(hidden, padding):
    return pool(hidden, padding)
