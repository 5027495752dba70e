# Takes all the memory there is, in shared anonymous mappings, which no limit on private memory counts.
import mmap


def attempt():
    taken = []
    while True:
        area = mmap.mmap(-1, 64 * 2**20)
        for offset in range(0, len(area), 4096):
            area[offset] = 1
        taken.append(area)
