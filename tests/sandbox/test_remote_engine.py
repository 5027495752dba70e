"""The docker backend with an engine that passes no descriptors: all goes over one stream."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from sandbox import (
    GuestCrashed,
    GuestGone,
    GuestMemory,
    GuestOutput,
    GuestTimeout,
    Sandbox,
    SandboxBroken,
    StudentRaised,
    held,
)
from sandbox.docker import TRANSPORT, LaunchedContainer
from sandbox.engine import Engine

from .conftest import script
from .forwarding import Forwarder, forwarded
from .relayed import QUICK, WORK

ROOT = Path(__file__).parents[2]
MIB = 2**20


@pytest.fixture(scope="module")
def family(engine: Engine) -> Iterator[Sandbox]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TRANSPORT, "stream")
        sandbox = Sandbox("docker", QUICK)
    with sandbox:
        sandbox.start()
        yield sandbox


def container_of(engine: Engine, sandbox: Sandbox) -> Any:
    assert isinstance(sandbox._launched, LaunchedContainer)
    return engine.client.containers.get(sandbox._launched.container)


def removed(engine: Engine, container: Any, seconds: float = 20.0) -> bool:
    from docker.errors import NotFound

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            engine.client.containers.get(container.id)
        except NotFound:
            return True
        time.sleep(0.1)
    return False


def test_nothing_of_this_machine_is_bound(engine: Engine, family: Sandbox) -> None:
    container = container_of(engine, family)
    assert container.attrs["Mounts"] == []
    assert not container.attrs["HostConfig"]["Binds"]


def test_files_values_and_models_travel(family: Sandbox) -> None:
    with family.guest({"data.txt": b"carried"}, script(WORK)) as guest:
        assert guest.call("read") == "carried"
        values = torch.arange(2**20, dtype=torch.float32)
        assert torch.equal(guest.call("double", values), 2 * values)
        assert guest.call("ask", held(lambda x: x * 3), torch.ones(2)).tolist() == [4.0, 4.0]


@pytest.mark.parametrize(
    ("name", "args", "verdict"),
    [
        ("sleep", (30,), GuestTimeout),
        ("flood", (), GuestOutput),
        ("crash", (), GuestCrashed),
        ("leave", (), GuestCrashed),
        ("answers_without_end", (), GuestCrashed),
        ("take", (512 * MIB,), (StudentRaised, GuestMemory)),
    ],
)
def test_verdicts_are_the_same_and_nothing_of_the_guest_is_left(
    engine: Engine, family: Sandbox, name: str, args: tuple[object, ...], verdict: type[GuestGone]
) -> None:
    with family.guest({}, script(WORK)) as guest:
        guest.call("starts", 3)
        with pytest.raises(verdict):
            guest.call(name, *args)
    with family.guest({}, script(WORK)) as guest:
        assert guest.call("say") == 1
    time.sleep(0.1)
    # The relay, what holds the zygote, the zygote, and the next guest, which waits.
    assert len(container_of(engine, family).top()["Processes"]) <= 4


def test_the_relay_measures_in_the_container(family: Sandbox) -> None:
    with family.guest({}, script(WORK)) as guest:
        guest.start_check()
        guest.call("take", 64 * MIB)
        assert 64 * MIB <= guest.usage().peak_memory_bytes < 100 * MIB
    with family.guest({}, script(WORK)) as guest:
        with guest.memory_cap(16 * MIB) as use:
            guest.call("borrow", 8 * MIB)
        assert 7 * MIB < use.peak_bytes < 10 * MIB
        guest.call("starts", 2)
        assert len(guest.processes()) == 3


def test_a_container_that_is_killed_is_our_fault(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRANSPORT, "stream")
    with Sandbox("docker", QUICK) as sandbox:
        guest = sandbox.guest({}, script(WORK))
        container = container_of(engine, sandbox)
        timer = threading.Timer(0.3, container.kill)
        timer.start()
        with pytest.raises(SandboxBroken, match="the connection to the container was cut"):
            guest.call("sleep", 3.5)
        timer.join()
        assert removed(engine, container)


def test_a_killed_attest_leaves_no_container(engine: Engine) -> None:
    source = """
        import sys, time
        from sandbox import Sandbox, Program
        sandbox = Sandbox("docker")
        guest = sandbox.guest({}, Program("script", "a.py", ("A = 1",)))
        print(sandbox._launched.container, flush=True)
        time.sleep(60)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {TRANSPORT: "stream"},
    )
    assert process.stdout is not None
    with process.stdout:
        container = engine.client.containers.get(process.stdout.readline().strip())
    process.kill()
    process.wait()
    assert removed(engine, container)


# Over a network


def certificates(folder: Path) -> ssl.SSLContext:
    """Make an authority, and a server's and a client's certificate as Docker wants them."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=60)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(
        "req", "-x509", *key, "-keyout", "ca-key.pem", "-out", "ca.pem", "-subj", "/CN=test", "-days", "2"
    )
    for name, alternative in (("server", "IP:127.0.0.1"), ("client", "DNS:client")):
        keyfile = "key.pem" if name == "client" else "server-key.pem"
        certificate = "cert.pem" if name == "client" else "server.pem"
        openssl("req", *key, "-keyout", keyfile, "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (folder / "extensions").write_text(f"subjectAltName={alternative}\n")
        openssl(
            *("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca-key.pem", "-days", "2"),
            *("-CAcreateserial", "-extfile", "extensions", "-out", certificate),
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server-key.pem")
    context.load_verify_locations(folder / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def by_tcp(forwarder: Forwarder, patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{forwarder.port}")


def by_tls(forwarder: Forwarder, patch: pytest.MonkeyPatch, folder: Path) -> None:
    by_tcp(forwarder, patch, folder)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):  # requests would prefer them
        patch.delenv(name, raising=False)
    patch.setenv("DOCKER_TLS_VERIFY", "1")
    patch.setenv("DOCKER_CERT_PATH", str(folder))


SSH = """#!{python}
# What ssh does with -L: a socket here that leads to one there, until stdin is closed.
import os, re, socket, sys, threading
here, there = sys.argv[sys.argv.index("-L") + 1].split(":")
assert sys.argv[-2:] == ["engine.example", "cat"] and there == "/var/run/docker.sock", sys.argv
listener = socket.socket(socket.AF_UNIX)
listener.bind(here)
listener.listen()
def carry(source, target):
    try:
        while data := source.recv(65536): target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError: pass
def accept():
    while True:
        client = listener.accept()[0]
        engine = socket.socket(socket.AF_UNIX)
        engine.connect(there)
        for pair in ((client, engine), (engine, client)):
            threading.Thread(target=carry, args=pair, daemon=True).start()
threading.Thread(target=accept, daemon=True).start()
os.read(0, 1)
"""


def test_an_engine_over_ssh(engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if engine.address != "unix:///var/run/docker.sock":
        pytest.skip("the engine is not at its usual place")
    program = tmp_path / "ssh"
    program.write_text(SSH.format(python=sys.executable))
    program.chmod(0o755)
    source = """
        from sandbox import Sandbox, Program
        with Sandbox("docker") as sandbox:
            with sandbox.guest({}, Program("script", "a.py", ("def f(): return 42",))) as guest:
                print(guest.call("f"), sandbox._launched._counterpart is not None)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        cwd=ROOT,
        env=os.environ
        | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "DOCKER_HOST": "ssh://me@engine.example"}
        | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("42 True\n", "")
    assert os.listdir(tmp_path) == ["ssh"]


def test_what_ssh_says_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("docker", reason="the Docker SDK for Python is not installed")
    program = tmp_path / "ssh"
    program.write_text("#!/bin/sh\necho 'Permission denied (publickey).' >&2; exit 255\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("DOCKER_HOST", "ssh://me@engine.example")
    with pytest.raises(
        SandboxBroken, match=r"engine\.example: Permission denied \(publickey\)\..*ssh engine"
    ):
        Sandbox("docker").start()


@pytest.mark.parametrize("way", [by_tcp, by_tls])
def test_an_engine_over_a_network(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: Callable[..., None]
) -> None:
    tls = certificates(tmp_path) if way is by_tls else None
    with forwarded(tls) as forwarder:
        way(forwarder, monkeypatch, tmp_path)
        with Sandbox("docker", QUICK) as sandbox:
            guest = sandbox.guest({"data.txt": b"far"}, script(WORK))
            container = container_of(engine, sandbox)
            assert container.attrs["Mounts"] == []
            assert guest.call("read") == "far"
            values = torch.arange(2**20, dtype=torch.float32)
            assert torch.equal(guest.call("double", values), 2 * values)
            with pytest.raises(GuestOutput):
                guest.call("flood")
            other = sandbox.guest({}, script(WORK))
            timer = threading.Timer(0.3, forwarder.cut)
            timer.start()
            with pytest.raises(SandboxBroken, match="the connection to the container was cut"):
                other.call("sleep", 3.5)
            timer.join()
            assert removed(engine, container)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a process mounts of its own")
def test_an_engine_that_does_not_see_this_processs_folders(engine: Engine, tmp_path: Path) -> None:
    source = """
        import sys, time
        from sandbox import Sandbox, Program
        with Sandbox("docker") as sandbox:
            with sandbox.guest({}, Program("script", "a.py", ("def f(): return 42",))) as guest:
                print(guest.call("f"))
    """
    own = f'mount -t tmpfs none {tmp_path} && exec "$0" -c "$1"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", own, sys.executable, textwrap.dedent(source)],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("42\n", "")
