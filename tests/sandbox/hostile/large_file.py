# Writes one file without end.
def attempt():
    written = 0
    try:
        with open("/work/large", "wb", buffering=0) as file:
            while True:
                written += file.write(b"x" * 2**20)
    except OSError:
        return written
