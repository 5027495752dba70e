"""Django for these tests alone: a folder of data of its own, and the database that DATABASE_URL names."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import django
import pytest
from django.conf import settings

from attest.portal import configuration

_DATA = Path(tempfile.mkdtemp(prefix="attest-portal-tests-"))
os.environ["DJANGO_SETTINGS_MODULE"] = "attest.portal.settings"
os.environ[configuration.DATA] = str(_DATA)
configuration.make_secret_key(_DATA)
if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in a portal: SQLite in memory has other locks.
    settings.DATABASES["default"]["TEST"] = {"NAME": str(_DATA / "test.sqlite3")}
django.setup(set_prefix=False)

from attest.portal.lms.models import LinkedContext, LinkedResource  # noqa: E402 - after Django
from tests.attest.conftest import write_assignment  # noqa: E402 - after Django
from tests.lti.platform import Link, Platform  # noqa: E402 - after Django
from tests.portal.launching import in_a_school  # noqa: E402 - after Django
from tests.portal.lms import LMS, forget_asked, register  # noqa: E402 - it imports models
from tests.portal.outgoing import Linked, linked  # noqa: E402 - it imports models
from tests.portal.running import Browser, Portal  # noqa: E402 - after Django
from tests.portal.school import School, make_school  # noqa: E402 - it imports models
from tests.portal.test_serving import first_administrator  # noqa: E402 - after Django


@pytest.fixture(scope="session", autouse=True)
def _data() -> Iterator[None]:
    """Remove the data when all is done."""
    yield
    shutil.rmtree(_DATA, ignore_errors=True)


@pytest.fixture(scope="session")
def doubling_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small assignment."""
    return write_assignment(tmp_path_factory.mktemp("assignments") / "doubling")


@pytest.fixture
def school(db: None, doubling_folder: Path) -> School:
    """Two courses, and in one of them somebody of each role and a submission."""
    return make_school(doubling_folder)


@pytest.fixture
def lms(school: School, monkeypatch: pytest.MonkeyPatch) -> Iterator[LMS]:
    """An LMS on this machine, which the portal may ask."""
    monkeypatch.setattr(settings, "CONFIGURATION", replace(settings.CONFIGURATION, private_platforms=True))
    forget_asked()
    with Platform("moodle") as platform:
        yield register(platform)
    forget_asked()


@pytest.fixture
def moodle(school: School) -> Iterator[Linked]:
    """An LMS in which the course's assignment has a column."""
    with linked(school) as found:
        yield found


@pytest.fixture
def link(lms: LMS, school: School) -> Link:
    """A link in the LMS's course, which is linked with the school's."""
    made = lms.platform.add_assignment(lms.tool, attest_assignment=str(school.assignment.pk))
    context = LinkedContext.objects.create(
        platform=lms.row, deployment_id="1", context_id=lms.platform.course.id, course=school.course
    )
    LinkedResource.objects.create(context=context, resource_link_id=made.id, assignment=school.assignment)
    return made


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    """A portal that runs, of a module's own, in a school's network."""
    with in_a_school(tmp_path_factory.mktemp("portal")) as running:
        yield running


@pytest.fixture(scope="module")
def administrator(portal: Portal) -> Browser:
    """The browser of its first administrator."""
    return first_administrator(portal)
