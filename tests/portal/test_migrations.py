"""Every migration goes forward and back, and what stands in the models is what the migrations make."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

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
