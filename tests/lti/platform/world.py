"""Who and what a platform knows: people, courses, links to tools, and the columns of a gradebook."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
INSTRUCTOR = f"{MEMBERSHIP}#Instructor"
LEARNER = f"{MEMBERSHIP}#Learner"
ASSISTANT = f"{MEMBERSHIP}/Instructor#TeachingAssistant"


@dataclass
class Member:
    """A person in a course, as a platform tells of it."""

    subject: str
    given_name: str
    family_name: str
    roles: list[str]
    email: str = ""
    status: str = "Active"

    @property
    def name(self) -> str:
        return f"{self.given_name} {self.family_name}"

    @property
    def is_student(self) -> bool:
        return LEARNER in self.roles and self.status == "Active"

    def in_roster(self) -> dict[str, Any]:
        """As NRPS tells of it."""
        told = {
            "status": self.status,
            "user_id": self.subject,
            "roles": self.roles,
            "name": self.name,
            "given_name": self.given_name,
            "family_name": self.family_name,
            "email": self.email,
        }
        return {name: value for name, value in told.items() if value}


@dataclass
class Grade:
    """What one person has in one column; `score` is on the column's own scale, None is no grade."""

    score: float | None = None
    comments: list[str] = field(default_factory=list)
    changed_at: float = 0  # the newest timestamp that a tool has sent
    attempts: int = 0
    grading_progress: str = ""


@dataclass
class LineItem:
    """A column of the gradebook."""

    id: str
    owner: str  # the client_id of the tool that may write it
    label: str
    maximum: float
    resource_link_id: str = ""
    resource_id: str = ""
    tag: str = ""
    attempts_allowed: int | None = None
    more: dict[str, Any] = field(default_factory=dict)  # startDateTime, endDateTime, gradesReleased
    grades: dict[str, Grade] = field(default_factory=dict)

    def told(self, url: str) -> dict[str, Any]:
        """As AGS tells of it."""
        told: dict[str, Any] = {"id": url, "label": self.label, "scoreMaximum": self.maximum, **self.more}
        for name, value in (
            ("resourceLinkId", self.resource_link_id),
            ("resourceId", self.resource_id),
            ("tag", self.tag),
        ):
            if value:
                told[name] = value
        return told


@dataclass
class Link:
    """A place in a course where people click to get to a tool."""

    id: str
    title: str
    url: str
    custom: dict[str, str] = field(default_factory=dict)
    line_item: str | None = None


@dataclass
class Course:
    """A context, with everything in it."""

    id: str
    title: str
    members: dict[str, Member] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    line_items: dict[str, LineItem] = field(default_factory=dict)

    def add(
        self, subject: str, name: str, role: str = LEARNER, *, email: str = "", status: str = "Active"
    ) -> Member:
        given, _, family = name.partition(" ")
        member = Member(subject, given, family, [role], email, status)
        self.members[subject] = member
        return member

    def add_students(self, count: int) -> list[Member]:
        """Students with the subjects u1, u2, …"""
        return [
            self.add(f"u{number}", f"Student {number:04}", email=f"u{number}@school.example")
            for number in range(1, count + 1)
        ]

    def add_line_item(self, owner: str, label: str, maximum: float, **more: Any) -> LineItem:
        item = LineItem(str(len(self.line_items) + 41), owner, label, maximum, **more)
        self.line_items[item.id] = item
        return item

    def add_link(self, title: str, url: str, **custom: str) -> Link:
        link = Link(secrets.token_hex(4), title, url, custom)
        self.links[link.id] = link
        return link


@dataclass
class Tool:
    """A tool that a platform knows: its client_id, and where it takes part in launches."""

    client_id: str
    login_url: str
    redirect_urls: list[str]
    jwks: str | dict[str, Any]  # an address, or the keys themselves
    deployments: list[str] = field(default_factory=lambda: ["1"])
    deep_linking_url: str = ""
    name: str = ""


def small_course() -> Course:
    """A teacher, an assistant, three students, and one who has left."""
    course = Course("c7", "Attention, from scratch")
    course.add("t1", "Tove Berg", INSTRUCTOR, email="tove@school.example")
    course.add("a1", "Aino Salo", ASSISTANT, email="aino@school.example")
    course.add("s1", "Ada Stone", email="ada@school.example")
    course.add("s2", "Bo Lund", email="bo@school.example")
    course.add("s3", "Cleo Marsh")  # a school that keeps addresses to itself
    course.add("s9", "Dan Voss", email="dan@school.example", status="Inactive")
    return course
