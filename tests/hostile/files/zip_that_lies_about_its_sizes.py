# Hands in a zip whose entry says that it holds a few bytes and unpacks to many.
# kind: loading and files
# status: unreadable
# says: pooling.py is damaged inside the zip; make the zip again and hand it in.
import struct
import zipfile


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pooling.py", bytes(2**24))
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<I", 2**24), struct.pack("<I", 40)))
    return path
