"""What students get of an assignment: what is asked, and files to begin with; nothing hidden."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from attest.portal.courses.models import Extension
from attest.portal.handing_in.handouts import handout_of
from graders.assignment import find_assignment
from tests.attest.conftest import write_assignment
from tests.portal.school import School, make_assignment


def page(school: School, number: int | None = None) -> str:
    path = reverse("assignment", args=[number or school.assignment.pk])
    return school.browser(school.student).get(path).content.decode()


def test_the_page_has_what_is_asked_and_the_files_to_begin_with(school: School) -> None:
    text = page(school)

    assert "<h3>Doubling</h3>" in text
    assert reverse("handout-file", args=[school.assignment.pk, "double.py"]) in text
    answer = school.browser(school.student).get(
        reverse("handout-file", args=[school.assignment.pk, "double.py"])
    )
    assert answer.content == b"def double(x):\n    raise NotImplementedError\n"
    assert answer["Content-Disposition"] == 'attachment; filename="double.py"'
    assert answer["Content-Security-Policy"].startswith("default-src 'none'; sandbox")


@pytest.mark.parametrize("name", ["examples/masks", "examples"])
def test_nothing_hidden_is_in_any_download_or_on_the_page(school: School, name: str) -> None:
    found = find_assignment(name)
    added = make_assignment(school.course, found.folder)
    browser = school.browser(school.student)

    zipped = browser.get(reverse("handout", args=[added.pk])).content
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        given = "\n".join(archive.read(one).decode() for one in archive.namelist())
    given += page(school, added.pk)

    exercises = found.exercises
    public = "\n".join(
        path.read_text() for one in exercises for path in (one.public_tests, one.folder / "handout.md")
    )
    secret = [variant.title for one in exercises for variant in one.variants]
    for path in (path for one in exercises for path in (one.folder / "tests").glob("*.py")):
        lines = [line.strip() for line in path.read_text().splitlines()]
        secret += [line for line in lines if len(line) > 40 and line.rstrip(",") not in public]
    telling = [line for line in secret if not line.startswith(("import ", "from "))]
    assert len(telling) > 20  # so that the search looks for something
    assert "def causal_mask" in given
    assert [line for line in telling if line in given] == []


@pytest.mark.parametrize(
    "name",
    ["tests/test_hidden.py", "solution/double.py", "variants/square.py", "assignment.toml", "../x", "checks"],
)
def test_what_is_not_given_out_is_not_there(school: School, name: str) -> None:
    path = f"/assignments/{school.assignment.pk}/handout/{name}"

    assert school.browser(school.student).get(path).status_code == 404


def test_a_handout_with_something_hidden_in_it_is_given_to_nobody(school: School, tmp_path: Path) -> None:
    folder = write_assignment(tmp_path / "leaking")
    (folder / "handout.md").write_text("# Doubling\n\nThe check test_values runs last.\n")
    added = make_assignment(school.course, folder)
    path = reverse("assignment", args=[added.pk])

    assert "test_values" not in page(school, added.pk)
    assert school.browser(school.student).get(reverse("handout", args=[added.pk])).status_code == 404
    told = school.browser(school.instructor).get(path).content.decode()
    assert "the name of a hidden check" in told


def test_a_handout_that_is_changed_is_read_again(
    school: School, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_assignment(tmp_path / "changing")
    added = make_assignment(school.course, folder)
    before = handout_of(added)
    (folder / "handout.md").write_text("# Doubling, again\n")
    monkeypatch.setattr("attest.portal.handing_in.handouts._LOOK_AGAIN_SECONDS", 1e-6)

    assert b"again" not in before.files["handout.md"]
    assert b"again" in handout_of(added).files["handout.md"]


def test_before_it_opens_only_who_teaches_reads_it(school: School) -> None:
    school.assignment.opens_at = timezone.now() + timedelta(days=1)
    school.assignment.save()
    path = reverse("handout", args=[school.assignment.pk])

    assert "<h3>Doubling</h3>" not in page(school)
    assert school.browser(school.student).get(path).status_code == 404
    assert school.browser(school.grader).get(path).status_code == 200


def test_rules_are_said_before_they_are_used_up(school: School) -> None:
    school.student.zone = "Asia/Tokyo"
    school.student.save()
    school.assignment.due_at = timezone.now() + timedelta(days=2)
    school.assignment.late_policy = "10% per day, at most 50%"
    school.assignment.attempts = 5
    school.assignment.save()
    Extension.objects.create(assignment=school.assignment, person=school.student, until="1 day", reason="ill")

    text = page(school)

    assert "JST" in text
    assert "extended for you" in text
    assert "2 days 23 hours left" in text or "3 days left" in text
    assert "takes 10 % for each day begun, at most 50 %" in text
    assert "4 of 5 left; the best attempt counts" in text
    assert "at most 20 attempts; 1 in the last hour" in text
