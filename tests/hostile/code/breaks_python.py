# Replaces isinstance, len and print, so that nothing of Python works any more.
# kind: fooling the comparison
# verdicts: crashed
# says: The process that ran your code …
import builtins


def pool(hidden, padding):
    builtins.isinstance = builtins.issubclass = builtins.len = builtins.type = lambda *args: True
    return hidden.sum(1)
