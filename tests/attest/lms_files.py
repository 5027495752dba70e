"""Tables as Canvas and Moodle give them, and Results that belong into them."""

from __future__ import annotations

from datetime import UTC, datetime

from graders.result import (
    AssignmentInfo,
    CheckResult,
    Late,
    LoadResult,
    Result,
    RubricResult,
    Status,
    Student,
    SubmissionInfo,
    Verdict,
)

NOW = datetime(2026, 11, 30, tzinfo=UTC)
HEBREW = "\u05e0\u05d5\u05e2\u05d4 \u05dc\u05d5\u05d9"
UMLAUT = "Mu\u0308ller"  # in NFD
LONG = "x" * 4_000


def result(
    identity: str,
    points: float = 7.5,
    *,
    name: str = "",
    status: Status = Status.GRADED,
    waits: float = 0.0,
    broken: float = 0.0,
    late: Late | None = None,
    **ids: str,
) -> Result:
    def check(n: int, earned: float, most: float, verdict: Verdict) -> CheckResult:
        return CheckResult(
            id=f"e/{n}", exercise="e", title="t", points=earned, max_points=most, verdict=verdict
        )

    checks = [check(1, points, 10 - waits - broken, Verdict.FAILED)]
    checks += [check(2, 0, broken, Verdict.BROKEN)] if broken else []
    graded = status is Status.GRADED
    return Result(
        status=status,
        student=Student(id=identity, name=name, ids=tuple(ids.items()), email=ids.get("email", "")),
        assignment=AssignmentInfo(id="hw1", title="HW 1", version="1", exercises=(("e", "E"),)),
        submission=SubmissionInfo(source="x"),
        load=LoadResult(path="x.py", kind="script"),
        checks=tuple(checks) if graded else (),
        rubric=(RubricResult(id="e/r", exercise="e", title="t", max_points=waits),) if waits else (),
        started_at=NOW,
        finished_at=NOW,
        backend="none",
        device="cpu",
        seed=1,
        late=late,
    )


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,HW 1 (77),HW 2 (78),Current Score\r\n"
    "    Points Possible,,,,,10.00,5,(read only)\r\n"
    '"Doe, Jane ""JD""",4711,S1,jdoe,"A, B",,,\r\n'
    f"{HEBREW},4712,S2,noa,A,3.00,1,\r\n"
    f'"O\'Neill, {UMLAUT}",4713,S3,max,A,"",,=1+1\r\n'
    "Lee,4714,S4,lee,A,EX,,\r\n"
    f"{LONG},4715,S5,long,A,,,\r\n"
    '"Doe, Jane",4716,S6,jane2,A,,,\r\n'
    "Nobody,4799,S9,nobody,A,,,\r\n"
    '"Student, Test",5000,,abc,,,,\r\n'
)
CANVAS_RESULTS = [
    result("doejane_4711", 7.5, canvas="4711"),
    result("noa", 8),
    result("x", 10, sis="S3"),
    result("lee_4714", 4, canvas="4714"),
    result("y", 2, canvas="4715", late=Late(due_at=NOW, percent=50)),
    result("z", 3, canvas="4716"),
    result("stranger", 9, canvas="1"),
]


MOODLE = (
    '\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"\n'
    '"Participant 23","Doe, Jane",a@x.edu,"Submitted for grading",,10.00,Yes,'
    '"Monday, 30 November 2026, 10:58 AM",-,"=cmd|\' /C calc\'!A0"\n'
    f'"Participant 24","{UMLAUT} J\u00f6rg_Max",b@x.edu,-,4.00,10.00,No,-,-,"two\nlines"\n'
    f'"Participant 25","{HEBREW}",c@x.edu,-,,10.00,Yes,-,-,\n'
    '"Participant 26","Kim Lee",d@x.edu,-,,10.00,Yes,-,-,\n'
    '"Participant 27","Ida Ray",e@x.edu,-,,10.00,Yes,-,-,\n'
)
MOODLE_RESULTS = [
    result("Jane Doe_23", 7, name="Jane Doe", moodle="23"),
    result("j_24", 6, name=f"{UMLAUT} J\u00f6rg_Max", moodle="24"),
    result("c@x.edu", 5, name="Noa"),
    result("Group A-Kim Lee_26", 4, name="Group A-Kim Lee", moodle="26"),
    result("Other Person_27", 3, name="Other Person", moodle="27"),
]
