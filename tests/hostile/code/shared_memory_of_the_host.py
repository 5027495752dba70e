# Reads and changes a program's shared memory on the machine, in a file that every user may write.
# kind: getting out
# undefended: user
# verdicts: passed
gained = []
try:
    with open("/dev/shm/attest-host-canary", "r+") as file:
        gained.append(file.read())
        file.write("changed")
except OSError:
    pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
