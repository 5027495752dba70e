# Loops at import and swallows everything, so that no soft alarm stops it.
SIZE = 3


def attempt():
    return SIZE


def forever():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


forever()
