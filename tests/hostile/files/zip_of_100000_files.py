# Hands in a small zip of a hundred thousand entries.
# kind: loading and files
# status: unreadable
# says: ada.zip is a zip of more than 20,000 files; zip only what you wrote.
import struct


def make(folder):
    path, count = folder / "ada.zip", 100_000
    local = b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"a"
    central = b"PK\x01\x02" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 65535, 65535, len(central) * count, len(local), 0)
    path.write_bytes(local + central * count + end)
    return path
