"""Times are read in the zone of whoever looks at them; what is kept in files has them in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from attest.portal.courses.models import CourseAssignment
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person, PersonalToken
from tests.portal.school import School, keep_result
from tests.portal.test_downloads import fetch, unzipped


def test_times_are_read_in_ones_own_zone(school: School) -> None:
    school.assignment.due_at = "2026-06-01T12:00Z"
    school.assignment.save()
    Person.objects.filter(pk=school.student.pk).update(zone="Asia/Tokyo")

    text = school.browser(school.student).get(f"/assignments/{school.assignment.pk}/").content.decode()

    assert "Mon 01 Jun 2026, 21:00 JST" in text


def test_times_in_a_report_are_read_in_ones_own_zone_too(school: School) -> None:
    came_at = datetime(2026, 6, 1, 13, tzinfo=UTC)
    Submission.objects.update(received_at=came_at)
    CourseAssignment.objects.update(due_at=came_at - timedelta(hours=1), late_policy="10% per day")
    school.submission.refresh_from_db()
    keep_result(school.submission)
    report = reverse("report", args=[school.submission.pk])

    for zone, graded, due in (("Asia/Tokyo", "22:00 JST", "21:00 JST"), ("UTC", "13:00 UTC", "12:00 UTC")):
        Person.objects.update(zone=zone)
        for person in (school.student, school.instructor):
            person.refresh_from_db()
            text = school.browser(person).get(report).content.decode()

            assert text.count(f"<dd>Mon 01 Jun 2026, {graded}</dd>") == 2  # handed in, and graded
            assert f"(due Mon 01 Jun 2026, {due})" in text


def test_a_file_to_keep_has_its_times_in_utc(school: School) -> None:
    Submission.objects.update(received_at=datetime(2026, 6, 1, 13, tzinfo=UTC))
    school.submission.refresh_from_db()
    keep_result(school.submission)
    Person.objects.update(zone="Asia/Tokyo")
    school.instructor.refresh_from_db()
    reports = unzipped(fetch(school, "reports-zip"))

    (page,) = (data.decode() for name, data in reports.items() if name.endswith("student.html"))
    assert page.count("2026-06-01 13:00 UTC") == 2


def test_the_command_line_reads_times_in_the_zone_of_who_uses_it(school: School) -> None:
    CourseAssignment.objects.update(opens_at=datetime(2099, 6, 1, 12, tzinfo=UTC))
    Person.objects.filter(pk=school.student.pk).update(zone="Asia/Tokyo")
    token = PersonalToken.issue(school.student, "laptop")

    answer = Client().post(
        f"/api/assignments/{school.assignment.pk}/submissions/",
        {"files": SimpleUploadedFile("double.py", b"x = 1\n")},
        headers={"Authorization": f"Bearer {token}"},
    )

    assert answer.json() == {"refused": "Handing in opens on Mon 01 Jun 2099, 21:00 JST."}
