# Opens files until no more can be opened.
def attempt():
    held = []
    try:
        while True:
            held.append(open("/etc/passwd"))
    except OSError:
        return len(held)
