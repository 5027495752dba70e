"""The database itself refuses to change or remove an entry of the trail."""

from __future__ import annotations

from typing import Any

from django.db import migrations

_SQLITE = (
    """CREATE TRIGGER audit_entry_not_changed BEFORE UPDATE ON audit_entry
    BEGIN SELECT RAISE(ABORT, 'the audit trail is never changed'); END""",
    """CREATE TRIGGER audit_entry_not_removed BEFORE DELETE ON audit_entry
    BEGIN SELECT RAISE(ABORT, 'the audit trail is never changed'); END""",
)
_POSTGRESQL = (
    """CREATE FUNCTION audit_entry_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the audit trail is never changed' USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    """CREATE TRIGGER audit_entry_kept BEFORE UPDATE OR DELETE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_entry_refuse()""",
)
_SQLITE_BACK = ("DROP TRIGGER audit_entry_not_changed", "DROP TRIGGER audit_entry_not_removed")
_POSTGRESQL_BACK = ("DROP TRIGGER audit_entry_kept ON audit_entry", "DROP FUNCTION audit_entry_refuse()")


def forward(_apps: Any, editor: Any) -> None:
    for statement in _SQLITE if editor.connection.vendor == "sqlite" else _POSTGRESQL:
        editor.execute(statement)


def backward(_apps: Any, editor: Any) -> None:
    for statement in _SQLITE_BACK if editor.connection.vendor == "sqlite" else _POSTGRESQL_BACK:
        editor.execute(statement)


class Migration(migrations.Migration):
    """Triggers, in the words of each database."""

    dependencies = [("audit", "0001_first")]
    operations = [migrations.RunPython(forward, backward)]
