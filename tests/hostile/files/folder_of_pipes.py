# Hands in a folder with a pipe under the name that is asked for, at which a reader waits for ever.
# kind: loading and files
# status: unreadable
# says: pooling.py is a named pipe, not a file; expected a Python script (.py) or a notebook (.ipynb): hand in the .py or .ipynb file itself.
import os


def make(folder):
    place = folder / "ada"
    place.mkdir()
    os.mkfifo(place / "pooling.py")
    os.mkfifo(place / "pooling.ipynb")
    return place
