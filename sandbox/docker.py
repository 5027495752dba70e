"""The `docker` backend: a zygote in a container of its own, in which guests nest as under bubblewrap.

With an engine on this kernel, the zygote connects to a socket in a folder that is bound into the container
for that alone, and descriptors pass as under bubblewrap. Nothing else of the host is bound. With any other
engine everything goes over the container's stdin and stdout (`streamed`), and nothing is bound.
"""

from __future__ import annotations

import os
import platform
import select
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

import msgspec

from . import device as gpu
from . import view as views
from .backend import BackendOptions, Launched, Mode
from .engine import Engine, connect, find_image, told
from .errors import SandboxBroken
from .inside import uids
from .inside.container import SOCKET, Plan
from .limits import Limits
from .orphans import OWNER, owner, remove_orphans
from .seccomp_profile import profile
from .streamed import attached

# "stream" in this variable: go by the stream also where descriptors could pass.
TRANSPORT = "ATTEST_DOCKER_TRANSPORT"
# What an engine says of a folder that it does not see: it has another machine's, or another container's.
_ELSEWHERE = "bind source path does not exist"
_CONNECT_SECONDS = 30.0
_REMOVE_SECONDS = 20.0
# The zygote with torch, and what the kernel counts for it: page tables, sockets, the image's pages in use.
_ZYGOTE_BYTES = 2**30
# A guest, the one before it that is still ending, and the next one that is being forked.
_GUESTS_AT_ONCE = 3
_PROCESSORS = 2.0  # a guest, and what is forked or ended meanwhile
_TAIL = 2000


class Docker:
    """Starts zygotes in containers of the engine that DOCKER_HOST names, or of this machine's."""

    name = "docker"
    mode: Mode = "namespaces"

    def __init__(self, options: BackendOptions) -> None:
        self._options = options
        self._engine: Engine | None = None
        self._image = ""
        self._far = os.environ.get(TRANSPORT) == "stream"
        self._process = 0  # that has connected: connections are not for sharing with forks

    def launch(self, limits: Limits) -> Launched:
        if self._engine is None or self._process != os.getpid():
            engine = connect()
            self._image = find_image(engine, self._options.image)
            with told("containers of a killed Attest cannot be removed"):
                remove_orphans(engine.client)
            self._engine, self._process = engine, os.getpid()
        asked = self._engine, self._image, self._options, limits
        if not self._far and self._engine.shares_kernel(self._options.runtime):
            try:
                return _launch_near(*asked)
            except SandboxBroken as error:
                if _ELSEWHERE not in str(error):
                    raise
                self._far = True
        return _launch_far(*asked)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_engine": None}


class LaunchedContainer:
    """A zygote in a container; `counterpart` stands here for one on another kernel."""

    siblings: int | None = 1  # it is sized for one who asks for guests at a time

    def __init__(
        self,
        engine: Engine,
        container: str,
        control: socket.socket,
        log: IO[bytes],
        counterpart: subprocess.Popen[bytes] | None = None,
    ) -> None:
        self.control = control
        self.container = container
        self._engine = engine
        self._log = log
        self._counterpart = counterpart
        self._closed = False

    def said(self) -> str:
        if self._log.closed:
            return ""
        self._log.seek(0)
        return self._log.read()[-_TAIL:].decode("utf-8", "replace").strip()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.control.close()
        if self._counterpart is not None:
            self._counterpart.kill()
            self._counterpart.wait()
        self._log.close()
        with suppress(SandboxBroken):  # of an engine that has gone, nothing can be removed
            remove(self._engine, self.container)


def remove(engine: Engine, container: str) -> None:
    """Remove a container, whatever state it is in; returns when it is gone."""
    from docker.errors import APIError, NotFound

    with told("a container cannot be removed"):
        end = time.monotonic() + _REMOVE_SECONDS
        while time.monotonic() < end:
            try:
                engine.client.api.remove_container(container, force=True, v=True)
                return
            except NotFound:
                return
            except APIError as error:
                if error.status_code != 409:  # it is being removed already, since it has ended
                    raise
            time.sleep(0.02)


def _launch_near(engine: Engine, image: str, options: BackendOptions, limits: Limits) -> LaunchedContainer:
    with _listening() as (listener, folder):
        container = _create(engine, image, _settings(engine, options, limits, folder), _users_near(engine))
        log = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the zygote
        try:
            with told("the container cannot be started"):
                output = engine.client.api.attach_socket(container, {"stdout": 1, "stderr": 1, "stream": 1})
                with output:
                    engine.client.api.start(container)
                    control = _connected(listener, output)
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [log.fileno()]))]
            control.sendmsg([b"log"], rights)
            return LaunchedContainer(engine, container, control, log)
        except BaseException:
            log.close()
            with suppress(SandboxBroken):
                remove(engine, container)
            raise


def _launch_far(engine: Engine, image: str, options: BackendOptions, limits: Limits) -> LaunchedContainer:
    _check_processor(engine)
    container = _create(engine, image, _settings(engine, options, limits, None), _users_far(engine))
    log = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the zygote
    try:
        with told("the container cannot be started"):
            both = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
            with engine.client.api.attach_socket(container, both) as stream:
                control, counterpart = attached(stream, log)
            engine.client.api.start(container)
        return LaunchedContainer(engine, container, control, log, counterpart)
    except BaseException:
        log.close()
        with suppress(SandboxBroken):
            remove(engine, container)
        raise


def _check_processor(engine: Engine) -> None:
    """The filter of system calls that guests get is made here, for this machine's processor."""
    here, there = platform.machine(), str(engine.info.get("Architecture", ""))
    if there and there != here:
        raise SandboxBroken(
            f"the engine at {engine.address} has a processor of another kind, {there} and not {here}; "
            f"use an engine on {here}"
        )


@contextmanager
def _listening() -> Iterator[tuple[socket.socket, str]]:
    """A socket in a folder that only this user reaches from the host, and everyone in a container."""
    outer = tempfile.mkdtemp(prefix="attest-")
    try:
        folder = f"{outer}/zygote"
        os.mkdir(folder, 0o755)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            path = f"{folder}/{os.path.basename(SOCKET)}"
            listener.bind(path)
            os.chmod(path, 0o666)  # noqa: S103  the folder above is closed
            listener.listen(1)
            yield listener, folder
    finally:
        shutil.rmtree(outer, ignore_errors=True)


def _connected(listener: socket.socket, output: Any) -> socket.socket:
    """The zygote's connection; SandboxBroken with what the container said when it ends before."""
    said = b""
    end = time.monotonic() + _CONNECT_SECONDS
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(output.fileno(), select.POLLIN)
    while time.monotonic() < end:
        for fd, _ in poll.poll(1000):
            if fd == listener.fileno():
                return listener.accept()[0]
            data = os.read(fd, 65536)
            said += data
            if not data:
                text = _frames(said).decode("utf-8", "replace").strip()[-_TAIL:]
                why = f": {text}" if text else ""
                raise SandboxBroken(
                    f"the container ended before its zygote began{why}; run: attest doctor --sandbox docker"
                )
    raise SandboxBroken(
        f"no zygote came from the container within {_CONNECT_SECONDS:g} s; "
        "run: attest doctor --sandbox docker"
    )


def _frames(stream: bytes) -> bytes:
    """The text of the engine's frames: a header of eight bytes, of which the last four are a length."""
    text = b""
    while len(stream) >= 8:
        length = int.from_bytes(stream[4:8], "big")
        text += stream[8 : 8 + length]
        stream = stream[8 + length :]
    return text


def _create(engine: Engine, image: str, settings: dict[str, Any], users: Iterator[_User]) -> str:
    """Make a container for the first of these users whose name no other container has."""
    from docker.errors import APIError

    with told("the container cannot be created"):
        for user in users:
            try:
                created = engine.client.containers.create(
                    image, name=user.container, user=f"{user.uid}:{user.gid}", **settings
                )
                return str(created.id)
            except APIError as error:
                if error.status_code != 409 or "already in use" not in str(error.explanation):
                    raise
    raise SandboxBroken("all uids for containers are in use; wait for other runs to end")


def _settings(engine: Engine, options: BackendOptions, limits: Limits, folder: str | None) -> dict[str, Any]:
    """How a container is made, as the SDK's `create` takes it; without `folder`, for a stream."""
    from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

    handed_on = {name: os.environ[name] for name in views.HANDED_ON if name in os.environ}
    cuda = options.device == "cuda"
    plan = Plan(
        devices=list(views.DEVICES),
        folders=list(views.EMPTY_FOLDERS),
        written=views.WRITTEN,
        copied=[*views.COPIED, *(gpu.COPIED if cuda else ())],
        environment=views.ENVIRONMENT | {"PWD": "/work"} | handed_on | (gpu.ENVIRONMENT if cuda else {}),
        gpu=cuda,
        stream=folder is None,
    )
    security = ["no-new-privileges", f"seccomp={profile()}"]
    if engine.secured_by("apparmor"):
        # Its profile for containers forbids every mount; what mounts may do here is bounded by namespaces.
        security.append("apparmor=unconfined")
    most = _ZYGOTE_BYTES + _GUESTS_AT_ONCE * (limits.memory_bytes + limits.disk_bytes)
    settings: dict[str, Any] = {
        "command": [msgspec.json.encode(plan).decode()],
        "labels": {OWNER: owner()},
        "auto_remove": True,
        "hostname": "guest",
        # What a guest may do
        "cap_drop": ["ALL"],
        "security_opt": security,
        "read_only": True,
        "network_mode": "none",
        "ipc_mode": "none",
        "mounts": [Mount(os.path.dirname(SOCKET), folder, type="bind", read_only=True)] if folder else [],
        "stdin_open": folder is None,  # once: it is closed with the connection, and the relay ends
        "tmpfs": {"/scratch": "size=64k,mode=0755"},  # covered: each guest's own are sized by its limits
        # What all guests together may use
        "mem_limit": most,
        "memswap_limit": most,
        "pids_limit": _GUESTS_AT_ONCE * limits.processes + 64,
        "nano_cpus": int(min(_PROCESSORS, float(engine.info.get("NCPU") or 1)) * 1e9),
        "ulimits": [
            Ulimit(name="nofile", soft=max(4096, limits.open_files), hard=max(4096, limits.open_files)),
            Ulimit(name="core", soft=1, hard=1),
        ],
        "oom_score_adj": 500,  # before the rest of the machine
        "log_config": LogConfig(type="none"),
    }
    if options.runtime is not None:
        settings["runtime"] = options.runtime
    if cuda:
        settings["device_requests"] = [DeviceRequest(count=-1, capabilities=[["gpu", "compute", "utility"]])]
    return settings


@dataclass(frozen=True)
class _User:
    """Whom a zygote and its guests run as, and what their container is called."""

    uid: int
    gid: int
    container: str


def _users_near(engine: Engine) -> Iterator[_User]:
    """Someone whom this process may kill and look at, and never the host's root."""
    if engine.secured_by("rootless"):
        return _always(0, 0)  # which is the user who runs the engine
    if os.geteuid() != 0:
        return _always(os.geteuid(), os.getegid())
    high = uids.here(uids.HIGH_OF_CONTAINERS) and not engine.secured_by("userns")
    return _own_users(uids.HIGH_OF_CONTAINERS if high else uids.LOW_OF_CONTAINERS)


def _users_far(engine: Engine) -> Iterator[_User]:
    if engine.secured_by("rootless"):
        return _always(0, 0)
    few = engine.secured_by("userns")
    return _own_users(uids.LOW_OF_CONTAINERS if few else uids.HIGH_OF_CONTAINERS)


def _always(uid: int, gid: int) -> Iterator[_User]:
    while True:
        yield _User(uid, gid, f"attest-{uuid.uuid4().hex[:12]}")


def _own_users(among: range) -> Iterator[_User]:
    """Each is one container's: of a name an engine has but one, whoever asks it, until that is gone."""
    for uid, _ in zip(uids.in_turn(among), among, strict=False):
        yield _User(uid, uid, f"attest-{uid}")
