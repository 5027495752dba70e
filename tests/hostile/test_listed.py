"""The corpus is as large as it says, and the page about it lists it."""

from __future__ import annotations

from tests.hostile.attempts import KINDS, attempts
from tests.hostile.listed import MARK, PAGE, table


def test_there_are_attempts_of_every_kind() -> None:
    every = [*attempts("code"), *attempts("files"), *attempts("documents")]
    assert len(every) >= 90
    assert {attempt.kind for attempt in every} == set(KINDS)
    assert len({attempt.tries for attempt in every}) == len(every)


def test_the_page_lists_them() -> None:
    listed = PAGE.read_text("utf-8").partition(MARK)[2].strip()
    assert listed == table().strip(), "stale: run python -m tests.hostile.listed --write"
