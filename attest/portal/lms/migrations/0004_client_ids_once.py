"""A client id is registered once, whatever the issuer: what two platforms have, one of them keeps."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

_MOST = 255


def forward(apps: Any, _editor: Any) -> None:
    """Leave it to the first that is in use; have the others be out of use, until they are given their own."""
    seen: set[str] = set()
    for one in apps.get_model("lms", "Platform").objects.order_by("-is_active", "pk"):
        if one.client_id not in seen:
            seen.add(one.client_id)
            continue
        before = {"client_id": one.client_id, "is_active": one.is_active}
        one.client_id, one.is_active = f"registered twice: {one.pk} {one.client_id}"[:_MOST], False
        one.save(update_fields=["client_id", "is_active"])
        apps.get_model("audit", "Entry").objects.create(
            action="LMS changed",
            subject=f"platform {one.pk}",
            before=before,
            after={"client_id": one.client_id, "is_active": False},
            why="Another LMS is registered with this client id.",
        )


class Migration(migrations.Migration):
    """The rows first, then the constraint."""

    dependencies = [("lms", "0003_tickets_of_a_deployment"), ("audit", "0002_append_only")]
    operations = [
        migrations.RunPython(forward, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name="platform", name="registered_once"),
        migrations.AddConstraint(
            model_name="platform",
            constraint=models.UniqueConstraint(fields=("client_id",), name="client_registered_once"),
        ),
    ]
