"""Every page of the portal, and as whom and in which state it is looked at; a new address has a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Visit:
    """Somebody looks at a page; with `press` they fill a form of it and press its button."""

    who: str  # whose session: see tests/portal/world.py; "" for nobody's
    numbers: Mapping[str, str] = field(default_factory=dict)  # the address's parameter: what it names there
    query: str = ""
    fill: Mapping[str, str] = field(default_factory=dict)  # by the fields' ids
    press: str = ""

    def __str__(self) -> str:
        parts = [self.who or "nobody", *self.numbers.values(), self.query, self.press, *self.fill.values()]
        return " ".join(part for part in parts if part)


def of(kind: str, *visits: tuple[str, str]) -> list[Visit]:
    """Return visits of pages that name one thing: who, and which."""
    return [Visit(who, {kind: which}) for who, which in visits]


EMPTY = {"course_id": "empty"}
OPEN = {"regrade_request_id": "request"}
STUDENT = {"person_number": "student"}
MEMBER = {"membership_id": "membership"}
COMMENT = {"assignment_id": "in-words", "comment_id": "comment"}
QUESTION = {"assignment_id": "in-words", "exercise": "doubling"}
LOOKED_AT = (
    ("grader", "assignment"),
    ("instructor", "assignment"),
    ("instructor", "secret"),
    ("teacher", "large-assignment"),
    ("teacher", "empty-assignment"),
)

VISITS: Mapping[str, Sequence[Visit]] = {
    "courses": [Visit("newcomer"), Visit("student"), Visit("busy"), Visit("administrator")],
    "sign-in": [
        Visit(""),
        Visit("", press="Sign in"),
        Visit("", fill={"email": "lena@example.edu", "password": "wrong"}, press="Sign in"),
    ],
    "set-password": [Visit(""), Visit("", fill={"password": "short"}, press="Set password and sign in")],
    "me": [
        Visit("student"),
        Visit("newcomer"),
        Visit("student", fill={"present": "wrong"}, press="Change password"),
    ],
    "tokens": [Visit("newcomer"), Visit("student"), Visit("busy"), Visit("newcomer", press="Make a token")],
    "people": [Visit("administrator"), Visit("administrator", query="?q=nobody-is-called-so")],
    "person": [
        Visit("administrator", STUDENT),
        Visit("administrator", {"person_number": "from-lms"}),
        Visit("administrator", {"person_number": "newcomer"}),
        Visit("administrator", STUDENT, press="Make a link to set a password"),
        Visit("administrator", STUDENT, press="Keep them out"),
    ],
    "whole-audit": [Visit("administrator"), Visit("administrator", query="?page=2")],
    "platforms": [
        Visit("administrator"),
        Visit("administrator", press="Make an address"),
    ],
    "new-platform": [
        *(Visit("administrator", query=f"?family={family}") for family in ("moodle", "canvas", "other")),
        Visit("administrator", query="?family=sakai", fill={"issuer": "nowhere"}, press="Register"),
    ],
    "platform": [
        Visit("administrator", {"platform_number": "platform"}),
        Visit("administrator", {"platform_number": "platform"}, press="Test the connection"),
    ],
    "course-lms": of("course_id", ("instructor", "course"), ("teacher", "empty"), ("teacher", "large")),
    "new-course": [Visit("administrator"), Visit("administrator", press="Make the course")],
    "edit-course": [
        Visit("instructor", {"course_id": "course"}),
        Visit("instructor", {"course_id": "course"}, fill={"title": " "}, press="Change them"),
    ],
    "course": of(
        "course_id",
        ("student", "course"),
        ("grader", "course"),
        ("instructor", "course"),
        ("busy", "large"),
        ("teacher", "empty"),
        ("administrator", "empty"),
    ),
    "roster": [
        *of("course_id", ("instructor", "course"), ("teacher", "large"), ("teacher", "empty")),
        Visit("teacher", EMPTY, press="Read the roster"),
        Visit("instructor", {"course_id": "course"}, press="Make a link for Classmate"),
    ],
    "new-assignment": [
        Visit("teacher", EMPTY),
        Visit(
            "teacher",
            EMPTY,
            fill={"folder": "nowhere", "due_at": "soon", "late_policy": "much"},
            press="Add it",
        ),
    ],
    "audit": of("course_id", ("instructor", "course"), ("teacher", "large"), ("teacher", "empty")),
    "assignment": [
        *of(
            "assignment_id",
            ("student", "assignment"),
            ("classmate", "assignment"),
            ("instructor", "assignment"),
            ("busy", "large-assignment"),
            ("student", "real"),
            ("student", "due"),
            ("classmate", "due"),
            ("student", "closed"),
            ("student", "released"),
            ("student", "to-come"),
            ("teacher", "empty-assignment"),
        ),
        Visit("student", {"assignment_id": "assignment"}, press="Hand in"),
    ],
    "new-member": [Visit("teacher", EMPTY), Visit("teacher", EMPTY, press="Add them")],
    "member": of(
        "membership_id", ("instructor", "membership"), ("grader", "membership"), ("teacher", "member")
    ),
    "edit-member": [
        Visit("instructor", MEMBER),
        Visit("instructor", MEMBER, press="Remove them"),
    ],
    "dashboard": of("assignment_id", *LOOKED_AT),
    "submissions": [
        *of("assignment_id", *LOOKED_AT),
        Visit("instructor", {"assignment_id": "assignment"}, query="?q=nobody-is-called-so"),
    ],
    "extensions": [
        *of(
            "assignment_id",
            ("instructor", "due"),
            ("instructor", "assignment"),
            ("teacher", "empty-assignment"),
        ),
        Visit("instructor", {"assignment_id": "due"}, press="Give it"),
        Visit("instructor", {"assignment_id": "due"}, press="Read the table"),
    ],
    "release": [
        *of(
            "assignment_id",
            ("instructor", "secret"),
            ("instructor", "released"),
            ("instructor", "assignment"),
            ("teacher", "empty-assignment"),
        ),
        Visit("instructor", {"assignment_id": "released"}, press="Take the release back"),
    ],
    "rules": [
        *of("assignment_id", ("instructor", "due"), ("teacher", "empty-assignment")),
        Visit("instructor", {"assignment_id": "due"}, fill={"title": ""}, press="Change the rules"),
        Visit("teacher", {"assignment_id": "empty-assignment"}, press="Remove it"),
    ],
    "downloads": of("assignment_id", ("instructor", "assignment"), ("teacher", "empty-assignment")),
    "lms-scores": [
        *of("assignment_id", ("instructor", "assignment"), ("teacher", "empty-assignment")),
        Visit("instructor", {"assignment_id": "assignment"}, press="Send all that were refused again"),
    ],
    "override": [
        *of("submission_id", ("instructor", "graded"), ("instructor", "late")),
        Visit("instructor", {"submission_id": "graded"}, press="Give these points"),
    ],
    "points-without": [
        Visit("instructor", {"assignment_id": "released", **MEMBER}),
        Visit("instructor", {"assignment_id": "closed", **MEMBER}),
        Visit("instructor", {"assignment_id": "closed", **MEMBER}, press="Give these points"),
    ],
    "submission": of(
        "submission_id",
        ("student", "graded"),
        ("instructor", "graded"),
        ("student", "may-ask"),
        ("classmate", "running"),
        ("classmate", "queued"),
        ("classmate", "given-up"),
        ("student", "unreleased"),
        ("student", "late"),
        ("student", "nothing"),
    ),
    "ask-for-regrade": [
        Visit("student", {"submission_id": "may-ask"}),
        Visit("student", {"submission_id": "may-ask"}, press="Ask"),
    ],
    "regrade-requests": of(
        "assignment_id",
        ("grader", "assignment"),
        ("instructor", "assignment"),
        ("teacher", "large-assignment"),
        ("teacher", "empty-assignment"),
    ),
    "regrade-request": [
        Visit("instructor", OPEN),
        Visit("instructor", OPEN, press="Answer"),
        Visit("instructor", {"regrade_request_id": "answered"}),
    ],
    "marking": [
        *of(
            "assignment_id",
            ("grader", "in-words"),
            ("instructor", "in-words"),
            ("teacher", "empty-assignment"),
        ),
        Visit("instructor", {"assignment_id": "in-words"}, press="Take in the marks"),
    ],
    "agreement": of("assignment_id", ("grader", "in-words"), ("instructor", "in-words")),
    "marking-rubric": [
        *of("assignment_id", ("grader", "in-words"), ("teacher", "empty-assignment")),
        Visit("grader", {"assignment_id": "in-words"}, press="Offer these points"),
        Visit("grader", {"assignment_id": "in-words"}, press="Add the comment"),
    ],
    "level": [
        *of("level_id", ("grader", "level")),
        Visit("instructor", {"level_id": "level"}, fill={"points": "-1"}, press="Keep"),
        Visit("instructor", {"level_id": "level"}, fill={"points": "1.5"}, press="Keep"),
    ],
    "comment": [
        Visit("grader", COMMENT),
        Visit("grader", COMMENT, fill={"points": "many", "text": ""}, press="Keep"),
    ],
    "question": [Visit("grader", QUESTION), Visit("second", QUESTION)],
    "next-answer": [Visit("second", QUESTION)],
    "alike": [Visit("grader", QUESTION), Visit("second", QUESTION)],
    "answer": of("answer_id", ("grader", "marked"), ("second", "unmarked"), ("instructor", "marked")),
    "regrade": [
        *of("assignment_id", ("instructor", "assignment"), ("instructor", "due")),
        Visit("instructor", {"assignment_id": "assignment"}, press="Grade again"),
        Visit(
            "teacher",
            {"assignment_id": "empty-assignment"},
            fill={"which": "student", "why": "Look again."},
            press="Grade again",
        ),
    ],
    "regrade-changes": [
        Visit("instructor", {"regrade_id": "regrade"}),
        Visit("instructor", {"regrade_id": "regrade"}, press="Accept all"),
    ],
    "result-report": of("graded_id", ("instructor", "again")),
    "adjustments": [
        *of("assignment_id", ("instructor", "due"), ("instructor", "assignment")),
        Visit("instructor", {"assignment_id": "assignment"}, press="Show what changes"),
        Visit("instructor", {"assignment_id": "due"}, press="Show what taking it back changes"),
        Visit(
            "instructor",
            {"assignment_id": "assignment"},
            fill={"check": "doubling/test_values", "why": "It was too strict."},
            press="Show what changes",
        ),
    ],
    "likeness": of("assignment_id", ("instructor", "assignment"), ("teacher", "empty-assignment")),
    "like-pair": [
        *of("like_pair_id", ("instructor", "pair"), ("instructor", "dismissed")),
        Visit("instructor", {"like_pair_id": "pair"}, press="Dismiss"),
        Visit("instructor", {"like_pair_id": "dismissed"}, press="Take it up again"),
    ],
    "uploads": [
        *of("course_id", ("instructor", "course"), ("administrator", "course"), ("teacher", "empty")),
        Visit("administrator", {"course_id": "course"}, press="Upload and validate"),
    ],
    "upload": [
        *of("uploaded_id", ("instructor", "uploaded"), ("administrator", "uploaded")),
        Visit("administrator", {"uploaded_id": "faulty-upload"}),
        Visit("administrator", {"uploaded_id": "faulty-upload"}, press="Remove it"),
    ],
    "validation": of("uploaded_id", ("instructor", "uploaded"), ("instructor", "faulty-upload")),
    "report": of("submission_id", ("student", "graded"), ("instructor", "late")),
}

# What is no page: files to save, parts of pages, answers to programs, and forms without a page of their own.
NO_PAGE = {
    "sign-out",
    "remove-token",
    "link",  # reached from the roster, above
    "links",
    "hand-in",
    "handout",
    "handout-file",
    "file",
    "export-me",
    "export-person",
    "state",
    "queue",
    "events",
    "mark",
    "new-level",  # forms of the page of the rubric
    "new-comment",
    "marking-blind",  # forms of the page of marking
    "marking-rules",
    "marks",
    "marks-sheet",
    "gradebook",  # a form of the page of downloads
    "grades",
    "reports-zip",
    "files-zip",
    "asset",
    "api-hand-in",
    "api-submission",
    "lti-login",  # what an LMS sends, and pages in its frame: tests/portal/test_lms_frames.py
    "lti-launch",
    "lti-kept",
    "lti-open",
    "lti-choose",
    "lti-register",
    "lti-jwks",
    "health",
    "ready",
    "metrics",
}
WITHOUT_AN_ADMINISTRATOR = {"first-administrator"}
