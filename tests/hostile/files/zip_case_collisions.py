# Hands in a zip of names that are one name on other disks: by case, by dots and blanks, by Unicode's forms.
# kind: loading and files
# verdicts: passed
# says: pooling.py was graded; what it does not define was looked for in POOLING.PY, Pooling.py and café.py.
# says: More than one file is called café.py; the last one was read.
# says: pooling.py and Pooling.py differ only in capitals; both were kept.
# says: pooling.py and POOLING.PY differ only in capitals; both were kept.
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", HONEST)
        for name in ("Pooling.py", "POOLING.PY", "pooling.py.", "pooling.py ", "caf\u00e9.py", "cafe\u0301.py"):
            archive.writestr(name, "raise SystemExit\n")
    return path
