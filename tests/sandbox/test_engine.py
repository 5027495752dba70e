"""What is said where the Docker engine cannot be used: each in one sentence with the next step."""

from __future__ import annotations

import json
import os
import socketserver
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from sandbox import BackendOptions, Sandbox, SandboxBroken
from sandbox.engine import Engine, connect

from .less_than_root import as_nobody

pytest.importorskip("docker", reason="the Docker SDK for Python is not installed")


def test_no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(
        SandboxBroken, match=r"no Docker engine at unix://.*none\.sock.*--sandbox bubblewrap$"
    ):
        Sandbox("docker").start()


def test_no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(SandboxBroken, match="needs the Docker SDK for Python; run: pip install"):
        Sandbox("docker").launch()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a socket that another user may not use")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "docker.sock"
    with socketserver.UnixStreamServer(str(path), BaseHTTPRequestHandler):
        os.chmod(path, 0o600)
        done = as_nobody(
            "from sandbox.engine import connect; connect()",
            env={"DOCKER_HOST": f"unix://{path}", "HOME": "/"},
        )
    assert "permission denied; add yourself to its group (sudo usermod -aG docker" in done.stderr


class _Old(BaseHTTPRequestHandler):
    """An engine of 2017, as far as it is asked."""

    def do_GET(self) -> None:
        body = json.dumps({"Version": "17.06.0", "ApiVersion": "1.30", "MinAPIVersion": "1.12"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def old_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with socketserver.ThreadingUnixStreamServer(str(tmp_path / "old.sock"), _Old) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/old.sock")
        yield
        server.shutdown()


@pytest.mark.usefixtures("old_engine")
def test_an_engine_that_is_too_old() -> None:
    with pytest.raises(
        SandboxBroken, match=r"version 17\.06\.0, and 20\.10 is the oldest that works; upgrade"
    ):
        connect()


def test_an_engine_on_another_kernel_is_told_from_one_on_this() -> None:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    here = {"OSType": "linux", "KernelVersion": os.uname().release, "MemTotal": memory}
    near = Engine(None, here, "unix:///var/run/docker.sock")  # type: ignore[arg-type]
    assert near.shares_kernel(None)
    assert near.shares_kernel("runc")
    assert not near.shares_kernel("runsc"), "gVisor brings a kernel of its own"
    assert not Engine(None, here, "tcp://elsewhere:2376").shares_kernel(None)  # type: ignore[arg-type]
    desktop = here | {"KernelVersion": "6.10.14-linuxkit"}
    assert not Engine(None, desktop, near.address).shares_kernel(None)  # type: ignore[arg-type]
    small = here | {"MemTotal": memory // 2}
    assert not Engine(None, small, near.address).shares_kernel(None), "a machine inside this one"  # type: ignore[arg-type]


def test_bubblewrap_has_no_containers() -> None:
    with pytest.raises(SandboxBroken, match="isolation 'container' needs the docker backend"):
        Sandbox(options=BackendOptions(isolation="container"))
