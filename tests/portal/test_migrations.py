"""Every migration goes forward and back, and what stands in the models is what the migrations make."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from attest.portal.audit.models import Entry
from attest.portal.lms.models import Platform

OURS = (
    *("lms", "uploads", "likeness", "errands", "regrading", "marking"),
    *("grading", "handing_in", "adjusting", "courses", "people", "audit"),
)


def tables() -> set[str]:
    with connection.cursor() as cursor:
        return {
            name
            for name in connection.introspection.table_names(cursor)
            if name.split("_")[0] in {app.split("_")[0] for app in OURS}
        }


@pytest.mark.django_db(transaction=True)
def test_down_to_nothing_and_up_again() -> None:
    before = tables()
    assert before
    for app in OURS:
        call_command("migrate", app, "zero", verbosity=0)
    assert tables() == set()

    call_command("migrate", verbosity=0)

    assert tables() == before
    assert MigrationExecutor(connection).loader.graph.leaf_nodes()


@pytest.mark.django_db
def test_models_and_migrations_agree() -> None:
    call_command("makemigrations", check=True, dry_run=True, stdout=io.StringIO())


@pytest.fixture
def trail(transactional_db: None) -> Iterator[None]:
    """A trail that is made anew afterwards, since nothing else removes an entry."""
    yield
    call_command("migrate", "audit", "zero", verbosity=0)
    call_command("migrate", verbosity=0)


@pytest.mark.usefixtures("trail")
def test_of_two_platforms_with_one_client_id_the_first_keeps_it() -> None:
    call_command("migrate", "lms", "0003", verbosity=0)
    before = MigrationExecutor(connection).loader.project_state(("lms", "0003_tickets_of_a_deployment")).apps
    platforms = before.get_model("lms", "Platform").objects
    long = "x" * 255
    told = [
        ("unused", "a", False),
        ("first", "a", True),
        ("second", "a", True),
        ("another", "b", True),
        ("long", long, True),
        ("long too", long, True),
    ]
    rows = {
        name: platforms.create(name=name, issuer=f"https://{name}", client_id=client_id, is_active=is_active)
        for name, client_id, is_active in told
    }

    call_command("migrate", verbosity=0)

    found = {one.name: (one.client_id, one.is_active) for one in Platform.objects.all()}
    assert found == {
        "unused": (f"registered twice: {rows['unused'].pk} a", False),
        "first": ("a", True),
        "second": (f"registered twice: {rows['second'].pk} a", False),
        "another": ("b", True),
        "long": (long, True),
        "long too": (f"registered twice: {rows['long too'].pk} {long}"[:255], False),
    }
    entries = {one.subject: one for one in Entry.objects.filter(action="LMS changed", who=None)}
    assert set(entries) == {f"platform {rows[name].pk}" for name in ("unused", "second", "long too")}
    noted = entries[f"platform {rows['second'].pk}"]
    assert noted.before == {"client_id": "a", "is_active": True}
    assert noted.after == {"client_id": f"registered twice: {rows['second'].pk} a", "is_active": False}
