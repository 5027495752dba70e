"""What can go wrong between a platform and us, each with what was found and what was expected."""

from __future__ import annotations


class LTIError(Exception):
    """Something between a platform and us went wrong. Its text is one sentence for an administrator."""


class Refused(LTIError):
    """A login, launch or other message that is not to be trusted; `claim` names the part that failed."""

    def __init__(self, claim: str, message: str) -> None:
        super().__init__(message)
        self.claim = claim


class Unreachable(LTIError):
    """A platform's address gave no usable answer: no connection, too slow, too much, or not allowed."""


class Answered(LTIError):
    """A platform's service answered with an error; `final` says that asking again would not help."""

    def __init__(
        self, message: str, *, status: int, body: bytes = b"", final: bool, again_in: float = 0.0
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body = body
        self.final = final
        self.again_in = again_in  # seconds for which the platform asked us to wait
