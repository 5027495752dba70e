# Never returns: the loop is in the text of the exception that it raises.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def pool(hidden, padding):
    raise Endless
