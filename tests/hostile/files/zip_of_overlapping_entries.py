# Hands in a zip in which a thousand names share one large entry.
# kind: loading and files
# status: unreadable
# says: 0.py would unpack from 16,310 bytes to 16.0 MB, more than 250 times its size, and was not unpacked; expected a Python script (.py) or a notebook (.ipynb): hand in the .py or .ipynb file itself.
import struct
import zlib


def make(folder):
    path, count, size = folder / "ada.zip", 1000, 16 * 2**20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(size)) + packer.flush()
    checksum = zlib.crc32(bytes(size))
    local = b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, checksum, len(packed), size, 4, 0) + b"x.py" + packed
    entries = b""
    for number in range(count):
        name = b"%d.py" % number
        entries += b"PK\x01\x02" + struct.pack(
            "<HHHHHHIIIHHHHHII", 20, 20, 0, 8, 0, 33, checksum, len(packed), size, len(name), 0, 0, 0, 0, 0, 0
        ) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(entries), len(local), 0)
    path.write_bytes(local + entries + end)
    return path
