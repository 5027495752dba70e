"""What was graded before there was marking is remembered too, so that it can be marked."""

from __future__ import annotations

import json
import secrets
from typing import Any

from django.db import migrations


def _levels(most: float) -> list[float]:
    for step in (1.0, 0.5):
        if most / step == int(most / step) and most / step < 10:
            return [number * step for number in range(int(most / step) + 1)]
    return [most * part / 4 for part in range(5)]


def forward(apps: Any, _editor: Any) -> None:
    of = {name: apps.get_model("marking", name) for name in ("WrittenAnswer", "Finding", "Level")}
    graded = apps.get_model("grading", "Graded")
    for row in graded.objects.select_related("submission").order_by("pk").iterator(50):
        _remember(row, json.loads(row.document), of)


def _remember(row: Any, document: dict[str, Any], of: dict[str, Any]) -> None:
    for found in document.get("answers", ()):
        items = [one for one in document.get("rubric", ()) if one["exercise"] == found["exercise"]]
        if not items:
            continue
        answer, _ = of["WrittenAnswer"].objects.get_or_create(
            assignment_id=row.submission.assignment_id,
            person_id=row.submission.person_id,
            exercise=found["exercise"],
            digest=found["content_hash"],
            defaults={
                "key": secrets.token_hex(8),
                "asks": found["asks"],
                "pieces": [[piece["where"], piece["text"]] for piece in found["pieces"]],
                "is_answered": bool(found["pieces"]),
                "truncated": found["truncated"],
            },
        )
        kept = [{name: one[name] for name in ("id", "title", "max_points")} for one in items]
        title = dict(document["assignment"]["exercises"]).get(found["exercise"], found["exercise"])[:300]
        of["Finding"].objects.get_or_create(
            graded=row, answer=answer, defaults={"title": title, "items": kept}
        )
        for one in kept:
            offered = of["Level"].objects.filter(assignment_id=row.submission.assignment_id, item=one["id"])
            if not offered.exists():
                of["Level"].objects.bulk_create(
                    of["Level"](assignment_id=row.submission.assignment_id, item=one["id"], points=points)
                    for points in _levels(one["max_points"])
                )


class Migration(migrations.Migration):
    """Rows for the answers of Results that are there."""

    dependencies = [("marking", "0001_first")]
    operations = [migrations.RunPython(forward, migrations.RunPython.noop)]
