# Hands in a zip with symbolic links to the grader's tests and to the machine's secrets.
# kind: loading and files
# verdicts: passed
# says: secret was left out: it is a symbolic link, which is never followed.
# says: up was left out: it is a symbolic link, which is never followed.
# says: shadow.py was left out: it is a symbolic link, which is never followed.
import stat
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", HONEST)
        for name, target in (("secret", "/tmp/attest-host-canary/secret"), ("up", "../.."), ("shadow.py", "/etc/shadow")):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, target)
    return path
