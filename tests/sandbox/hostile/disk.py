# Tries to find anything of the grader, of the host's user or of other submissions by walking the whole disk.
import os

SECRETS = {
    "graders", "reports", "reference", "assignments", "attest", "solution", "accepted", "variants", "hostile",
    "pytest", "_pytest", "hypothesis", "pydantic", "conftest.py", ".git", ".ssh", ".bashrc", ".cache", "shadow",
    "test_hidden.py", "docker.sock", "bwrap", "sh", "bash", "sudo", "su",
}  # fmt: skip


def attempt():
    found = [
        path
        for path in ("/root", "/home", "/mnt", "/media", "/srv", "/var", "/opt", "/boot", "/run")
        if os.path.exists(path)
    ]
    for place in (
        "/",
        "/packages",
        "/guest",
        "/python",
        "/python/lib",
        "/etc",
        "/dev",
        "/work",
        "/tmp",
        "/usr",
        "/usr/lib",
    ):
        names = set(os.listdir(place))
        found += [f"{place}/{name}" for name in names & SECRETS]
    for name in os.listdir("/packages"):
        if os.path.isdir(f"/packages/{name}"):
            found += [
                f"{name}/{inner}"
                for inner in set(os.listdir(f"/packages/{name}")) & {".git", "test_hidden.py"}
            ]
    return found
