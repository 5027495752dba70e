# Reads and writes what lies in the machine's /tmp and /var/tmp, which every user may read.
# kind: getting out
# undefended: user without Landlock
# verdicts: passed
import os

gained = []
for path in ("/tmp/attest-host-canary/secret", "/tmp/attest-host-canary", "/tmp", "/var/tmp", "/etc/hostname", "/etc/machine-id"):
    try:
        gained.append(os.listdir(path) if os.path.isdir(path) and path != os.getenv("TMPDIR", "/tmp") else open(path).read())
    except OSError:
        pass
    for act in (lambda path: open(path, "r+").write("changed"), lambda path: open(f"{path}/made", "w"), os.unlink, os.rmdir):
        if path.startswith("/tmp/attest-host-canary"):
            try:
                act(path)
                gained.append(path)
            except OSError:
                pass


def pool(hidden, padding):
    assert not [one for one in gained if one], gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
