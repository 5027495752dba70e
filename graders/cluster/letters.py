"""What the dispatcher and the workers write to each other, as msgpack; each letter is sealed (`envelope`).

dispatcher ── Job ────────────────────────────────────────────► worker   by the queue of the workers
dispatcher ◄─ Taken, Beat, Wants, Graded, Failed, Refused ───── worker   by the queue of the run
dispatcher ── an assignment ──────────────────────────────────► worker   by the queue of the worker
"""

from __future__ import annotations

import hashlib
from typing import Annotated

import msgspec

from graders.reading import ProseCell, Submission, UnreadableSubmission
from sandbox import Program

Hash = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
JobId = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{24}\Z")]
# Names become paths, in the store and on a worker: nothing else is let through.
StoredName = Annotated[str, msgspec.Meta(pattern=r"\A(runs/[0-9a-f]{32}/[0-9a-f]{24}(\.result)?)?\Z")]


class Terms(msgspec.Struct, frozen=True):
    """What a worker and the command must have in common for their results to be comparable."""

    attest: str
    code: str  # a hash of the installed code that decides a verdict
    torch: str
    schema: int  # of the Result
    backend: str
    device: str


class Handed(msgspec.Struct, frozen=True):
    """What was read of a submission, by the command; `unreadable` says why nothing could be."""

    files: dict[str, bytes] = {}
    programs: tuple[Program, ...] = ()
    notes: tuple[str, ...] = ()
    content_hash: str = ""
    prose: tuple[ProseCell, ...] = ()
    word_files: tuple[str, ...] = ()
    unreadable: str = ""

    @staticmethod
    def of(read: Submission | UnreadableSubmission) -> Handed:
        """Return it as it travels."""
        if isinstance(read, UnreadableSubmission):
            return Handed(unreadable=str(read))
        return Handed(
            dict(read.files), read.programs, read.notes, read.content_hash, read.prose, read.word_files
        )

    def read(self) -> Submission | UnreadableSubmission:
        """Return it as it was."""
        if self.unreadable:
            return UnreadableSubmission(self.unreadable)
        return Submission(
            self.files, self.programs, self.notes, self.content_hash, self.prose, self.word_files
        )


class Parcel(msgspec.Struct, frozen=True):
    """Bytes in the letter itself, or in the store under a name, known by their hash."""

    inside: bytes = b""
    name: StoredName = ""
    sha256: str = ""


class Job(msgspec.Struct, frozen=True):
    """One submission to grade, for the `number`th time."""

    id: JobId
    number: int
    terms: Terms
    bundle: Hash  # the hash of the assignment
    seed: int
    student: bytes  # as JSON
    source: str
    submission: Parcel  # of a Handed
    by_store: bool  # the command has a store, where large results may lie
    watched: bool = False  # somebody waits for the checks as they end


class Taken(msgspec.Struct, frozen=True, tag=True):
    """A worker has this job in hand, and will say so again and again until it answers."""

    job: str
    number: int
    worker: str
    held_by: str  # what holds the limits of its guests


class Beat(msgspec.Struct, frozen=True, tag=True):
    """The worker is alive, and has this job in hand; of one that is watched, how far it is."""

    job: str
    number: int
    worker: str
    checks: tuple[tuple[str, str], ...] = ()  # title and verdict of those that have ended
    of: int = 0  # such checks in all


class Wants(msgspec.Struct, frozen=True, tag=True):
    """The worker has not got this assignment, and waits for it in its own queue."""

    bundle: str
    worker: str
    queue: str


class Graded(msgspec.Struct, frozen=True, tag=True):
    """A Result, as JSON."""

    job: str
    worker: str
    result: Parcel


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The worker could not grade it, by our own fault."""

    job: str
    number: int
    worker: str
    internal: str


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The worker grades nothing of this run: `why` says what is different with it."""

    job: str
    worker: str
    why: str


Answer = Taken | Beat | Wants | Graded | Failed | Refused

encode = msgspec.msgpack.Encoder().encode
decode_job = msgspec.msgpack.Decoder(Job).decode
decode_answer = msgspec.msgpack.Decoder(Answer).decode
decode_handed = msgspec.msgpack.Decoder(Handed).decode


def job_id(run: str, student: str, handed: bytes) -> str:
    """Return the name of a job: the same submission of the same student in the same run has the same."""
    digest = hashlib.sha256()
    for part in (run.encode(), student.encode("utf-8", "surrogatepass"), handed):
        digest.update(b"%d " % len(part) + part)
    return digest.hexdigest()[:24]
