# Trains for ever at import, and swallows the first interruptions.
SIZE = 3


def attempt():
    return SIZE


while True:
    try:
        while True:
            pass
    except Exception:
        pass


def below():
    return SIZE + 1
