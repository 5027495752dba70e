"""A portal in which much has happened: of each thing there is none, one and many; every table has rows."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from attest.portal.adjusting.models import AdjustedCheck
from attest.portal.audit.trail import note
from attest.portal.courses.models import Course, CourseAssignment, Extension, Membership, Role, Section
from attest.portal.errands.models import Errand
from attest.portal.grading import queue
from attest.portal.grading.models import Job, Override, RegradeRequest, Release
from attest.portal.grading.progress import Progress
from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.likeness.models import CohortComparison, ComparedAttempt, DismissedPair, LikePair
from attest.portal.marking.models import Mark, MarkingRules, Reader, ReusableComment
from attest.portal.people.models import Person, PersonalToken
from attest.portal.people.rates import SIGN_IN_PERSON, count
from attest.portal.people.views import password_link
from attest.portal.regrading.models import Acceptance, Regrade, RegradedAttempt
from attest.portal.uploads.models import UploadedFolder, UsedUpload
from graders.result import Verdict
from reports.validation_page import Column, ExerciseTable, Program, Validation, validation_html
from reports.validation_page import Mark as ShownMark
from tests.attest.conftest import WRONG
from tests.portal.filling import World
from tests.portal.linked import link_school, scores_on_their_way
from tests.portal.prose import WHY, another_grader, answer_of, keep_words, level
from tests.portal.school import PASSWORD, School, keep_result, make_assignment, make_person, make_school
from tests.portal.sessions import session_of

REAL = "basics"  # one that comes with Attest, with a handout as they are
MANY = 120  # more than fit on one page of any list
_CLASS = "one-of-many"


def fill(world: World, folder: Path) -> None:
    """Make everything; `folder` is a small assignment's."""
    school = make_school(folder)
    newcomer = make_person("newcomer", password=PASSWORD)
    world.numbers["newcomer"] = newcomer.pk
    world.paths["set-password"] = password_link(make_person("forgetful"))
    count(SIGN_IN_PERSON, newcomer.email)
    one_of_each(world, school)
    late_work(world, school)
    words(world, school)
    second_thoughts(world, school)
    likenesses(world, school)
    linked(world, school)
    many_of_each(world, folder)
    for person in Person.objects.exclude(email__startswith=_CLASS):
        world.sessions[person.email.partition("@")[0]] = session_of(person)


def one_of_each(world: World, school: School) -> None:
    """What can happen to a submission, once each."""
    course, assignment, student = school.course, school.assignment, school.student
    assignment.title = "To begin with"  # the others are called as their folder says
    assignment.save()
    school.membership.section = Section.objects.create(course=course, name="A")
    school.membership.ids = {"canvas": "4711"}
    school.membership.save()
    graded = keep_result(school.submission, (0, 0))
    answered = RegradeRequest.objects.create(
        submission=school.submission,
        check_id="doubling/test_public",
        sentence="Six is what comes.",
        state=RegradeRequest.State.GRANTED,
        answer="So it is.",
        answered_by=school.instructor,
        answered_at=timezone.now(),
    )
    Override.objects.create(
        submission=school.submission,
        check_id=answered.check_id,
        points=2,
        reason=answered.answer,
        by=school.instructor,
    )
    note(
        school.instructor,
        "regrade granted",
        f"submission {school.submission.pk}",
        course=course,
        whom=student,
        before={"points": 0.0},
        after={"points": 2.0},
        why=answered.answer,
    )
    may_ask = hand_in(assignment, student, "def double(x):\n    return x\n")
    keep_result(may_ask, (2, 0))
    taken = keep_result(hand_in(assignment, student, WRONG))
    taken.taken_from = graded
    taken.save()
    PersonalToken.issue(student, "laptop")

    running, queued, given_up = (hand_in(assignment, school.classmate, f"x = {n}\n") for n in range(3))
    job = queue.claim("a worker", job_id=running.jobs.get().pk)
    assert job is not None
    progress = Progress().and_then("`double(3)` is 6.", "passed", 5).and_then("It doubles.", "failed", 5)
    queue.prolong(job, "a worker", progress.as_json())
    Job.objects.filter(submission=given_up).update(state=Job.State.POISONED, tries=3, trouble="SIGKILL")

    kept_back = CourseAssignment.Feedback.ON_RELEASE
    secret = make_assignment(course, Path(assignment.folder), feedback=kept_back)
    unreleased = hand_in(secret, student, WRONG)
    keep_result(unreleased, (2, 0))
    released = make_assignment(course, Path(assignment.folder), feedback=kept_back)
    nothing = Submission.objects.create(
        assignment=released, person=student, attempt=0, way=Submission.Way.NOTHING
    )
    Override.objects.create(submission=nothing, points=3, reason="At the board.", by=school.instructor)
    Release.objects.create(
        assignment=released,
        by=school.instructor,
        note="half of it",
        taken_back_at=timezone.now(),
        taken_back_by=school.instructor,
        taken_back_why="A mark was wrong.",
    )
    Release.objects.create(assignment=released, by=school.instructor, note="all of it")
    world.numbers |= {
        "course": course.pk,
        "membership": school.membership.pk,
        "assignment": assignment.pk,
        "student": student.pk,
        "graded": school.submission.pk,
        "may-ask": may_ask.pk,
        "running": running.pk,
        "queued": queued.pk,
        "given-up": given_up.pk,
        "unreleased": unreleased.pk,
        "secret": secret.pk,
        "released": released.pk,
        "nothing": nothing.pk,
        "request": school.regrade_request.pk,
        "answered": answered.pk,
    }


def late_work(world: World, school: School) -> None:
    """An assignment that was due, with an extension; one that is closed, and one that is not open yet."""
    folder, day, now = Path(school.assignment.folder), timedelta(days=1), timezone.now()
    due = make_assignment(school.course, folder, due_at=now - day, late_policy="10% per day", attempts=3)
    late = hand_in(due, school.student, WRONG)
    keep_result(late, (2, 0))
    Extension.objects.create(
        assignment=due, person=school.classmate, until="3 days", reason="ill", by=school.instructor
    )
    real = CourseAssignment.objects.create(
        course=school.course, folder=REAL, title="As they are", max_points=30, content_hash="none yet"
    )
    closed = make_assignment(school.course, folder, due_at=now - 2 * day, closes_at=now - day)
    to_come = make_assignment(school.course, folder, opens_at=now + day)
    world.numbers |= {
        "real": real.pk,
        "late": late.pk,
        "due": due.pk,
        "closed": closed.pk,
        "to-come": to_come.pk,
    }


def words(world: World, school: School) -> None:
    """Answers in words, of which two people have marked one."""
    course, folder = school.course, Path(school.assignment.folder)
    assignment = make_assignment(course, folder)
    other = another_grader(school)
    for person in (school.student, school.classmate):
        keep_words(hand_in(assignment, person, f"# {person}\n"), "Adding `x` to itself doubles it.")
    comment = ReusableComment.objects.create(course=course, item=WHY, text="Say more.", points=-0.5)
    answer = answer_of(school.student)
    for seat, (by, points) in enumerate(((school.grader, 2.0), (other, 1.0)), 1):
        mark = Mark.objects.create(
            answer=answer,
            item=WHY,
            seat=seat,
            by=by,
            level=level(WHY, points),
            points=points,
            words="So it is.",
        )
        mark.comments.add(comment)
    MarkingRules.objects.create(assignment=assignment, second_share=100)
    Reader.objects.create(assignment=assignment, person=other, is_blind=True)
    world.numbers |= {
        "in-words": assignment.pk,
        "doubling": "doubling",
        "marked": answer.key,
        "unmarked": answer_of(school.classmate).key,
        "level": level(WHY, 2.0).pk,
        "comment": comment.pk,
    }


def second_thoughts(world: World, school: School) -> None:
    """An attempt that is graded again, a check that is given to everybody, and an uploaded assignment."""
    submission = Submission.objects.get(pk=world.numbers["late"])
    assignment, by = submission.assignment, school.instructor
    regrade = Regrade.objects.create(
        assignment=assignment, which=Regrade.Which.ALL, why="A check was mended.", by=by
    )
    RegradedAttempt.objects.create(
        regrade=regrade, submission=submission, job=queue.enqueue(submission, by=by, again=True)
    )
    again = keep_result(submission, (2, 3))
    broken = Errand.objects.create(
        kind=Errand.Kind.ACCEPTANCE, state=Errand.State.FAILED, trouble="It was tried 3 times."
    )
    Acceptance.objects.create(regrade=regrade, errand=broken, by=by)
    AdjustedCheck.objects.create(
        assignment=assignment,
        check_id="doubling/test_public",
        kind=AdjustedCheck.Kind.GIVEN,
        reason="It was too strict.",
        by=by,
    )
    uploaded = upload(school, assignment.content_hash)
    UsedUpload.objects.create(assignment_id=world.numbers["closed"], uploaded=uploaded)
    faulty = upload(school, assignment.content_hash, "never_doubles: loses nothing.")
    world.numbers |= {
        "regrade": regrade.pk,
        "again": again.pk,
        "uploaded": uploaded.pk,
        "faulty-upload": faulty.pk,
    }


def upload(school: School, content_hash: str, *problems: str) -> UploadedFolder:
    """An uploaded assignment that was validated, with what was found to mend."""
    caught = not problems
    found = Verdict.FAILED if caught else Verdict.PASSED
    table = ExerciseTable(
        id="doubling",
        title="Doubling",
        points=5,
        columns=(Column("test_values", "It doubles.", 3, ("never_doubles",) if caught else ()),),
        programs=(
            Program("model", "model", "The model solution", 3, (ShownMark(Verdict.PASSED, wanted=True),)),
            Program("variant", "never_doubles", "Leaves it", 0, (ShownMark(found, caught, claimed=True),)),
        ),
        naming="1 of 1 variant named",
    )
    validation = Validation("doubling", "Doubling", "1", (1, 2), {"torch": "2"}, (table,), problems, ())
    data = f"as a zip {problems}".encode()
    return UploadedFolder.objects.create(
        course=school.course,
        digest=Store(settings.CONFIGURATION.files).keep(data),
        size=len(data),
        title="Doubling",
        max_points=5,
        content_hash=content_hash,
        by=school.instructor,
        errand=Errand.objects.create(kind=Errand.Kind.VALIDATION, state=Errand.State.DONE),
        passed=not problems,
        verdict=validation.verdict,
        report=validation_html((validation,)),
    )


def likenesses(world: World, school: School) -> None:
    """A comparison that found two pairs, one of which an instructor has looked at."""
    errand = Errand.objects.create(kind=Errand.Kind.LIKENESS, state=Errand.State.DONE)
    comparison = CohortComparison.objects.create(
        assignment=school.assignment, errand=errand, by=school.instructor, compared=3
    )
    mine = hand_in(school.assignment, school.grader, "def double(x):\n    return x * 3\n")
    attempts = [school.submission, Submission.objects.get(pk=world.numbers["queued"]), mine]
    for group, attempt in enumerate(attempts):
        ComparedAttempt.objects.create(comparison=comparison, submission=attempt, group=group)
    for first, second in (attempts[:2], attempts[::2]):
        pair = LikePair.objects.create(
            comparison=comparison,
            first=first,
            second=second,
            likeness=0.9,
            first_lines=[1],
            second_lines=[1],
        )
        world.numbers.setdefault("pair", pair.pk)
    one, other = pair.people
    DismissedPair.objects.create(
        assignment=school.assignment, one_id=one, other_id=other, reason="They may.", by=school.instructor
    )
    world.numbers["dismissed"] = pair.pk


def linked(world: World, school: School) -> None:
    """An LMS whose course is linked, with somebody who came from there."""
    lms = link_school(school)
    queued = Submission.objects.get(pk=world.numbers["queued"])
    scores_on_their_way(lms, [school.submission, queued, school.submission])
    world.numbers |= {"platform": lms.platform.pk, "context": lms.context.pk, "from-lms": lms.person.pk}


def many_of_each(world: World, folder: Path) -> None:
    """A course with more of everything than fits on a page, and one with nothing."""
    teacher, busy = make_person("teacher"), make_person("busy", password=PASSWORD)
    large, empty = Course.objects.create(title="A large class"), Course.objects.create(title="An empty one")
    for course in (large, empty):
        Membership.objects.create(course=course, person=teacher, role=Role.INSTRUCTOR)
    first, *_ = [make_assignment(large, folder) for _ in range(30)]
    students = [busy, *(make_person(f"{_CLASS}-{number:03}") for number in range(MANY))]
    for number, person in enumerate(students):
        member = Membership.objects.create(course=large, person=person, student_id=f"s{number:03}")
        world.numbers["member"] = member.pk
        submission = hand_in(first, person, f"def double(x):\n    return x + {number}\n")
        world.numbers.setdefault("busy", submission.pk)
        keep_result(submission, (number % 3, 0))
        note(teacher, "put on the roster", f"course {large.pk}", course=large, whom=person)
        RegradeRequest.objects.create(
            submission=submission, check_id="doubling/test_values", sentence="Look again, please."
        )
    for number in range(8):
        keep_result(hand_in(first, busy, f"x = {number}\n"), (number % 3, 0))
        PersonalToken.issue(busy, f"machine {number}")
    for number in range(20):
        Membership.objects.create(course=Course.objects.create(title=f"Course {number}"), person=busy)
    world.numbers |= {
        "large": large.pk,
        "large-assignment": first.pk,
        "empty": empty.pk,
        "empty-assignment": make_assignment(empty, folder).pk,
    }


def hand_in(assignment: CourseAssignment, person: Person, text: str) -> Submission:
    """Hand in one file, as a page does."""
    return take(assignment, person, [("double.py", text.encode())])
