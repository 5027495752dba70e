# Crashes the process by abort.
# kind: resources
# verdicts: crashed
# says: The process that ran your code crashed (SIG…), in code outside Python.
import os


def pool(hidden, padding):
    os.abort()
