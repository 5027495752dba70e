"""What each LMS does with a score that a tool sends: Moodle as measured, the others as their makers write.

Sources: Moodle 4.5.6, measured, and its mod/lti/service/gradebookservices; Canvas, its scores_controller.rb;
1EdTech Assignment and Grade Services 2.0; Blackboard's note 3900.34, on `gradesReleased`; D2L's on AGS.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.lti.platform.world import Course, Grade, LineItem

SCORE = "application/vnd.ims.lis.v1.score+json"
CANVAS_SUBMISSION = "https://canvas.instructure.com/lti/submission"
_ACTIVITY = {"Initialized", "Started", "InProgress", "Submitted", "Completed"}
_GRADING = {"FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"}
_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)")


@dataclass(frozen=True)
class Reply:
    """What an LMS answers to a score."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


def seconds(timestamp: object) -> float | None:
    """An ISO 8601 time with its zone, or None for anything else."""
    if not isinstance(timestamp, str) or not _WHEN.fullmatch(timestamp):
        return None
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class Gradebook:
    """As 1EdTech's text has it. What differs in an LMS is a class of its own below."""

    older = 409
    wrong = 400
    unknown_user = 404
    same_is_older = True

    def take(self, course: Course, item: LineItem, score: Any, now: float) -> Reply:
        """Take one score, or say why not."""
        fault = self._fault(course, score)
        if fault:
            return self._no(fault[0], fault[1])
        when = seconds(score["timestamp"])
        assert when is not None
        grade = item.grades.setdefault(score["userId"], Grade())
        if self._is_older(when, grade.changed_at):
            kept = datetime.fromtimestamp(grade.changed_at).astimezone().isoformat()
            why = f"Provided timestamp of {score['timestamp']} before last updated timestamp of {kept}"
            return self._no(self.older, why)
        refusal = self._attempt(item, grade, score)
        if refusal is not None:
            return refusal
        grade.changed_at = self._kept_time(when)
        grade.grading_progress = score["gradingProgress"]
        self._keep(item, grade, score)
        return self._yes(item, score)

    def results(self, item: LineItem, url: str, user: str | None) -> list[dict[str, Any]]:
        """What a tool reads of a column whose address is `url`."""
        return [
            self._result(item, url, subject, grade)
            for subject, grade in item.grades.items()
            if user in (None, subject)
        ]

    def change(self, item: LineItem, told: Mapping[str, Any]) -> None:
        """A tool changes a column."""
        if _is_number(told.get("scoreMaximum")):
            item.maximum = float(told["scoreMaximum"])
        item.label = str(told.get("label", item.label))
        item.resource_id = str(told.get("resourceId", item.resource_id))
        item.tag = str(told.get("tag", item.tag))
        for name in ("startDateTime", "endDateTime", "gradesReleased"):
            if name in told:
                item.more[name] = told[name]

    def _fault(self, course: Course, score: Any) -> tuple[int, str] | None:
        if not isinstance(score, dict) or not isinstance(score.get("userId"), str):
            return self.wrong, "no userId"
        if seconds(score.get("timestamp")) is None:
            return self.wrong, f"timestamp: {score.get('timestamp')!r} is no time with a zone"
        if score.get("activityProgress") not in _ACTIVITY or score.get("gradingProgress") not in _GRADING:
            return self.wrong, "activityProgress or gradingProgress"
        given, most = score.get("scoreGiven"), score.get("scoreMaximum")
        if given is not None and not (_is_number(given) and _is_number(most)):
            return self.wrong, "scoreGiven without scoreMaximum, or no number"
        member = course.members.get(score["userId"])
        if member is None or not member.is_student:
            return self.unknown_user, "no such student"
        return None

    def _is_older(self, when: float, kept: float) -> bool:
        return bool(kept) and (when <= kept if self.same_is_older else when < kept)

    def _kept_time(self, when: float) -> float:
        return when

    def _attempt(self, item: LineItem, grade: Grade, score: Mapping[str, Any]) -> Reply | None:
        return None

    def _keep(self, item: LineItem, grade: Grade, score: Mapping[str, Any]) -> None:
        counts = score["gradingProgress"] == "FullyGraded" and score.get("scoreGiven") is not None
        grade.score = (
            score["scoreGiven"] * item.maximum / (score.get("scoreMaximum") or 1) if counts else None
        )
        grade.comments = [score["comment"]] if score.get("comment") else []

    def _result(self, item: LineItem, url: str, subject: str, grade: Grade) -> dict[str, Any]:
        told: dict[str, Any] = {
            "id": _under(url, f"results/{subject}"),
            "scoreOf": url,
            "userId": subject,
        }
        if grade.score is not None:
            told |= {"resultScore": grade.score, "resultMaximum": item.maximum}
        if grade.comments:
            told["comment"] = grade.comments[-1]
        return told

    def _yes(self, item: LineItem, score: Mapping[str, Any]) -> Reply:
        return Reply(204)

    def _no(self, status: int, why: str) -> Reply:
        return Reply(status, {"errors": {"type": "invalid", "message": why}})


class Moodle(Gradebook):
    """Moodle 4.5: seconds, clamps to the column, says nothing about what was wrong."""

    unknown_user = 400

    def change(self, item: LineItem, told: Mapping[str, Any]) -> None:
        before = item.maximum
        super().change(item, told)
        for grade in item.grades.values():
            if grade.score is not None:
                grade.score *= item.maximum / before

    def _is_older(self, when: float, kept: float) -> bool:
        return bool(kept) and int(when) <= kept

    def _kept_time(self, when: float) -> float:
        return int(when)

    def _keep(self, item: LineItem, grade: Grade, score: Mapping[str, Any]) -> None:
        super()._keep(item, grade, score)
        if grade.score is not None:
            grade.score = min(max(grade.score, 0.0), item.maximum)

    def _result(self, item: LineItem, url: str, subject: str, grade: Grade) -> dict[str, Any]:
        told: dict[str, Any] = {"id": _under(url, "results", user_id=subject), "userId": subject}
        if grade.score is not None:
            told |= {"resultScore": grade.score, "resultMaximum": item.maximum, "scoreOf": url}
            if grade.comments:
                told["comment"] = grade.comments[-1]
            told["timestamp"] = datetime.fromtimestamp(grade.changed_at).astimezone().isoformat()
        return told

    def _yes(self, item: LineItem, score: Mapping[str, Any]) -> Reply:
        return Reply(200, [])

    def _no(self, status: int, why: str) -> Reply:
        return Reply(status, [])


class Canvas(Gradebook):
    """Canvas: a score is an attempt unless it says that it is none; comments are added, never replaced."""

    older = 400
    unknown_user = 422
    same_is_older = False

    def _fault(self, course: Course, score: Any) -> tuple[int, str] | None:
        fault = super()._fault(course, score)
        if fault is None and score["gradingProgress"] in ("FullyGraded", "PendingManual"):
            most = score.get("scoreMaximum")
            if most is None:
                return 422, "ScoreMaximum not supplied when ScoreGiven present."
            if most < 0:
                return 422, "ScoreMaximum must be greater than or equal to 0"
        return fault

    def _attempt(self, item: LineItem, grade: Grade, score: Mapping[str, Any]) -> Reply | None:
        more = score.get(CANVAS_SUBMISSION) or {}
        if not more.get("new_submission", more.get("submission_type") != "none"):
            return None
        if item.attempts_allowed is not None and grade.attempts >= item.attempts_allowed:
            return self._no(
                422, "The maximum number of allowed attempts has been reached for this submission"
            )
        grade.attempts += 1
        return None

    def _keep(self, item: LineItem, grade: Grade, score: Mapping[str, Any]) -> None:
        counts = score["gradingProgress"] in ("FullyGraded", "PendingManual")
        if not counts:
            grade.score = None
        elif score.get("scoreGiven") is not None:
            grade.score = score["scoreGiven"] * item.maximum / (score.get("scoreMaximum") or 1)
        if score.get("comment"):
            grade.comments.append(score["comment"])

    def _yes(self, item: LineItem, score: Mapping[str, Any]) -> Reply:
        return Reply(200, {"resultUrl": f"results/{score['userId']}"})

    def _no(self, status: int, why: str) -> Reply:
        return Reply(
            status,
            {"errors": {"type": "unprocessable_entity" if status == 422 else "bad_request", "message": why}},
        )


class Blackboard(Gradebook):
    """Blackboard: a column's `gradesReleased` says whether students see what is in it."""

    def seen_by_students(self, item: LineItem, subject: str) -> float | None:
        grade = item.grades.get(subject)
        return grade.score if grade and item.more.get("gradesReleased", True) else None


class Brightspace(Gradebook):
    """Brightspace: a link has no column until the tool makes one; what is above its maximum is cut off."""

    def _keep(self, item: LineItem, grade: Grade, score: Mapping[str, Any]) -> None:
        super()._keep(item, grade, score)
        if grade.score is not None:
            grade.score = min(grade.score, item.maximum)


GRADEBOOKS: dict[str, type[Gradebook]] = {
    "moodle": Moodle,
    "canvas": Canvas,
    "blackboard": Blackboard,
    "brightspace": Brightspace,
    "other": Gradebook,
}


def _under(url: str, path: str, **query: str) -> str:
    """An address below a column's, which may have a query."""
    start, mark, old = url.partition("?")
    words = [old] if mark else []
    words += [f"{name}={value}" for name, value in query.items()]
    return f"{start}/{path}" + (f"?{'&'.join(words)}" if words else "")
