# Hands in a zip whose entries climb out of the folder, to overwrite the grader's files.
# kind: loading and files
# verdicts: passed
# says: ../../attest-host-canary/secret was left out: it has a name that points outside the zip.
# says: a/../../../../tmp/attest-host-canary/secret was left out: it has a name that points outside the zip.
# says: ..\..\x.py was left out: it has a name that points outside the zip.
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", HONEST)
        for name in ("../../attest-host-canary/secret", "a/../../../../tmp/attest-host-canary/secret", "..\\..\\x.py"):
            archive.writestr(name, "overwritten")
    return path
