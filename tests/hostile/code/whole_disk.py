# Walks the whole disk for tests, references, solutions, other students' work, keys and homes.
# kind: reading what is hidden
# undefended: user without Landlock
# verdicts: passed
import os

WORDS = {
    "graders", "reports", "reference", "assignments", "attest", "solution", "accepted", "variants", "hostile", "shadow",
    "test_hidden.py", ".git", ".ssh", ".bashrc", ".cache", "docker.sock", "bwrap", "sudo", "su", "id_rsa", ".netrc",
}  # fmt: skip
gained = []
for place in (
    "/", "/packages", "/guest", "/python", "/python/lib", "/etc", "/dev", "/work", "/tmp", "/usr", "/usr/lib", "/usr/bin",
    "/root", "/home", "/mnt", "/media", "/srv", "/var", "/opt", "/boot", "/run", "/proc", "/sys", "/var/tmp",
):  # fmt: skip
    try:
        names = set(os.listdir(place))
    except OSError:
        continue
    gained += [f"{place}/{name}" for name in names & WORDS]
for place in ("/etc/shadow", "/root/.bashrc", "/root/.ssh/id_rsa", "/etc/fstab", "/var/log/dpkg.log"):
    try:
        with open(place) as file:
            gained.append((place, file.read(20)))
    except OSError:
        continue


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
