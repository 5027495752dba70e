# Hands in a zip with devices, pipes, sockets and setuid programs.
# kind: loading and files
# verdicts: passed
# says: null was left out: it is a device, not a file.
# says: disk was left out: it is a device, not a file.
# says: pipe was left out: it is a named pipe, not a file.
# says: sock was left out: it is a socket, not a file.
import stat
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    path = folder / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pooling.py", HONEST)
        for name, mode in (("null", stat.S_IFCHR), ("disk", stat.S_IFBLK), ("pipe", stat.S_IFIFO), ("sock", stat.S_IFSOCK)):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (mode | 0o6777) << 16
            archive.writestr(info, "x")
    return path
