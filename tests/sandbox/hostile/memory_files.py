# Fills /dev/shm, /tmp and the working folder, which are memory.
def attempt():
    written = 0
    for folder in ("/dev/shm", "/tmp", "/work"):
        for number in range(1000):
            try:
                with open(f"{folder}/{number}", "wb") as file:
                    for _ in range(4):
                        written += file.write(b"x" * 2**20)
                        file.flush()
            except OSError:
                break
    return written
