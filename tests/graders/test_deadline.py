"""A check that does not come to an end in the grader is stopped, and blames nobody but the answer."""

import re
import signal
import threading

import pytest

from graders.calls import Record
from graders.deadline import CheckTookTooLong, deadline
from graders.verdicts import asks_for_float32, judge


def test_a_pattern_that_backtracks_for_ever_is_stopped():
    with pytest.raises(CheckTookTooLong, match=r"more than 0\.2 seconds"), deadline(0.2):
        re.match(r"(a+)+$", "a" * 60 + "b")


def test_what_ends_in_time_is_left_alone_and_the_timer_is_off():
    with deadline(5):
        pass
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_stop_that_a_destructor_swallows_comes_again(monkeypatch):
    monkeypatch.setattr("graders.deadline.AGAIN_SECONDS", 0.05)

    class Slow:
        def __del__(self):
            re.match(r"(a+)+$", "a" * 60 + "b")

    def both():
        Slow()
        re.match(r"(a+)+$", "a" * 60 + "b")

    with pytest.raises(CheckTookTooLong, match=r"0\.1 seconds"), deadline(0.1):
        both()
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


def test_one_inside_another_gives_the_outer_its_time_back():
    def both():
        with deadline(60):
            pass
        re.match(r"(a+)+$", "a" * 60 + "b")

    with pytest.raises(CheckTookTooLong, match=r"0\.3 seconds"), deadline(0.3):
        both()


def test_beside_the_main_thread_nothing_is_stopped():
    done = []

    def work():
        with deadline(0.001):
            done.append(sum(range(100_000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


def test_the_model_solution_decides_whose_fault_it_is():
    outcome = judge(CheckTookTooLong(20), None, "module")
    assert outcome.doubtful
    assert not asks_for_float32(outcome, Record())
