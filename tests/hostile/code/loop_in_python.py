# Never returns: a loop that catches everything.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.


def pool(hidden, padding):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
