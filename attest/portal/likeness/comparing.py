"""Comparing what a cohort handed in, in the background: the attempts that count, each with each."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.db import transaction

from attest.portal.courses.models import CourseAssignment
from attest.portal.errands.line import finish
from attest.portal.errands.models import Errand
from attest.portal.errands.process import CannotDo
from attest.portal.grading.changes import attempts_of
from attest.portal.grading.standing import counting
from attest.portal.handing_in.keeping import Missing, Store
from attest.portal.handing_in.laying_out import lay_out
from attest.portal.handing_in.models import Submission
from attest.portal.likeness.models import CohortComparison, ComparedAttempt, LikePair
from attest.similar import known_labels
from graders.assignment import AssignmentError, find_assignment
from graders.likeness import Comparison, Text, compare, text_of
from graders.reading import UnreadableSubmission, read_submission

MOST_PAIRS = 1000


def compare_cohort(errand: Errand, who: str) -> None:
    """Compare, and keep what was found. Raises CannotDo."""
    comparison = CohortComparison.objects.select_related("assignment__course").get(errand=errand)
    try:
        common = list(known_labels(find_assignment(comparison.assignment.folder)))
    except (AssignmentError, UnreadableSubmission, OSError) as error:
        raise CannotDo(str(error)) from None
    read: list[tuple[Submission, Text]] = []
    attempts: list[ComparedAttempt] = []
    for submission in counting_attempts(comparison.assignment):
        text, trouble = _read(submission)
        if text is None:
            attempts.append(
                ComparedAttempt(comparison=comparison, submission=submission, trouble=trouble[:2000])
            )
        else:
            read.append((submission, text))
    found = compare([text.labels for _, text in read], common) if len(read) > 1 else None
    if found is not None:
        attempts += [
            ComparedAttempt(comparison=comparison, submission=read[index][0], group=number)
            for number, group in enumerate(found.groups, 1)
            for index in group
        ]
    with transaction.atomic():
        if finish(errand, who):
            CohortComparison.objects.filter(pk=comparison.pk).update(compared=len(read))
            ComparedAttempt.objects.bulk_create(attempts)
            if found is not None:
                LikePair.objects.bulk_create(_pairs(comparison, found, [one for one, _ in read]))


def counting_attempts(assignment: CourseAssignment) -> list[Submission]:
    """Return of each student the attempt that counts, or the latest where none is graded."""
    handed_in = assignment.submissions.filter(attempt__gt=0).order_by()
    people = handed_in.values_list("person_id", flat=True).distinct()
    found = [
        [one for one in attempts if not one.submission.is_none]
        for attempts in attempts_of(assignment, list(people)).values()
    ]
    return [(counting(assignment, attempts) or attempts[0]).submission for attempts in found]


def text_of_submission(submission: Submission) -> Text:
    """Return a submission's code as it is compared. Raises UnreadableSubmission and Missing."""
    with tempfile.TemporaryDirectory(prefix="attest-likeness-") as folder:
        path = lay_out(Store(settings.CONFIGURATION.files), submission, Path(folder))
        return text_of(read_submission(path, words="any").programs)


def _read(submission: Submission) -> tuple[Text | None, str]:
    try:
        text = text_of_submission(submission)
    except (UnreadableSubmission, Missing) as error:
        return None, str(error).replace("\0", "")
    return (text, "") if text.labels else (None, "It holds no code.")


def _pairs(
    comparison: CohortComparison, found: Comparison, submissions: Sequence[Submission]
) -> list[LikePair]:
    pairs = []
    for pair in found.pairs[:MOST_PAIRS]:
        first, second = found.shared_lines(pair)
        pairs.append(
            LikePair(
                comparison=comparison,
                first=submissions[pair.first],
                second=submissions[pair.second],
                likeness=pair.likeness,
                first_lines=sorted(first),
                second_lines=sorted(second),
            )
        )
    return pairs
