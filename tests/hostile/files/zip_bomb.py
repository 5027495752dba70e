# Hands in a zip of a few kilobytes that unpacks to a gigabyte.
# kind: loading and files
# status: unreadable
# says: pooling.py would unpack from 785 bytes to 1,024.0 MB, more than 250 times its size, and was not unpacked; expected a Python script (.py) or a notebook (.ipynb): hand in the .py or .ipynb file itself.
import zipfile


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive, archive.open("pooling.py", "w") as file:
        for _ in range(64):
            file.write(bytes(2**24))
    return path
