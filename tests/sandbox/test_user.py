"""The `user` backend: every guest is a user of its own, on a machine without namespaces."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox import Guest, GuestCrashed, Sandbox, StudentRaised, view
from sandbox.inside import ground, uids
from sandbox.undefended import UNDEFENDED

from .conftest import QUICK, script
from .less_than_root import as_nobody, in_a_container

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the backend `user` needs root")

WHO = """
import os
def who(): return os.getuid(), os.getgid(), os.getgroups(), os.getcwd(), oct(os.stat(".").st_mode)
def leave():
    for folder in ("/dev/shm", "/tmp", "."):
        try:
            open(f"{folder}/left-{os.getuid()}", "w").close()
        except OSError:
            pass
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            import signal, time
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
    os.wait()
    return os.getuid()
def read(path): return open(path).read()
def fill():
    for number in range(100):
        open(str(number), "wb").write(b"x" * 2**20)
        import time
        time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def users() -> Iterator[Sandbox]:
    with Sandbox("user", QUICK) as sandbox:
        yield sandbox


@pytest.fixture
def guest(users: Sandbox) -> Iterator[Guest]:
    with users.guest({}, script(WHO)) as guest:
        guest.start_check()
        yield guest


def test_a_guest_is_a_user_that_nobody_else_is(guest: Guest) -> None:
    uid, gid, groups, folder, mode = guest.call("who")
    assert uid == gid
    assert uid in uids.LOW
    assert groups == []
    assert folder.endswith(f"/guests/{uid}/work")
    assert mode == oct(0o40700)


def test_no_two_guests_of_two_runs_share_an_uid(users: Sandbox) -> None:
    with ExitStack() as stack:
        other = stack.enter_context(Sandbox("user", QUICK))
        sibling = stack.enter_context(users.attach())
        guests = [
            stack.enter_context(sandbox.guest({}, script(WHO)))
            for sandbox in (users, sibling, other, users, other)
        ]
        uids = [guest.call("who")[0] for guest in guests]
    assert len(set(uids)) == len(uids)


def test_nothing_of_an_uid_is_left(users: Sandbox) -> None:
    with users.guest({}, script(WHO)) as guest:
        guest.start_check()
        uid, folder = guest.call("leave"), Path(guest.call("who")[3]).parent
        assert ground.any_of(uid)
        assert Path(f"/dev/shm/left-{uid}").exists()
        assert folder.is_dir()
    assert not ground.any_of(uid)
    assert not Path(f"/dev/shm/left-{uid}").exists()
    assert not folder.exists()


def test_killing_by_uid_kills_no_other_process(users: Sandbox) -> None:
    bystander = subprocess.Popen(["sleep", "60"])
    other, held = uids.lease(uids.LOW)
    neighbour = subprocess.Popen(["sleep", "60"], user=other, group=other)
    try:
        with users.guest({}, script(WHO)) as guest:
            uid = guest.call("leave")
        assert uid != other
        assert bystander.poll() is None
        assert neighbour.poll() is None
    finally:
        os.close(held)
        for process in (bystander, neighbour):
            process.kill()
            process.wait()


def test_a_guest_reads_neither_secrets_nor_its_neighbour(users: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "test_hidden.py"
    secret.write_text("the answer")
    with users.guest({"mine.txt": b"mine"}, script(WHO)) as one, users.guest({}, script(WHO)) as other:
        other.start_check()
        neighbours = f"{one.call('who')[3]}/mine.txt"
        assert Path(neighbours).read_text() == "mine"
        for path in (str(secret), "/etc/shadow", neighbours, f"/proc/{os.getpid()}/environ"):
            with pytest.raises(StudentRaised, match="PermissionError"):
                other.call("read", path)


def test_writing_on_ends_the_guest(guest: Guest) -> None:
    with pytest.raises(GuestCrashed) as caught:
        guest.call("fill")
    assert caught.value.sentence.endswith("was stopped: it wrote more files than it may.")


TRY = """
import sys
from sandbox import BackendOptions
from sandbox.selftest import selftest
from sandbox.user import User
User.confine_files = sys.argv[1] == "landlock"
for attempt in selftest("user", BackendOptions(secrets=tuple(sys.argv[2:]))):
    print(attempt.kind if attempt.held else f"NOT {attempt.kind}", attempt.ok, sep=": ")
"""


def test_without_namespaces_and_landlock_only_what_is_named_does_not_hold(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "test_hidden.py").write_text("the answer")
    run = in_a_container(TRY, "permissions", str(tmp_path))
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    through = {line.removeprefix("NOT ").partition(":")[0] for line in lines if line.startswith("NOT")}
    # A slow disk is not filled between two looks.
    assert through | {"disk"} == set(UNDEFENDED["user"])
    assert "secrets: True" in lines
    assert all(line.endswith("True") for line in lines)


def test_without_namespaces_landlock_keeps_all_files(tmp_path: Path) -> None:
    from sandbox.inside import landlock

    if landlock.version() < 1:
        pytest.skip("this kernel has no Landlock")
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    run = in_a_container(TRY, "landlock", str(open_folder))
    assert run.returncode == 0, run.stderr
    assert "secrets: True" in run.stdout
    assert "NOT host files" not in run.stdout


def test_folders_that_everybody_may_read_are_refused_with_the_command_that_helps() -> None:
    readable = str(ROOT / "docs")
    if any(not parent.stat().st_mode & 0o001 for parent in Path(readable).parents):
        pytest.skip(f"{readable} is closed to others already")
    run = in_a_container(TRY, "permissions", readable)
    assert run.returncode == 1
    assert f"Run: chmod -R go-rwx {readable}" in run.stderr


KILLED = """
import os, signal, sys
from sandbox import Limits, Program, Sandbox
sandbox = Sandbox("user", Limits())
guest = sandbox.guest({}, Program("script", "a.py", (sys.argv[1],)))
uid = guest.call("leave")
print(uid, guest.call("who")[3], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_of_an_attest_that_was_killed() -> None:
    run = subprocess.run(
        [sys.executable, "-c", KILLED, WHO],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    uid, folder = run.stdout.split()
    end = time.monotonic() + 20
    base = Path(folder).parents[2]
    while time.monotonic() < end and (ground.any_of(int(uid)) or base.exists()):
        time.sleep(0.05)
    assert not ground.any_of(int(uid))
    assert not base.exists()


AS_NOBODY = """
from sandbox import Sandbox, SandboxBroken
try:
    Sandbox("user").start()
except SandboxBroken as error:
    print(error)
"""


def test_who_is_not_root_is_told_so() -> None:
    run = as_nobody(AS_NOBODY)
    assert "only root can do, and Attest runs as uid 65534" in run.stdout, run.stderr


def test_python_is_whole_afterwards() -> None:
    before = [sorted(os.listdir(source)) for source, _ in view.guest_view().binds if os.path.isdir(source)]
    with Sandbox("user", QUICK) as sandbox:
        sandbox.start()
    after = [sorted(os.listdir(source)) for source, _ in view.guest_view().binds if os.path.isdir(source)]
    assert after == before


REMOVE = """
import os, sys
from pathlib import Path
sys.argv[0] = sys.argv[1]
from sandbox.inside import system
sys.path.insert(0, "sandbox")
import guardian
base, kept = sys.argv[1:3]
system.unshare(system.CLONE_NEWNS)
system.mount("none", "/", "", system.MS_REC | system.MS_PRIVATE)
system.mount(kept, f"{base}/seen", "", system.MS_BIND)
guardian._remove(base)
"""


def test_a_folder_with_something_mounted_in_it_is_not_removed(tmp_path: Path) -> None:
    base, kept = tmp_path / "base", tmp_path / "kept"
    (base / "seen").mkdir(parents=True)
    kept.mkdir()
    (kept / "library.py").write_text("")
    run = subprocess.run(
        [sys.executable, "-c", REMOVE, str(base), str(kept)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "holds mounts and is left as it is" in run.stderr
    assert (kept / "library.py").exists()
