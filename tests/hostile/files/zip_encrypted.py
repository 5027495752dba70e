# Hands in a zip that asks for a password.
# kind: loading and files
# status: unreadable
# says: pooling.py is protected by a password; make the zip again without a password and hand it in.
import zipfile


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", "def pool(h, p):\n    return h.sum(1)\n")
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(bytes(data))
    return path
