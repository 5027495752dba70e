"""Two do the same thing at the same moment: what may be there once is, and the second is told so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from attest.portal.audit.models import Entry
from attest.portal.courses.rosters import enrol
from attest.portal.lms import platforms, registering
from attest.portal.lms.models import Platform, taken
from attest.portal.people.models import People, Person
from attest.portal.uploads import views as uploads
from attest.portal.uploads.models import UploadedFolder
from graders.reading.roster import roster_of
from tests.portal.linked import make_platform
from tests.portal.lms import LMS, OURS, text_of
from tests.portal.school import School
from tests.portal.test_lms_platforms import BY_HAND, invitation
from tests.portal.test_uploads import folder_zip, send

ELSEWHERE = "https://elsewhere.example"


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have somebody else do something once, right after a function of a module has returned."""

    def arrange(module: object, name: str, do: Callable[[], object]) -> None:
        real, left = getattr(module, name), [do]

        def then(*given: Any, **named: Any) -> Any:
            found = real(*given, **named)
            if left:
                left.pop()()
            return found

        monkeypatch.setattr(module, name, then)

    return arrange


def blind_once(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """Have a module look whether a client id is taken before somebody else takes it."""
    answers = [""]
    monkeypatch.setattr(module, "taken", lambda *given: answers.pop() if answers else taken(*given))


def with_mistake(answer: HttpResponse) -> bool:
    return answer.status_code == 400 and "registered already, for" in text_of(answer)


def test_a_client_id_that_two_register_is_kept_once(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    make_platform(ELSEWHERE, client_id="abc")
    blind_once(monkeypatch, platforms)

    answer = school.browser(school.administrator).post("/platforms/new/", BY_HAND)

    assert with_mistake(answer)  # type: ignore[arg-type]
    assert 'id="client_id-mistake"' in answer.content.decode()
    assert Platform.objects.get().issuer == ELSEWHERE
    assert not Entry.objects.filter(action="LMS registered").exists()


def test_a_client_id_that_is_changed_to_what_another_takes_stays(
    school: School, lms: LMS, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_platform(ELSEWHERE, client_id="abc")
    blind_once(monkeypatch, platforms)

    answer = school.browser(school.administrator).post(
        f"/platforms/{lms.row.pk}/", {**BY_HAND, "what": "change"}
    )

    assert with_mistake(answer)  # type: ignore[arg-type]
    assert lms.row.client_id in answer.content.decode()
    before = lms.row.client_id
    lms.row.refresh_from_db()
    assert (lms.row.client_id, lms.row.name) == (before, "Moodle of the school")


def test_an_lms_that_registers_by_itself_while_it_is_registered_by_hand_says_so(
    school: School, lms: LMS, meanwhile: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    blind_once(monkeypatch, registering)
    address = invitation(school)
    asked = lms.platform.registering.parameters()
    before = Platform.objects.count()

    def by_hand() -> None:
        (client_id,) = {one.client_id for one in lms.platform.tools.values()} - {lms.tool.client_id}
        make_platform(ELSEWHERE, client_id=client_id)

    meanwhile(registering, "register", by_hand)
    answer = Client().post(address, asked, headers={"Origin": OURS})

    assert with_mistake(answer)  # type: ignore[arg-type]
    assert Platform.objects.count() == before + 1


@pytest.fixture
def rival(db: None, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Somebody whom another has made just after it was looked whether they are there."""
    made = Person.objects.create(email="new@example.edu", name="Of another course")
    monkeypatch.setattr(
        People,
        "filter",
        lambda people, **named: people.none() if "email" in named else people.all().filter(**named),
    )
    return made


def test_somebody_whom_two_put_into_their_courses_is_one_person(school: School, rival: Person) -> None:
    new = {"email": "New@example.edu", "name": "New", "role": "student"}

    answer = school.browser(school.instructor).post(f"/courses/{school.course.pk}/members/new/", new)

    assert answer.status_code == 302
    assert school.course.memberships.filter(person=rival).exists()


def test_a_roster_takes_in_whom_another_has_just_made(school: School, rival: Person) -> None:
    table = b"email,name,section\nnew@example.edu,New,One\nother@example.edu,Other,One\n"

    found = enrol(school.course, roster_of(table, "roster.csv"), school.instructor)

    assert (found.new, found.problems) == (2, ())
    assert school.course.memberships.filter(person=rival, section__name="One").exists()


def test_a_zip_that_two_send_is_kept_once(
    school: School, doubling_folder: Path, meanwhile: Callable[..., None]
) -> None:
    data = folder_zip(doubling_folder)
    meanwhile(uploads, "unpack", lambda: send(school, school.administrator, data))

    answer = send(school, school.administrator, data)

    kept = UploadedFolder.objects.get()
    assert answer["Location"] == f"/uploads/{kept.pk}/"
    assert Entry.objects.filter(action="assignment uploaded").count() == 1
