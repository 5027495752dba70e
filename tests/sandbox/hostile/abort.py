# Crashes the process by abort.
import os


def attempt():
    os.abort()
