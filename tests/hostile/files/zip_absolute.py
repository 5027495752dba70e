# Hands in a zip whose entries have absolute paths.
# kind: loading and files
# verdicts: passed
# says: /tmp/attest-host-canary/secret was left out: it has a name that points outside the zip.
# says: //host/share/x.py was left out: it has a name that points outside the zip.
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", HONEST)
        archive.writestr("/tmp/attest-host-canary/secret", "overwritten")
        archive.writestr("//host/share/x.py", "overwritten")
    return path
