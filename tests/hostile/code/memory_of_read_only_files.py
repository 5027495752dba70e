# Writes to private and shared mappings of files that all guests share, to change the pages of its neighbours.
# kind: neighbours
# verdicts: passed
import mmap
import os
import sys

gained = []
for path in (sys.modules["inside.serving"].__file__, os.__file__):
    with open(path, "rb") as file:
        try:
            mmap.mmap(file.fileno(), 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE)
            gained.append(path)
        except OSError:
            pass
        area = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        area[0:4] = b"# x\n"
        area.madvise(mmap.MADV_DONTNEED)
    read, write = os.pipe()
    with open(path, "rb") as file:  # the pages of the file itself in a pipe, which may be merged with what is written
        os.splice(file.fileno(), write, 1, offset_src=0)
        os.write(write, b"# hostile\n")
    with open(path, "rb") as file:
        if b"hostile" in file.read(40):
            gained.append("dirty pipe")


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
