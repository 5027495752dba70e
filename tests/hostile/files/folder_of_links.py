# Hands in a folder of symbolic links, in circles and to the machine's secrets.
# kind: loading and files
# verdicts: passed
# says: self was left out: it is a symbolic link, which is never followed.
# says: up was left out: it is a symbolic link, which is never followed.
# says: secret.py was left out: it is a symbolic link, which is never followed.
# says: tests was left out: it is a symbolic link, which is never followed.
import os


def make(folder):
    place = folder / "ada"
    place.mkdir()
    for name, target in (("secret.py", "/tmp/attest-host-canary/secret"), ("up", ".."), ("self", "self"), ("tests", "/root")):
        os.symlink(target, place / name)
    (place / "pooling.py").write_text(
        "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"
    )
    return place
