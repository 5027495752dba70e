"""The `user` backend: each guest is a user of its own on a machine that is thrown away afterwards.

For where root is at hand and namespaces are not, such as a Gradescope container. A guest is kept from others
by its uid, by a seccomp filter that leaves it no sockets, by limits, and, where the kernel has Landlock, by a
list of the files that it may open.
"""

from __future__ import annotations

import os

from . import bare
from .backend import BackendOptions, Launched, Mode
from .errors import SandboxBroken
from .inside import landlock
from .limits import Limits


def sockets_are_scoped() -> bool:
    """Whether this kernel keeps a guest's unix sockets to itself, but for others' that have a path."""
    return User.confine_files and landlock.version() >= 6


class User:
    """Starts the zygote as root, on the machine itself; see `bare` and inside/ground.py."""

    name = "user"
    mode: Mode = "user"
    # Off, to see what the uid alone keeps; see the tests.
    confine_files = True

    def __init__(self, options: BackendOptions) -> None:
        if options.isolation != "guest":
            raise SandboxBroken("the `user` backend has no containers; leave --isolation out, or use docker")
        if options.device != "cpu":
            raise SandboxBroken("the `user` backend has no GPU; use --device cpu, or another backend")
        self._options = options

    def launch(self, limits: Limits) -> Launched:  # noqa: ARG002  each guest has its own
        if os.geteuid() != 0:
            raise SandboxBroken(
                "the `user` backend gives each submission a user of its own, which only root can do, and "
                f"Attest runs as uid {os.geteuid()}; run it as root on a machine that is thrown away "
                "afterwards, or use bubblewrap or docker"
            )
        return bare.launch(True, self._options.secrets, self.confine_files)
