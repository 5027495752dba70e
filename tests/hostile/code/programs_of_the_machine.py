# Runs the machine's own programs: a shell, env, curl, sudo.
# kind: getting out
# undefended: user without Landlock
# verdicts: passed
import subprocess

gained = []
for command in ("ls", "/bin/sh", "/usr/bin/env", "curl", "sudo", "su", "mount", "bwrap", "newuidmap", "/usr/bin/passwd"):
    try:
        subprocess.run([command], check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=0.2)
        gained.append(command)
    except (OSError, subprocess.SubprocessError):
        pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
