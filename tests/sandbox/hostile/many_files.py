# Makes files and deep folders without end.
import os


def attempt():
    made = 0
    try:
        while True:
            open(f"/work/file{made}", "w").close()
            made += 1
    except OSError:
        pass
    path = "/tmp"
    try:
        for _ in range(10**6):
            path = os.path.join(path, "d")
            os.mkdir(path)
            made += 1
    except OSError:
        pass
    return made
