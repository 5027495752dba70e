# Crashes the process by recursion in C, with the limit lifted.
# kind: resources
# verdicts: crashed
# says: The process that ran your code crashed (SIGSEGV), in code outside Python.
import ctypes
import sys


def pool(hidden, padding):
    @ctypes.CFUNCTYPE(ctypes.c_int)
    def again():
        return again()

    sys.setrecursionlimit(10**9)
    return again()
