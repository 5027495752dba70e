# Takes all the memory there is, in bytes.
# kind: resources
# verdicts: memory
# says: MemoryError


def pool(hidden, padding):
    taken = []
    while True:
        taken.append(bytearray(16 * 2**20))
