# Ends the process in the first call, with a status that looks like success.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code ended itself with exit status 0.
import os


def pool(hidden, padding):
    os._exit(0)
