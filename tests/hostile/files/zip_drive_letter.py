# Hands in a zip whose entries name drives and devices of another system.
# kind: loading and files
# verdicts: passed
# says: pooling.py was graded; what it does not define was looked for in aux.py.
# says: C:\Windows\x.py was left out: it has a name that points outside the zip.
# says: C:x.py was left out: it has a name that points outside the zip.
# says: \\?\C:\x.py was left out: it has a name that points outside the zip.
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", HONEST)
        for name in ("C:\\Windows\\x.py", "C:x.py", "NUL", "aux.py", "pooling.py:stream", "\\\\?\\C:\\x.py"):
            archive.writestr(name, "overwritten")
    return path
