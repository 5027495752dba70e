# Hands in a zip in which one name stands twice: once right, for the eye, and once wrong.
# kind: loading and files
# verdicts: failed
# says: Wrong values in the output: the largest difference is 102 at [0, 0]; 104 came, 2 was expected.
# says: More than one file is called pooling.py; the last one was read.
import warnings
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("pooling.py", HONEST)
        archive.writestr("pooling.py", "def pool(h, p):\n    return h.sum(1)\n")
    return path
