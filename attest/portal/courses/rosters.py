"""A roster into a course: who is new comes in, who is there is brought up to date, nobody is put out."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import transaction

from attest.portal.audit.trail import note
from attest.portal.courses.models import Course, Membership, Role, Section
from attest.portal.people.models import Person
from graders.reading.names import shown
from graders.reading.roster import Roster

MOST_EMAIL = 254  # characters: longer ones cannot be delivered to


@dataclass(frozen=True)
class Enrolled:
    """What a roster changed."""

    new: int
    changed: int
    problems: tuple[str, ...]


@transaction.atomic
def enrol(course: Course, roster: Roster, by: Person) -> Enrolled:
    """Make everybody in the roster a student of the course. Roles that are there stay as they are."""
    new = changed = 0
    problems: list[str] = []
    sections = {section.name: section for section in course.sections.all()}
    for line in roster.people:
        email = line.student.email.strip().lower()
        try:
            validate_email(email)
            MaxLengthValidator(MOST_EMAIL)(email)
        except ValidationError:
            found = repr(shown(email)) if email else "no email"
            problems.append(
                f"Line {line.line}: {found} is no email address, by which people sign in. "
                "Add it and give the roster again."
            )
            continue
        person = Person.objects.with_email(email, name=line.student.name, zone=course.zone)
        if not person.name and line.student.name:
            person.name = line.student.name
            person.save(update_fields=["name"])
        section = None
        if line.student.section:
            name = line.student.section
            if name not in sections:
                sections[name], _ = Section.objects.get_or_create(course=course, name=name)
            section = sections[name]
        wanted = {"section": section, "student_id": line.student.id, "ids": dict(line.student.ids)}
        member, is_new = Membership.objects.get_or_create(
            course=course, person=person, defaults={**wanted, "role": Role.STUDENT}
        )
        if is_new:
            new += 1
            note(by, "put on the roster", f"course {course.pk}", course=course, whom=person)
        elif any(getattr(member, key) != value for key, value in wanted.items()):
            for key, value in wanted.items():
                setattr(member, key, value)
            member.save()
            changed += 1
    note(by, "roster read", f"course {course.pk}", course=course, after={"new": new, "changed": changed})
    return Enrolled(new, changed, tuple(problems))
