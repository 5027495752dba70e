"""What is said while no worker has anything in hand, and when a run is given up."""

from __future__ import annotations

import pytest

from graders.cluster.envelope import ClusterError
from graders.cluster.waits import ALONE_SECONDS, REFUSED_SECONDS, Waits


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def waits(said: list[str]) -> Waits:
    return Waits(said.append, "attest worker", 0.0)


def test_that_nobody_is_there_is_said_more_and_more_seldom(waits: Waits, said: list[str]) -> None:
    for second in range(60):
        waits.look(float(second))
    assert [sentence.split(" for ")[1].split(".")[0] for sentence in said] == ["11 s", "21 s", "41 s"]
    assert "Is one running? attest worker. Waiting." in said[0]


def test_a_word_from_a_worker_begins_it_anew(waits: Waits, said: list[str]) -> None:
    waits.heard(100.0)
    waits.look(100.0 + ALONE_SECONDS)
    assert said == []


def test_each_refusal_is_said_once(waits: Waits, said: list[str]) -> None:
    for _ in range(3):
        waits.refused("a", "too old.", 1.0)
        waits.refused("b", "too new.", 1.0)
    assert said == ["a refuses this run: too old.", "b refuses this run: too new."]


def test_a_run_that_all_refuse_is_given_up_with_all_reasons(waits: Waits) -> None:
    waits.refused("a", "too old.", 1.0)
    waits.refused("b", "too new.", 5.0)
    waits.look(1.0 + REFUSED_SECONDS)
    with pytest.raises(ClusterError, match=r"no worker grades this run\. a: too old\.; b: too new\."):
        waits.look(1.1 + REFUSED_SECONDS)


def test_a_run_that_one_worker_takes_is_not(waits: Waits) -> None:
    waits.refused("a", "too old.", 1.0)
    waits.taken()
    waits.heard(100.0)
    waits.look(101.0)
