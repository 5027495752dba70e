"""Two people have one form open: each changes what they touched, and nothing else."""

from __future__ import annotations

import html
from html.parser import HTMLParser

import pytest
from django.urls import reverse

from attest.portal.courses.models import Course, CourseAssignment, Membership
from attest.portal.lms.models import Platform
from attest.portal.marking.models import Level, MarkingRules, ReusableComment
from attest.portal.people.models import Person
from tests.portal.lms import LMS
from tests.portal.prose import WHY, write
from tests.portal.school import School


class Fields(HTMLParser):
    """What a browser would send of a form."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self._name, self._is_chosen = "", False
        self.feed(form)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "input" and (known.get("type") != "checkbox" or "checked" in known):
            self.sent[known["name"]] = known.get("value", "on")
        elif tag in ("select", "textarea"):
            self._name, self._is_chosen = known["name"], tag == "textarea"
            self.sent[self._name] = ""
        elif tag == "option":
            self._is_chosen = "selected" in known and "value" not in known
            if "selected" in known:
                self.sent[self._name] = known.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._is_chosen:
            self.sent[self._name] += data

    def handle_endtag(self, tag: str) -> None:
        self._is_chosen = False


class OpenPage:
    """A page as it was when it was opened: its form with this button is sent with some fields changed."""

    def __init__(self, school: School, who: Person, path: str, button: str) -> None:
        self.browser, self.path, self.button = school.browser(who), path, button
        self.fields = self.of(self.browser.get(path).content.decode())

    def of(self, text: str) -> dict[str, str]:
        forms = [one for one in text.split("<form ")[1:] if f"{self.button}</button>" in one]
        return Fields(f"<form {forms[0].partition('</form>')[0]}").sent

    def send(self, **changed: str) -> str:
        """Send it; what comes back has the form as it is to be sent next."""
        answer = self.browser.post(self.path, {**self.fields, **changed}, follow=True)
        text = answer.content.decode()
        if answer.status_code == 400:
            self.fields = self.of(text)
        return html.unescape(text)


def test_of_the_rules_each_changes_what_they_touched(school: School) -> None:
    path = reverse("rules", args=[school.assignment.pk])
    one, other = (
        OpenPage(school, who, path, "Change the rules") for who in (school.instructor, school.administrator)
    )

    one.send(due_at="2026-12-02 12:00", late_policy="10% per day")
    other.send(title="Twice", attempts="3")

    now = CourseAssignment.objects.get(pk=school.assignment.pk)
    assert (now.title, now.attempts, now.late_policy) == ("Twice", 3, "10% per day")
    assert now.due_at is not None


def test_what_both_touched_is_decided_by_whoever_comes_second(school: School) -> None:
    path = reverse("rules", args=[school.assignment.pk])
    one, other = (
        OpenPage(school, who, path, "Change the rules") for who in (school.instructor, school.administrator)
    )
    one.send(title="Once")

    said = other.send(title="Twice", attempts="3")

    assert "Somebody has made this “Once” meanwhile." in said
    assert CourseAssignment.objects.get(pk=school.assignment.pk).title == "Once"
    other.send()
    now = CourseAssignment.objects.get(pk=school.assignment.pk)
    assert (now.title, now.attempts) == ("Twice", 3)


def test_of_a_course_each_changes_what_they_touched(school: School) -> None:
    path = reverse("edit-course", args=[school.course.pk])
    one, other = (
        OpenPage(school, who, path, "Change them") for who in (school.instructor, school.administrator)
    )

    one.send(title="Attention, again")
    other.send(zone="Asia/Tokyo")

    now = Course.objects.get(pk=school.course.pk)
    assert (now.title, now.zone) == ("Attention, again", "Asia/Tokyo")


def test_of_a_member_each_changes_what_they_touched(school: School) -> None:
    path = reverse("edit-member", args=[school.membership.pk])
    one, other = (OpenPage(school, who, path, "Change") for who in (school.instructor, school.administrator))

    one.send(section="A")
    other.send(student_id="4711")

    now = Membership.objects.get(pk=school.membership.pk)
    assert (str(now.section), now.student_id) == ("A", "4711")


def test_of_an_lms_each_changes_what_they_touched(school: School, lms: LMS) -> None:
    path = reverse("platform", args=[lms.row.pk])
    one, other = (OpenPage(school, school.administrator, path, "Change it") for _ in range(2))

    one.send(name="Ours")
    other.send(frame_origins="https://school.example.edu")

    now = Platform.objects.get(pk=lms.row.pk)
    assert (now.name, now.frame_origins) == ("Ours", "https://school.example.edu")


def test_of_how_it_is_marked_each_changes_what_they_touched(school: School) -> None:
    write(school, school.student, "It adds.")
    path = reverse("marking", args=[school.assignment.pk])
    one, other = (
        OpenPage(school, who, path, "Keep these rules") for who in (school.instructor, school.administrator)
    )
    for page in (one, other):
        page.path = reverse("marking-rules", args=[school.assignment.pk])

    one.send(is_blind="on")
    other.send(second_share="30")

    rules = MarkingRules.objects.get()
    assert (rules.is_blind, rules.second_share) == (True, 30)


@pytest.mark.parametrize("kind", ["level", "comment"])
def test_of_the_rubric_each_changes_what_they_touched(school: School, kind: str) -> None:
    write(school, school.student, "It adds.")
    if kind == "level":
        part = Level.objects.filter(item=WHY).latest("points")
        path, points = reverse("level", args=[part.pk]), "1.5"
    else:
        comment = ReusableComment.objects.create(course=school.course, item=WHY, text="Said.", points=0)
        path, points = reverse("comment", args=[school.assignment.pk, comment.pk]), "-1"
    one, other = (OpenPage(school, who, path, "Keep") for who in (school.instructor, school.grader))

    one.send(points=points)
    other.send(text="Said well.")
    said = other.send(text="Said badly.")

    now = Level.objects.get(pk=part.pk) if kind == "level" else ReusableComment.objects.get(pk=comment.pk)
    text = now.label if isinstance(now, Level) else now.text
    assert (now.points, text) == (float(points), "Said well.")
    assert "Somebody has made this “Said well.” meanwhile." in said
