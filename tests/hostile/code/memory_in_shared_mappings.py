# Takes all the memory there is, in shared mappings, which no limit on private memory counts.
# kind: resources
# verdicts: memory
# says: Your code was stopped: it used more than 192 MiB of memory.
import mmap


def pool(hidden, padding):
    taken = []
    while True:
        area = mmap.mmap(-1, 16 * 2**20)
        for offset in range(0, len(area), 4096):
            area[offset] = 1
        taken.append(area)
