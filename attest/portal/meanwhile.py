"""A form that two people have open at once: each changes what they touched, and nothing else.

Beside each field a page sends what was in it (`seen_fields` in form.html.jinja); without that it was touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.forms import Form
from django.http import QueryDict


class Sent(NamedTuple):
    """A form as it is meant by now."""

    fields: dict[str, str]  # what was touched as it was sent, everything else as it is
    touched: frozenset[str]
    meanwhile: dict[str, str]  # of what was touched: what somebody else has made of it since


def text_of(value: object) -> str:
    """Return a value as a field has it: a box that is ticked is "on"."""
    if value is None or value is False:
        return ""
    return "on" if value is True else str(value)


def sent_over(given: QueryDict, now: Mapping[str, object]) -> Sent:
    """Lay a form that was sent over what there is `now`, by the names of its fields."""
    fields: dict[str, str] = {}
    meanwhile: dict[str, str] = {}
    touched: set[str] = set()
    for name, value in now.items():
        sent, was, there = given.get(name, "").replace("\r\n", "\n"), given.get(f"was {name}"), text_of(value)
        if was is not None and sent == was.replace("\r\n", "\n"):
            fields[name] = there
            continue
        fields[name] = sent
        touched.add(name)
        if was is not None and there not in (was, sent):
            meanwhile[name] = there
    return Sent(fields, frozenset(touched), meanwhile)


def sentence_of(there: str) -> str:
    """Say what somebody has made of a field, and what to do."""
    made = f"“{there[:200]}”" if there else "empty"
    return f"Somebody has made this {made} meanwhile. Send the form again to put yours in its place."


def is_valid(form: Form, sent: Sent) -> bool:
    """Whether a form holds, and nobody else has changed what it changes; its fields say what is wrong."""
    form.is_valid()
    for name, there in sent.meanwhile.items():
        form.add_error(name, sentence_of(there))
    return form.is_valid()
