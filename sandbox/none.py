"""The backend `none`: no isolation. The program does what whoever started Attest may do, within limits."""

from __future__ import annotations

from . import bare
from .backend import BackendOptions, Launched, Mode
from .errors import SandboxBroken
from .limits import Limits


class NoIsolation:
    """Starts the zygote as who one is; see `bare`. Only for code that one trusts as one's own."""

    name = "none"
    mode: Mode = "none"

    def __init__(self, options: BackendOptions) -> None:
        if not options.trust:
            raise SandboxBroken(
                "without a sandbox a submission may read, change and send away all that you may, the hidden "
                "tests and other students' work among it; use bubblewrap or docker (attest doctor says what "
                "they need), or add --i-trust-this-code to --sandbox none"
            )
        if options.isolation != "guest" or options.device != "cpu":
            raise SandboxBroken(
                "without a sandbox there are no containers and no GPU; leave these options out"
            )

    def launch(self, limits: Limits) -> Launched:  # noqa: ARG002  each guest has its own
        return bare.launch(False)
