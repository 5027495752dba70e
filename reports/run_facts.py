"""What a report says of the run itself at its foot: which work, which versions, how long it took."""

from __future__ import annotations

from collections.abc import Sequence

from graders.result import CheckResult, Result, Status
from reports.amounts import MomentText, bytes_text, moment_text, seconds_text
from reports.visible_text import one_line


def run_facts(
    result: Result, shown: Sequence[CheckResult], instructor: bool, moment: MomentText = moment_text
) -> list[tuple[str, str]]:
    """Return (name, text) of each fact; those about the machine are for the instructor alone."""
    peak = max((c.peak_memory_bytes or 0 for c in shown), default=0)
    took = (result.finished_at - result.started_at).total_seconds()
    versions = ", ".join(
        f"{one_line(k, 40)} {one_line(v, 40)}" for k, v in list(result.versions.items())[:12]
    )
    facts = [
        (
            "Assignment",
            f"{one_line(result.assignment.id, 80)}, version {one_line(result.assignment.version, 40)}",
        ),
        ("Attempt", _attempt(result)),
        ("Handed in", moment(result.submission.submitted_at) if result.submission.submitted_at else ""),
        ("Files", ", ".join(one_line(f, 80) for f in result.submission.files[:8])),
        ("Graded", moment(result.finished_at)),
        ("Time", seconds_text(took) if took >= 0 else ""),
        ("Peak memory", bytes_text(peak) if peak else ""),
        ("Fingerprint", one_line(result.submission.content_hash, 19)),
        ("Versions", versions),
    ]
    if instructor:
        facts += [
            ("Source", one_line(result.submission.source, 300)),
            ("Sandbox", _sandbox(result)),
            ("Seed", str(result.seed)),
        ]
    if result.status in (Status.NOT_GRADED, Status.NOTHING):
        facts = [f for f in facts if f[0] not in {"Peak memory", "Time"}]
    if result.status is Status.NOTHING:
        facts = [f for f in facts if f[0] != "Attempt"]
    return [(name, value) for name, value in facts if value]


def _attempt(result: Result) -> str:
    """Return which attempt this is, and which others there were."""
    number = str(result.submission.attempt)
    others = len(result.submission.attempts)
    return f"{number} of {others}" if others > 1 else number


def _sandbox(result: Result) -> str:
    backend = "none (no isolation was used)" if result.backend == "none" else one_line(result.backend, 40)
    return f"{backend} on {one_line(result.device, 40)}"
