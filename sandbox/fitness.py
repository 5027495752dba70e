"""Whether the sandbox works here, and what would make it work: the findings of `attest doctor`.

Imports nothing heavy: it must run where nothing else does.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .backend import BackendOptions

_USER_NAMESPACES = Path("/proc/sys/user/max_user_namespaces")
_DEBIAN_SWITCH = Path("/proc/sys/kernel/unprivileged_userns_clone")
_APPARMOR_SWITCH = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


@dataclass(frozen=True)
class Finding:
    """One thing that the sandbox needs: whether it is there, what was found, what to do when it is not."""

    name: str
    ok: bool
    found: str
    advice: str = ""


def findings(backend: str = "bubblewrap", options: BackendOptions | None = None) -> list[Finding]:
    """What one backend needs, in the order of repair. Starts a sandbox when all else is well."""
    found = parts(backend)
    if all(finding.ok for finding in found):
        found.append(_whole(backend, options or BackendOptions()))
    return found


def parts(backend: str) -> list[Finding]:
    """What one backend needs, without starting it."""
    of = {"bubblewrap": _parts_of_bubblewrap, "docker": _parts_of_docker, "user": _parts_of_user}
    return list(of.get(backend, _parts_of_none)())


def limits_held_by() -> Finding:
    """What holds memory, processes and processor time of guests: control groups, or what is left without."""
    from .cgroups import held_by

    found, why = held_by()
    return Finding(
        "limits",
        True,
        f"held by {found}" + (f", since {why}" if why else ""),
        "To have the kernel hold them: systemd-run --user --scope -p Delegate=yes attest grade ..."
        if why
        else "",
    )


def _parts_of_docker() -> Iterator[Finding]:
    from .errors import SandboxBroken

    try:
        from .engine import connect, find_image

        engine = connect()
        yield Finding("engine", True, engine.address)
        yield Finding("image", True, find_image(engine, None))
    except SandboxBroken as error:
        found, _, advice = str(error).partition("; ")
        yield Finding("docker", False, found, advice or "run: attest image build")


def _parts_of_user() -> Iterator[Finding]:
    from .inside import landlock

    root = os.geteuid() == 0
    yield Finding(
        "root",
        root,
        f"Attest runs as uid {os.geteuid()}",
        "each submission gets a user of its own, which only root can do; run it as root, on a machine that "
        "is thrown away afterwards",
    )
    version = landlock.version()
    yield Finding(
        "Landlock",
        True,
        f"version {version}: a submission may open a list of files and no others"
        if version
        else "not in this kernel: what keeps a submission from files is their permissions alone",
    )
    yield _seccomp()


def _parts_of_none() -> Iterator[Finding]:
    yield Finding("isolation", True, "none: only for one's own code, or with --i-trust-this-code")


def _parts_of_bubblewrap() -> Iterator[Finding]:
    system = platform.system()
    yield Finding(
        "Linux",
        system == "Linux",
        f"{system} {platform.release()}",
        "the bubblewrap backend needs Linux; on other systems run Attest in a Linux machine or container",
    )
    if system != "Linux":
        return
    yield _bubblewrap()
    yield _number(_USER_NAMESPACES, "user namespaces", "sudo sysctl user.max_user_namespaces=15000")
    if _DEBIAN_SWITCH.exists():
        yield _number(
            _DEBIAN_SWITCH, "user namespaces for everyone", "sudo sysctl kernel.unprivileged_userns_clone=1"
        )
    yield _seccomp()
    if shutil.which("bwrap"):
        yield _starts()


def _bubblewrap() -> Finding:
    advice = "install it: sudo apt install bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap (Fedora)"
    program = shutil.which("bwrap")
    if program is None:
        return Finding("bubblewrap", False, "bwrap is not on the PATH", advice)
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    words = done.stdout.split()
    version = (
        tuple(int(part) for part in words[-1].split(".")[:2]) if done.returncode == 0 and words else (0, 0)
    )
    found = f"{program}, {done.stdout.strip() or done.stderr.strip()}"
    return Finding("bubblewrap", version >= (0, 5), found, f"version 0.5 or later is needed; {advice}")


def _number(path: Path, name: str, command: str) -> Finding:
    try:
        value = int(path.read_text())
    except (OSError, ValueError) as error:
        return Finding(name, False, f"{path}: {error}", "the kernel must be built with CONFIG_USER_NS")
    return Finding(
        name, value > 0, f"{path} is {value}", f"run: {command} (and put it in /etc/sysctl.d to keep it)"
    )


def _seccomp() -> Finding:
    try:
        from .seccomp import guest_program

        size = len(guest_program()) // 8
    except Exception as error:
        advice = (
            "install libseccomp2 (Debian, Ubuntu) or libseccomp (Fedora), and the Python package pyseccomp"
        )
        return Finding("libseccomp", False, f"{type(error).__name__}: {error}", advice)
    return Finding("libseccomp", True, f"a filter of {size} instructions")


def _starts() -> Finding:
    """Whether an unprivileged user may start bubblewrap, the way that the backend does it."""
    argv = [
        shutil.which("bwrap") or "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--",
        "true",
    ]
    options: dict[str, object] = {}
    if os.geteuid() == 0:
        options = {"user": 65534, "group": 65534, "extra_groups": []}
    try:
        done = subprocess.run(  # type: ignore[call-overload]  # noqa: S603
            argv,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            cwd="/",
            **options,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            "namespaces", False, str(error), "run Attest on the host, or in a container that allows them"
        )
    if done.returncode == 0:
        return Finding("namespaces", True, "bwrap --unshare-all works for an unprivileged user")
    return Finding(
        "namespaces", False, done.stderr.strip() or f"bwrap ended with {done.returncode}", _namespace_advice()
    )


def _namespace_advice() -> str:
    try:
        restricted = _APPARMOR_SWITCH.read_text().strip() == "1"
    except OSError:
        restricted = False
    if restricted:
        return (
            "AppArmor refuses user namespaces to programs without a profile (Ubuntu 23.10 and later): "
            "give bwrap one, or run: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "this is a container that refuses namespaces: start it with --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined, or run Attest on the host"
        )
    return (
        "the kernel or a security module refuses namespaces to unprivileged users; see the message of bwrap"
    )


def _whole(backend: str, options: BackendOptions) -> Finding:
    """A guest that answers: the zygote starts, and a guest is confined below it."""
    from .errors import GuestError, SandboxBroken
    from .inside.questions import Program
    from .sandboxes import Sandbox

    try:
        with (
            Sandbox(backend, options=options) as sandbox,
            sandbox.guest({}, Program("script", "a.py", ("def f(): return 6 * 7",))) as guest,
        ):
            ok = guest.call("f") == 42
            versions = ", ".join(f"{name} {version}" for name, version in sandbox.versions.items())
    except (SandboxBroken, GuestError) as error:
        return Finding(
            "a guest", False, str(error), "the message says what failed; report it if it does not help"
        )
    return Finding("a guest", ok, f"a guest answered; inside are {versions}")
