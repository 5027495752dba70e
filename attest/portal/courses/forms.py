"""What instructors fill in. Every mistake is said beside the field it is in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from attest.portal.courses.models import Course, CourseAssignment, Role
from attest.portal.people.models import valid_zone
from attest.portal.uploads.folders import is_data, usable
from attest.portal.uploads.models import UploadedFolder
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.late import LateError, read_moment, read_policy


class CourseForm(forms.Form):
    """A new course."""

    title = forms.CharField(max_length=200)
    zone = forms.CharField(max_length=64, validators=[valid_zone])


class MomentField(forms.CharField):
    """A time as people write it, in the course's time zone: 2026-11-30 23:59."""

    def __init__(self, course: Course) -> None:
        super().__init__(max_length=80, required=False)
        self.course = course

    def clean(self, value: Any) -> datetime | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            moment = read_moment(text.replace("T", " "))
        except LateError as error:
            raise ValidationError(str(error)) from None
        meant = moment if moment.tzinfo else moment.replace(tzinfo=self.course.time_zone)
        return meant.astimezone(UTC)  # elsewhere a time of the hour that there is twice equals none


class Rules(forms.Form):
    """Until when something is handed in, and by which rules."""

    late_policy = forms.CharField(max_length=200, required=False)
    attempts = forms.IntegerField(min_value=1, max_value=10_000, required=False)
    attempts_an_hour = forms.IntegerField(min_value=1, max_value=1_000)
    hidden_checks = forms.ChoiceField(choices=CourseAssignment.Hidden.choices)
    counts = forms.ChoiceField(choices=CourseAssignment.Counts.choices)
    feedback = forms.ChoiceField(choices=CourseAssignment.Feedback.choices)

    def __init__(self, course: Course, data: Any = None) -> None:
        super().__init__(data)
        for name in ("opens_at", "due_at", "closes_at"):
            self.fields[name] = MomentField(course)

    def clean(self) -> dict[str, Any]:
        found = self.cleaned_data
        due, opens, closes = found.get("due_at"), found.get("opens_at"), found.get("closes_at")
        if found.get("late_policy"):
            try:
                read_policy(found["late_policy"], due or timezone.now())
            except LateError as error:
                self.add_error("late_policy", str(error))
            if due is None and "due_at" not in self.errors:
                self.add_error("due_at", "A late policy needs a due date.")
        if opens and due and due <= opens:
            self.add_error("due_at", "It would be due before it opens.")
        if closes and due and closes < due:
            self.add_error("closes_at", "It would close before it is due.")
        return found


class AssignmentForm(Rules):
    """What is handed in, and by which rules."""

    folder = forms.CharField(max_length=1000)

    def __init__(self, course: Course, data: Any = None) -> None:
        super().__init__(course, data)
        self.course = course
        self.assignment: Assignment | None = None
        self.uploaded: UploadedFolder | None = None

    def clean_folder(self) -> str:
        """Read the assignment, so that what cannot be graded cannot be handed in for."""
        folder = self.cleaned_data["folder"]
        self.uploaded = usable(self.course, folder)
        if self.uploaded is None and is_data(folder):
            raise ValidationError("This lies among the portal's data, and is no upload that has passed.")
        try:
            self.assignment = find_assignment(folder)
        except AssignmentError as error:
            raise ValidationError(str(error)) from None
        return str(self.cleaned_data["folder"])


class RulesForm(Rules):
    """The rules of an assignment that is there, and what it is called."""

    title = forms.CharField(max_length=200)


class MemberForm(forms.Form):
    """What somebody is in a course."""

    role = forms.ChoiceField(choices=Role.choices)
    section = forms.CharField(max_length=200, required=False)
    student_id = forms.CharField(max_length=120, required=False)


class NewMemberForm(MemberForm):
    """Somebody who comes into a course by hand."""

    email = forms.EmailField(max_length=254)
    name = forms.CharField(max_length=200, required=False)
