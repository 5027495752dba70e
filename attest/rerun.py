"""What of an earlier run in OUT still holds, so that the same command again grades only what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attest.intake import kept_results, laid_over
from attest.seeds import new_seed
from graders.assignment import Assignment
from graders.output import Output, OutputError, RunInfo
from graders.reading import Found, UnreadableSubmission
from graders.result import Result, Status
from graders.versions import public, versions
from reports.cohort import Row, row_of

DECIDING = ("attest", "torch")  # the versions that a verdict may depend on


def refuse_another_assignment(out: Output, assignment: Assignment) -> None:
    """Raise OutputError where OUT holds what was graded of another assignment."""
    graded = out.earlier.assignment.id if out.earlier else assignment.id
    if graded != assignment.id:
        raise OutputError(
            f"{out.shown}: holds a run of the assignment {graded}, not of {assignment.id}. Name that "
            "assignment, or another folder."
        )


def choose_seed(asked: int | None, out: Output) -> int:
    """Return the seed of the run: that of the run gone on with, or the one asked for, or a new secret one."""
    earlier = out.gone_on_with
    if earlier is None:
        return asked if asked is not None else new_seed()
    if asked not in (None, earlier.seed):
        raise OutputError(
            f"{out.shown}: the earlier run has seed {earlier.seed}, not {asked}. "
            "Leave --seed out to go on with it, or grade everybody again with --force."
        )
    return earlier.seed


def rows_that_stay(
    out: Output, found: Iterable[Found], assignment: Assignment, backend: str, device: str
) -> dict[str, Row]:
    """Return the rows of the students whose earlier results still hold, with what is known of them now.

    Results that change by that are written.
    """
    by_student = {each.student.id: each for each in found}
    valid = _still_valid(out, by_student, assignment, backend, device)
    return {result.student.id: row_of(result) for result in laid_over(valid, by_student, out)}


def _still_valid(
    out: Output, found: Mapping[str, Found], assignment: Assignment, backend: str, device: str
) -> Iterator[Result]:
    """Yield the earlier results of submissions that have not changed since, and were graded as is asked now.

    One that other tests, another backend, device, or version of Attest or torch came to is not among them,
    nor is one of a submission that could not be graded by our own fault.
    """
    for result in kept_results(out):
        if (
            result.student.id in found
            and is_current(result, assignment, backend, device)
            and unchanged(result, found[result.student.id], assignment)
        ):
            yield result


def is_current(result: Result, assignment: Assignment, backend: str, device: str) -> bool:
    """Whether the present tests and versions came to it, on this backend and device."""
    now = versions()
    return (
        result.assignment == assignment.info
        and (result.backend, result.device) == (backend, device)
        and all(public(result.versions.get(name, "")) == public(now[name]) for name in DECIDING)
    )


def unchanged(result: Result, found: Found, assignment: Assignment) -> bool:
    """Whether what was handed in is still what `result` is about."""
    try:
        if result.status is Status.GRADED:
            return found.read(words="any").content_hash == result.submission.content_hash
        if result.status is Status.UNREADABLE:
            found.read(assignment.files, names=assignment.names, words=assignment.words)
    except UnreadableSubmission as unreadable:
        return result.status is Status.UNREADABLE and str(unreadable) == result.message
    except Exception:  # it is graded again, which says what is wrong with it
        return False
    return False


def what_differs(earlier: RunInfo, assignment: Assignment, backend: str, device: str) -> str:
    """Say because of what everybody is graded again, whoever has changed nothing too; "" for nothing."""
    now = versions()
    if earlier.assignment != assignment.info:
        return "with other tests than there are now"
    if (earlier.backend, earlier.device) != (backend, device):
        return f"in the sandbox {earlier.backend} on {earlier.device}"
    other = [name for name in DECIDING if public(earlier.versions.get(name, "")) != public(now[name])]
    if other:
        return "with " + " and ".join(f"{name} {earlier.versions.get(name, '(unknown)')}" for name in other)
    return ""
