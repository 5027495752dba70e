"""Answers in words for tests: Results as a grader would return them, with a rubric of two items."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from attest.portal.courses.models import Membership, Role
from attest.portal.grading import queue
from attest.portal.grading.models import Graded
from attest.portal.grading.results import keep
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.marking.models import Level, ReusableComment, WrittenAnswer
from attest.portal.people.models import Person
from graders.result import Answer, AnswerPiece, Fact, Result, RubricResult
from tests.portal.school import School, make_person, result_of

WHY, WHEN = "doubling/why", "doubling/when"
ITEMS = ((WHY, "Says why", 2.0), (WHEN, "Says when", 1.0))


def with_words(result: Result, words: str, *, items: Sequence[tuple[str, str, float]] = ITEMS) -> Result:
    """A Result in which these words were found; none where they are empty."""
    answer = Answer(
        exercise="doubling",
        asks="Why is it doubled?",
        pieces=(AnswerPiece(where="lena_ito.ipynb, Markdown cell 3", text=words),) if words else (),
        content_hash=f"sha256:{hashlib.sha256(words.encode()).hexdigest()}",
    )
    rubric = tuple(
        RubricResult(
            id=item,
            exercise="doubling",
            title=title,
            max_points=most,
            points=None if words else 0.0,
            guidance="Look for the sum.",
            answered=bool(words),
        )
        for item, title, most in items
    )
    first = result.checks[0].model_copy(update={"facts": (Fact(name="calls", text="66,048"),)})
    return result.model_copy(
        update={"answers": (answer,), "rubric": rubric, "checks": (first, *result.checks[1:])}
    )


def write(
    school: School,
    person: Person,
    words: str,
    points: tuple[float, float] = (2, 3),
    *,
    items: Sequence[tuple[str, str, float]] = ITEMS,
) -> Submission:
    """Hand in an attempt of somebody, and have it graded: these points by its checks, and these words."""
    content = f"# {words} {points} {person.submissions.count()}"
    submission = take(school.assignment, person, [("double.py", content.encode())])
    keep_words(submission, words, points, items=items)
    return submission


def keep_words(
    submission: Submission,
    words: str,
    points: tuple[float, float] = (2, 3),
    *,
    items: Sequence[tuple[str, str, float]] = ITEMS,
) -> Graded:
    """Keep a Result with words of the next job of a submission."""
    job = queue.claim("a test", job_id=submission.jobs.latest("id").pk)
    assert job is not None
    graded = keep(job, "a test", with_words(result_of(submission, points), words, items=items))
    assert graded is not None
    return graded


def classmates(school: School, number: int) -> list[Person]:
    """So many more students in the course."""
    people = [make_person(f"person{n}") for n in range(number)]
    for person in people:
        Membership.objects.create(
            course=school.course, person=person, role=Role.STUDENT, student_id=f"id-{person.name}"
        )
    return people


def another_grader(school: School, name: str = "second") -> Person:
    person = make_person(name)
    Membership.objects.create(course=school.course, person=person, role=Role.GRADER)
    return person


def answer_of(person: Person) -> WrittenAnswer:
    """Somebody's latest answer."""
    return WrittenAnswer.objects.filter(person=person).latest("pk")


def marking_things(school: School) -> dict[str, object]:
    """What addresses name of the student's marking: as it is, or made for it."""
    answer = WrittenAnswer.objects.filter(person=school.student).first() or WrittenAnswer.objects.create(
        assignment=school.assignment, person=school.student, exercise="doubling", is_answered=False
    )
    level, _ = Level.objects.get_or_create(assignment=school.assignment, item=WHY, points=1)
    comment, _ = ReusableComment.objects.get_or_create(course=school.course, item=WHY, text="Say more.")
    return {"answer_id": answer.key, "level_id": level.pk, "comment_id": comment.pk}


def level(item: str, points: float) -> Level:
    return Level.objects.get(item=item, points=points)


def send(
    school: School, by: Person, answer: WrittenAnswer, of: str, points: float | None, **fields: object
) -> tuple[int, dict[str, object]]:
    """Mark one item as the page's script does; return the status and what was said."""
    sent = {
        "item": of,
        "level": "" if points is None else str(level(of, points).pk),
        "version": "0",
        "edit": "",
        **fields,
    }
    said = school.browser(by).post(
        f"/answers/{answer.key}/mark/", sent, headers={"Accept": "application/json"}
    )
    return said.status_code, said.json()
