# Crashes the process by reading from address 0.
import ctypes


def attempt():
    ctypes.string_at(0)
