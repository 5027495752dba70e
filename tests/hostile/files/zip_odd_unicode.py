# Hands in a zip whose names hold control characters, marks that turn the line round, and invalid text.
# kind: loading and files
# verdicts: passed
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", HONEST)
        for name in ("\u202eyp.x", "a\x1b[31mb.txt", "n\new.txt", "\u200b\ufeff.txt", "x" * 4000 + ".txt", "<b>.txt"):
            archive.writestr(name, "x")
    return path
