"""Which job is handed out when, without a broker and by a clock that is given."""

from __future__ import annotations

import pytest

from graders.cluster.ledger import LEASE_SECONDS, TRIES, Ledger


@pytest.fixture
def ledger() -> Ledger:
    """Three jobs, all sent at second 0."""
    ledger = Ledger(window=10)
    ledger.add(range(3))
    send_all(ledger, 0.0)
    return ledger


def send_all(ledger: Ledger, now: float) -> list[int]:
    """Send whatever is due; return it."""
    sent = []
    while (index := ledger.next_to_send()) is not None:
        ledger.sent(index, f"job{index}", now)
        sent.append(index)
    return sent


def test_no_more_are_out_than_fit_the_window() -> None:
    ledger = Ledger(window=2)
    ledger.add(range(3))
    assert send_all(ledger, 0.0) == [0, 1]
    ledger.taken("job0", 1, "w", 1.0)
    ledger.answered("job0")
    assert send_all(ledger, 2.0) == [2]


def test_a_job_of_a_silent_worker_is_handed_out_again_though_the_window_is_full() -> None:
    ledger = Ledger(window=1)
    ledger.add([0])
    send_all(ledger, 0.0)
    ledger.taken("job0", 1, "w", 1.0)
    ledger.taken("job0", 1, "w", 5.0)  # a beat
    assert ledger.silent(5.0 + LEASE_SECONDS) == []
    (silent,) = ledger.silent(5.1 + LEASE_SECONDS)
    assert ledger.failed("job0", silent.number, "w is silent") is None
    assert send_all(ledger, 20.0) == [0]
    assert ledger.number_of(0) == 2


def test_the_last_try_ends_it_with_its_story(ledger: Ledger) -> None:
    for number in range(1, TRIES):
        assert ledger.failed("job1", number, f"reason {number}") is None
        assert send_all(ledger, 0.0) == [1]
    lost = ledger.failed("job1", TRIES, "the last")
    assert lost is not None
    assert lost.story == "Tried 3 times. 1: reason 1; 2: reason 2; 3: the last"
    assert send_all(ledger, 0.0) == []


def test_a_failure_that_is_told_twice_counts_once(ledger: Ledger) -> None:
    for _ in range(TRIES + 1):
        assert ledger.failed("job0", 1, "the same try") is None
    assert ledger.entry("job0").number == 2
    assert send_all(ledger, 0.0) == [0]


def test_only_the_first_answer_counts(ledger: Ledger) -> None:
    assert ledger.answered("job2") is not None
    assert ledger.answered("job2") is None
    assert ledger.answered("never sent") is None


def test_an_answer_that_comes_after_its_worker_was_given_up_still_counts(ledger: Ledger) -> None:
    ledger.failed("job0", 1, "silent")
    assert ledger.answered("job0").index == 0
    assert send_all(ledger, 0.0) == []  # and is not sent again


def test_what_nobody_has_taken_is_sent_again_once_the_queue_is_empty(ledger: Ledger) -> None:
    late = LEASE_SECONDS + 1
    assert ledger.overdue(late, queue_is_empty=False) == []
    assert [entry.index for entry in ledger.overdue(late, queue_is_empty=True)] == [0, 1, 2]
    assert ledger.overdue(LEASE_SECONDS - 1, queue_is_empty=True) == []


def test_what_was_overtaken_is_sent_again_though_others_wait_in_the_queue(ledger: Ledger) -> None:
    ledger.taken("job1", 1, "w", 1.0)
    overdue = ledger.overdue(2 + LEASE_SECONDS, queue_is_empty=False)
    assert [entry.index for entry in overdue] == [0]  # job2 was sent after it, and may well wait


def test_sending_again_what_was_lost_is_no_try(ledger: Ledger) -> None:
    ledger.again(ledger.entry("job0"))
    assert send_all(ledger, 30.0) == [0]
    assert ledger.number_of(0) == 1


def test_after_a_stop_only_what_is_in_hand_is_waited_for(ledger: Ledger) -> None:
    ledger.taken("job1", 1, "w", 1.0)
    ledger.again(ledger.entry("job2"))
    ledger.stop()
    assert send_all(ledger, 2.0) == []
    ledger.drop()
    assert [entry.id for entry in ledger.in_hand] == ["job1"]
    ledger.answered("job1")
    assert ledger.is_done


def test_a_file_that_changed_meanwhile_is_a_job_of_its_own(ledger: Ledger) -> None:
    ledger.again(ledger.entry("job0"))
    assert ledger.next_to_send() == 0
    ledger.sent(0, "changed", 5.0)
    assert ledger.answered("job0") is None
    assert ledger.answered("changed").index == 0
