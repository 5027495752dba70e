# Crashes the process by recursion in C.
import ctypes


def attempt():
    kind = ctypes.CFUNCTYPE(ctypes.c_int)

    @kind
    def again():
        return again()

    import sys

    sys.setrecursionlimit(10**9)
    return again()
