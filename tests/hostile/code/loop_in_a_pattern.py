# Never returns: a regular expression that backtracks without end.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.
import re


def pool(hidden, padding):
    return re.match(r"(a|a)*b", "a" * 40)
