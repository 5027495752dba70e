# Crashes the process by reading from address 0.
# kind: resources
# verdicts: crashed
# says: The process that ran your code crashed (SIGSEGV), in code outside Python.
import ctypes


def pool(hidden, padding):
    ctypes.string_at(0)
