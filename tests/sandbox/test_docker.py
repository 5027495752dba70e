"""The docker backend with a real engine, and what is said where there is none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox import BackendOptions, GuestMemory, Sandbox, SandboxBroken, StudentRaised
from sandbox.engine import Engine, find_image
from sandbox.images import Build, build_image, image_name
from sandbox.orphans import OWNER, is_dead, owner

from .conftest import QUICK, script

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def docker(engine: Engine) -> Iterator[Sandbox]:
    with Sandbox("docker") as sandbox:
        sandbox.start()
        yield sandbox


def ours(engine: Engine, pid: int | None = None) -> list[Any]:
    """The containers of one process."""
    label = f"{OWNER}={owner(pid)}" if pid is None else None
    containers = engine.client.containers.list(
        all=True, filters={"label": label or OWNER}, ignore_removed=True
    )
    return [each for each in containers if pid is None or each.labels[OWNER].split()[2] == str(pid)]


def settle(condition: Any, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


# Inside


def test_a_container_is_shut_in(engine: Engine, docker: Sandbox) -> None:
    (container,) = [each for each in ours(engine) if each.status == "running"]
    host = container.attrs["HostConfig"]
    assert host["CapDrop"] == ["ALL"]
    assert "no-new-privileges" in host["SecurityOpt"]
    (seccomp,) = [option for option in host["SecurityOpt"] if option.startswith("seccomp=")]
    assert json.loads(seccomp.partition("=")[2])["defaultAction"] == "SCMP_ACT_ERRNO"
    assert host["ReadonlyRootfs"]
    assert host["NetworkMode"] == "none"
    assert not host["Privileged"]
    assert container.attrs["Config"]["User"] not in {"", "0", "0:0"}
    assert host["Memory"] == host["MemorySwap"] > docker.limits.memory_bytes
    assert host["PidsLimit"] < 1000
    assert host["NanoCpus"] > 0
    # One folder with a socket, which is gone from the host once the zygote has connected to it.
    (mount,) = [each for each in container.attrs["Mounts"] if each["Type"] == "bind"]
    assert not os.path.exists(mount["Source"])


LOOKS = """
import os
def seen(): return {name: sorted(os.listdir(name)) for name in ("/", "/dev", "/proc", "/etc", "/guest")}
def environment(): return {name: text for name, text in os.environ.items() if name != "LD_LIBRARY_PATH"}
def host(): return os.uname().nodename
def who(): return [os.getuid(), os.getpid()]
def writable():
    found = []
    for top, folders, files in os.walk("/"):
        if top.startswith(("/packages/", "/usr/lib/", "/python/lib/")): folders.clear()
        if os.access(top, os.W_OK): found.append(top)
    return sorted(found)
def mount():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    tried = libc.mount(b"none", b"/tmp", b"tmpfs", 0, b""), libc.unshare(0x10000000)
    return [*tried, libc.umount2(b"/proc", 2)]
"""


def test_a_guest_sees_what_it_sees_under_bubblewrap(docker: Sandbox, sandbox: Sandbox) -> None:
    with docker.guest({}, script(LOOKS)) as guest, sandbox.guest({}, script(LOOKS)) as other:
        for question in ("environment", "host", "who", "writable", "mount"):
            assert guest.call(question) == other.call(question), question
        seen, expected = guest.call("seen"), other.call("seen")
    assert isinstance(seen, dict)
    assert isinstance(expected, dict)
    libraries = {"lib", "lib64", "lib32", "libx32"}  # as the distribution has them
    assert set(seen["/"]) - libraries == set(expected["/"]) - libraries
    assert seen["/"]
    assert not {"home", "root", "var", "bin", "attest"} & set(seen["/"])
    for folder in ("/dev", "/proc", "/etc", "/guest"):
        assert seen[folder] == expected[folder], folder


def test_limits_and_versions_are_as_under_bubblewrap(docker: Sandbox, family: Sandbox) -> None:
    assert {name: version.partition("+")[0] for name, version in docker.versions.items()} == {
        name: version.partition("+")[0] for name, version in family.versions.items()
    }
    source = "kept = []\ndef take():\n    while True: kept.append(bytearray(2**22))\n"
    with docker.attach(QUICK) as quick, quick.guest({}, script(source)) as guest:
        with pytest.raises((GuestMemory, StudentRaised)):
            guest.call("take")
        assert guest.usage().peak_memory_bytes > 2**26


def test_a_second_attached_sandbox_has_a_container_of_its_own(engine: Engine, docker: Sandbox) -> None:
    with Sandbox("docker") as first:
        first.start()
        before = len(ours(engine))
        with first.attach() as near, near.guest({}, script("A = 1")):
            assert len(ours(engine)) == before
        with first.attach() as far, far.guest({}, script("A = 1")):
            assert len(ours(engine)) == before + 1
        assert len(ours(engine)) == before


# A container for each submission


def test_each_submission_has_its_own_container_and_none_is_left(engine: Engine) -> None:
    before = {each.id for each in ours(engine)}
    source = "def f(): return 1"
    used = []
    with Sandbox("docker", options=BackendOptions(isolation="container")) as sandbox:
        for submission in ("a", "a", "b", None, None):
            with sandbox.guest({}, script(source), submission=submission) as guest:
                assert guest.call("f") == 1
                assert sandbox._containers is not None
                used.append(sandbox._containers._used[-1]._launched.container)  # type: ignore[union-attr]
        assert used[0] == used[1]
        assert len(set(used)) == 4
        alive = {each.id for each in ours(engine)} - before
        assert len(alive) <= 3, "those that were used are removed while the next warm up"
    assert {each.id for each in ours(engine)} <= before


def test_two_guests_of_two_submissions_live_side_by_side() -> None:
    with Sandbox("docker", QUICK, options=BackendOptions(isolation="container")) as sandbox:
        sandbox.start()
        one = sandbox.guest({}, script("def f(): return 1"), submission=1)
        two = sandbox.guest({}, script("def f(): return 2"), submission=2)
        assert (one.call("f"), two.call("f")) == (1, 2)


@pytest.fixture(scope="module", autouse=True)
def _needs(engine: Engine) -> None:
    """Everything from here on needs the engine, but for what is said where there is none."""


# The end


def test_nothing_is_left_after_closing(engine: Engine) -> None:
    before = set(os.listdir("/proc/self/fd")), {each.id for each in ours(engine)}
    with Sandbox("docker") as sandbox, sandbox.guest({}, script("def f(): return 1")) as guest:
        assert guest.call("f") == 1
        assert len(ours(engine)) == len(before[1]) + 1
    assert {each.id for each in ours(engine)} == before[1]


GRADES = """
    import sys
    from sandbox import Sandbox, Program
    with Sandbox("docker") as sandbox:
        guest = sandbox.guest({}, Program("script", "a.py", ("import time\\ndef f(): time.sleep(60)",)))
        print("ready", flush=True)
        guest.call("f")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_after_a_signal(engine: Engine, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(GRADES)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert len(ours(engine, process.pid)) == 1
        process.send_signal(number)
    assert settle(lambda: not ours(engine, process.pid))


def test_a_container_that_outlives_its_owner_is_removed_at_the_next_start(engine: Engine) -> None:
    gone = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    dead = owner(gone.pid)
    gone.communicate()
    assert is_dead(dead)
    made = [
        engine.client.containers.create(find_image(engine, None), labels={OWNER: label}, network_mode="none")
        for label in (dead, owner(), "another-boot 1 2 3", "nonsense")
    ]
    try:
        with Sandbox("docker") as sandbox:
            sandbox.launch()
        left = {each.id for each in engine.client.containers.list(all=True, ignore_removed=True)}
        assert [each.id in left for each in made] == [False, True, True, True]
    finally:
        for each in made[1:]:
            each.remove(force=True)


def test_a_container_that_is_killed_is_our_fault(engine: Engine) -> None:
    with Sandbox("docker") as sandbox:
        sandbox.start()
        assert sandbox._launched is not None
        engine.client.api.kill(sandbox._launched.container)  # type: ignore[attr-defined]
        with pytest.raises(SandboxBroken, match="the zygote does not answer"):
            sandbox.guest({}, script("A = 1"))


# The image


def test_the_image_holds_nothing_of_the_graders(engine: Engine) -> None:
    container = engine.client.containers.create(image_name(), network_mode="none")
    try:
        with tempfile.TemporaryFile() as file:
            for chunk in container.export():
                file.write(chunk)
            file.seek(0)
            with tarfile.open(fileobj=file) as tar:
                names = tar.getnames()
    finally:
        container.remove(force=True)
    assert any(name.startswith("guest/inside/zygote") for name in names)
    assert any(name.startswith("packages/torch/") for name in names)
    assert {name.split("/")[0] for name in names} <= {
        *("usr", "lib", "lib64", "lib32", "libx32", "python", "packages", "guest", "etc"),
        *("dev", "proc", "sys", "tmp", "work", "scratch", "attest", ".dockerenv"),
    }
    packages = {"graders", "reference", "assignments", "reports", "attest", "sandbox"}
    own = {path.name for name in packages for path in (ROOT / name).iterdir()} - {"__init__.py", "inside"}
    assert not {name.split("/")[1] for name in names if name.startswith("packages/")} & (packages | own)
    assert {name.split("/")[1] for name in names if name.startswith("guest/")} == {"inside"}
    assert not [name for name in names if name.endswith(("ca.pem", ".whl"))]


def test_a_stale_image_is_refused_with_the_command(engine: Engine) -> None:
    tag = "attest-docker-test:stale"
    engine.client.images.get(image_name())
    container = engine.client.containers.create(image_name(), network_mode="none")
    try:
        container.commit(*tag.split(":"), changes="LABEL attest.inputs=0123")
        with pytest.raises(SandboxBroken, match=r"made for another version.*image build --tag attest-docker"):
            find_image(engine, tag)
    finally:
        container.remove(force=True)
        engine.client.images.remove(tag, force=True)


def test_an_absent_image_is_named_with_the_command(engine: Engine) -> None:
    with pytest.raises(
        SandboxBroken, match=r"no image attest-none:1; build one.*image build --tag attest-none:1"
    ):
        find_image(engine, "attest-none:1")


def test_a_build_that_cannot_begin_says_why(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(SandboxBroken, match=r"holds no wheels.*--make-wheelhouse"):
        list(build_image(engine.client, Build(wheelhouse=tmp_path)))


def test_a_runtime_that_the_engine_has_not_is_named() -> None:
    with (
        Sandbox("docker", options=BackendOptions(runtime="crun")) as sandbox,
        pytest.raises(SandboxBroken, match="crun"),
    ):
        sandbox.start()
