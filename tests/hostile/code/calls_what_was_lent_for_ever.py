# Calls what was lent without end, whatever comes back.
# kind: resources
# exercise: telling
# verdicts: timeout
# says: Your code was stopped: it called what it was given more than 2,000 times. || Your code was stopped: it had not finished after 1 seconds.


def check_shift(shift):
    while True:
        try:
            shift(0)
        except BaseException:
            pass
