"""An assignment may call itself longer than the portal keeps."""

from __future__ import annotations

import re
from pathlib import Path

from django.urls import reverse

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment
from attest.portal.regrading.regrades import refresh
from graders.assignment import find_assignment
from tests.attest.conftest import write_assignment
from tests.portal.school import School

RULES = {"attempts_an_hour": "20", "hidden_checks": "never", "counts": "best", "feedback": "at_once"}


def test_it_is_added_by_what_is_kept_and_does_not_look_changed_afterwards(
    school: School, tmp_path: Path
) -> None:
    folder = write_assignment(tmp_path / "long")
    table = folder / "assignment.toml"
    written = re.sub(r'(?m)^title = ".*"$', f'title = "{"x" * 300}"', table.read_text(), count=1)
    table.write_text(re.sub(r'(?m)^version = ".*"$', f'version = "{"7" * 60}"', written, count=1))
    found = find_assignment(folder)
    assert (len(found.title), len(found.version)) == (300, 60)

    path = reverse("new-assignment", args=[school.course.pk])
    answer = school.browser(school.instructor).post(path, {**RULES, "folder": str(folder)})
    assert answer.status_code == 302

    added = CourseAssignment.objects.get(folder=str(folder))
    assert (len(added.title), len(added.version)) == (200, 40)
    refresh(added, found, school.instructor)
    assert not Entry.objects.filter(action="assignment changed").exists()
