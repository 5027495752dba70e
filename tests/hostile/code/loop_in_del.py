# Never returns: the loop is in the destructor of what it returns.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.


class Lazy:
    def __del__(self):
        while True:
            pass


def pool(hidden, padding):
    return [Lazy() for _ in range(2)] and None
