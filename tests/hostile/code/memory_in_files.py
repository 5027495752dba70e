# Takes memory in /dev/shm, /tmp and its folder, which are memory too.
# kind: resources
# undefended: user
# verdicts: passed


def pool(hidden, padding):
    written = 0
    for folder in ("/dev/shm", "/tmp", "/work"):
        for number in range(100):
            try:
                with open(f"{folder}/{number}", "wb") as file:
                    for _ in range(4):
                        written += file.write(b"x" * 2**20)
                        file.flush()
            except OSError:
                break
    assert written < 32 * 2**20, written
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
