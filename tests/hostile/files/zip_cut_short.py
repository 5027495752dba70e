# Hands in a zip that ends in the middle, behind a directory that is whole.
# kind: loading and files
# status: unreadable
# says: ada.zip is damaged or cut short and cannot be opened as a zip; make the zip again and hand it in.
import zipfile


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", "x = 1\n" * 1000)
    path.write_bytes(path.read_bytes()[:-10])
    return path
