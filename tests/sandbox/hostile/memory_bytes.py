# Takes all the memory there is, in bytes.
def attempt():
    taken = []
    while True:
        taken.append(bytearray(16 * 2**20))
