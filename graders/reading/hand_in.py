"""What every reader of an LMS's download says: who handed in what, when, and which files are nobody's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graders.reading.container import Member, Piece

Ids = tuple[tuple[str, str], ...]  # (kind, id): ("canvas", "4711"), ("email", "lena@example.edu")


@dataclass(frozen=True)
class HandIn:
    """One attempt of one student, or of a group that hands in together."""

    label: str  # the student's id where no roster gives one; the same for all attempts
    members: tuple[Member, ...]
    source: str  # as the instructor finds it in the zip or folder
    name: str = ""
    ids: Ids = ()
    submitted_at: datetime | None = None  # without a zone where the LMS gives its server's clock
    late: bool = False  # as the LMS says
    attempt: int = 1


@dataclass(frozen=True)
class Reading:
    """What a reader makes of a zip or folder."""

    hand_ins: tuple[HandIn, ...]
    strangers: tuple[Piece, ...] = ()  # files that are called otherwise
    own: int = 0  # files of the LMS's own, such as its list of metadata
    problems: tuple[str, ...] = ()

    @property
    def understood(self) -> int:
        """How many files are as this LMS calls them."""
        return self.own + sum(len(hand_in.members) for hand_in in self.hand_ins)
