"""A Docker engine reached over TCP: connections to 127.0.0.1 are carried to the engine's own socket."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import threading
from collections.abc import Iterator

_MOST = 64  # connections; what comes beyond them is refused


class Forwarder:
    """Listens on a free port of 127.0.0.1 until closed."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._path = (os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock").removeprefix("unix://")
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        for _ in range(_MOST):
            try:
                client, _address = self._listener.accept()
                if self._tls is not None:
                    client = self._tls.wrap_socket(client, server_side=True)
                engine = socket.socket(socket.AF_UNIX)
                engine.connect(self._path)
            except OSError:
                return
            self._connections += [client, engine]
            for pair in ((client, engine), (engine, client)):
                threading.Thread(target=_carry, args=pair, daemon=True).start()

    def cut(self) -> None:
        """Close every connection, as a network does that fails."""
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def forwarded(tls: ssl.SSLContext | None = None) -> Iterator[Forwarder]:
    """Within it, the engine is also at a port of 127.0.0.1."""
    forwarder = Forwarder(tls)
    try:
        yield forwarder
    finally:
        forwarder.close()
