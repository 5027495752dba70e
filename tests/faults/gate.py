"""A way to a Docker engine that can be shut: to whoever goes through it, the engine has been stopped.

Restarting the engine itself would end the containers of everybody on the machine.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from pathlib import Path


class Gate:
    """A unix socket that carries to the engine's own while it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = (os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock").removeprefix(
            "unix://"
        )
        self._listener: socket.socket | None = None
        self._connections: list[socket.socket] = []
        self.open()

    @property
    def address(self) -> str:
        """What DOCKER_HOST is to be."""
        return f"unix://{self.path}"

    def open(self) -> None:
        """The engine can be reached."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def shut(self) -> None:
        """The engine is gone, and with it every connection."""
        assert self._listener is not None
        self.path.unlink()
        for end in (self._listener, *self._connections):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._connections.clear()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                engine = socket.socket(socket.AF_UNIX)
                engine.connect(self._engine)
                self._connections += [client, engine]
                for pair in ((client, engine), (engine, client)):
                    threading.Thread(target=_carry, args=pair, daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
