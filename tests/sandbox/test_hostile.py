"""Every program of the hostile corpus: nothing is gained, and the next guest works."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox import (
    Guest,
    GuestCrashed,
    GuestError,
    GuestGone,
    GuestMemory,
    GuestOutput,
    GuestTimeout,
    Sandbox,
    StudentRaised,
)

from .conftest import HOSTILE, QUICK, script

Load = Callable[..., Guest]


@pytest.fixture(autouse=True)
def _others_live_on(sandbox: Sandbox) -> None:
    """After each of these tests a fresh guest answers."""
    yield
    with sandbox.guest({}, script("def f(): return 1")) as guest:
        assert guest.call("f") == 1


def test_each_file_says_what_it_tries() -> None:
    for file in HOSTILE.glob("*.py"):
        assert re.match(r"# [A-Z].{15,}\.\n", file.read_text()), file.name


@pytest.mark.parametrize(
    "name",
    [
        "sockets",
        "proc",
        "disk",
        "imports",
        "environment",
        "system_calls",
        "privileges",
        "read_only",
        "run_a_file",
    ],
)
def test_nothing_is_reached(load: Load, name: str) -> None:
    assert load(name).call("attempt") == []


@pytest.mark.parametrize("name", ["loop", "loop_in_c", "sleep", "stop", "loop_in_del"])
def test_what_never_returns_is_stopped(load: Load, name: str) -> None:
    guest = load(name)
    with pytest.raises(GuestTimeout) as caught:
        guest.call("attempt")
    assert (caught.value.kind, caught.value.limit) == ("wall", QUICK.check_seconds)
    assert caught.value.sentence == "Your code was stopped: it had not finished after 1 seconds."
    assert guest.usage().seconds < QUICK.check_seconds + 0.5
    assert not guest.alive


def test_processor_time_is_counted_over_all_processes(sandbox: Sandbox, family: Sandbox) -> None:
    from dataclasses import replace

    with family.attach(replace(QUICK, check_seconds=20.0, check_cpu_seconds=0.5)) as attached:
        source = (HOSTILE / "processor_time.py").read_text()
        with attached.guest({}, script(source)) as guest:
            guest.start_check()
            with pytest.raises(GuestTimeout) as caught:
                guest.call("attempt")
            assert caught.value.kind == "cpu"
            assert "of processor time" in caught.value.sentence
            assert guest.usage().seconds < 5


@pytest.mark.parametrize("name", ["memory_bytes", "memory_tensors"])
def test_private_memory_ends_in_an_error_that_says_so(load: Load, name: str) -> None:
    guest = load(name)
    with pytest.raises((StudentRaised, GuestMemory)) as caught:
        guest.call("attempt")
    if isinstance(caught.value, StudentRaised):
        assert caught.value.memory
        assert guest.alive
    assert guest.usage().peak_memory_bytes < 2 * QUICK.memory_bytes


@pytest.mark.parametrize("name", ["memory_mmap", "memory_children"])
def test_memory_that_no_rlimit_counts_is_stopped(load: Load, name: str) -> None:
    guest = load(name)
    with pytest.raises(GuestMemory) as caught:
        guest.call("attempt")
    assert caught.value.sentence == "Your code was stopped: it used more than 192 MiB of memory."
    assert guest.usage().peak_memory_bytes < 4 * QUICK.memory_bytes


def test_disk_is_bounded_over_all_folders(load: Load) -> None:
    assert load("memory_files").call("attempt") <= QUICK.disk_bytes


def test_files_and_folders_are_bounded(load: Load, roomy: Sandbox) -> None:
    assert load("many_files", into=roomy).call("attempt") < 20_000


def test_one_file_is_bounded(load: Load) -> None:
    assert load("large_file").call("attempt") == QUICK.file_bytes


def test_open_files_are_bounded(load: Load) -> None:
    assert load("open_files").call("attempt") < QUICK.open_files


def test_a_fork_bomb_is_stopped_and_leaves_nothing(load: Load) -> None:
    guest = load("fork_bomb")
    with pytest.raises(GuestGone):
        guest.call("attempt")
    guest.close()


def test_a_thread_bomb_is_an_error(load: Load) -> None:
    with pytest.raises(StudentRaised, match="can't start new thread"):
        load("thread_bomb").call("attempt")


def test_a_daemon_ends_with_its_guest(load: Load) -> None:
    guest = load("daemon")
    before = guest.processes()
    assert guest.call("attempt") == "left"
    daemons = set(guest.processes()) - set(before)
    assert len(daemons) == 3
    guest.close()
    assert not [pid for pid in daemons if Path(f"/proc/{pid}").exists()]


def test_signals_reach_nobody_else(load: Load, sandbox: Sandbox) -> None:
    with sandbox.guest({}, script("def f(): return 1")) as neighbour:
        assert load("signals").call("attempt") == 1
        assert neighbour.call("f") == 1


def test_a_flood_of_output_is_stopped(load: Load) -> None:
    guest = load("flood")
    with pytest.raises(GuestOutput) as caught:
        guest.call("attempt")
    assert caught.value.sentence == "Your code was stopped: it printed more than 1 MiB of output."
    output = guest.take_output()
    assert output.truncated
    assert len(output.stdout) + len(output.stderr) <= QUICK.output_bytes


def test_much_output_is_cut(load: Load) -> None:
    guest = load("prints_much")
    assert guest.call("attempt") == "done"
    output = guest.take_output()
    assert output.truncated
    assert output.stdout.startswith("line 0\nline 1\n")
    assert len(output.stdout) == QUICK.output_bytes
    guest.start_check()
    assert guest.take_output() == type(output)("", "", False)


def test_nobody_answers_input(load: Load) -> None:
    with pytest.raises(StudentRaised, match="EOFError: input\\(\\) has nobody to ask"):
        load("asks").call("attempt")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("crash", "crashed \\(SIGSEGV\\), in code outside Python"),
        ("abort", "crashed \\(SIG\\w+\\), in code outside Python"),
        ("c_recursion", "crashed \\(SIGSEGV\\), in code outside Python"),
        ("leave", "ended itself with exit status 0"),
    ],
)
def test_a_crash_is_named(load: Load, name: str, reason: str) -> None:
    guest = load(name)
    with pytest.raises(GuestCrashed, match=reason):
        guest.call("attempt")
    assert not guest.alive
    with pytest.raises(GuestCrashed, match=reason):
        guest.call("attempt")


@pytest.mark.parametrize("kind", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_exceptions_that_end_programs_end_no_guest(load: Load, kind: str) -> None:
    guest = load("leave_by_exception")
    with pytest.raises(StudentRaised, match=kind):
        guest.call("attempt", kind)
    assert guest.alive


def test_leaving_at_import_keeps_what_stands_above(load: Load) -> None:
    guest = load("leave_at_import")
    assert guest.call("attempt") == 1
    assert [name.name for name in guest.names() if name.kind == "function"] == ["attempt"]
    assert "ended itself at line" in guest.report.notes[0]
    assert guest.take_output().stdout == ""


def test_dying_at_import_leaves_the_definitions(load: Load) -> None:
    guest = load("die_at_import")
    assert (guest.call("attempt"), guest.call("below")) == ("alive", "alive too")
    assert guest.report.level == "definitions"
    assert "only its definitions were run" in guest.report.notes[0]
    assert "exit status 0" in guest.report.notes[0]


def test_a_loop_at_import_is_stopped_and_the_rest_loads(load: Load) -> None:
    guest = load("loop_at_import")
    assert (guest.call("attempt"), guest.call("below")) == (3, 4)
    assert guest.report.level == "all"
    assert [cell.status for cell in guest.report.cells] == ["ok", "ok", "stopped", "ok"]
    assert guest.report.seconds < 12


def test_no_more_descriptors_than_needed(load: Load) -> None:
    assert load("descriptors").call("attempt") == [(0, "device"), (1, "pipe"), (2, "pipe"), (3, "socket")]


def test_neighbours_meet_nowhere(load: Load) -> None:
    first, second = load("neighbour_socket"), load("neighbour_socket")
    assert set(first.call("leave")) >= {"/work", "/tmp", "/dev/shm"}
    assert second.call("attempt") == []


def test_defaults_are_restored_before_each_call(load: Load) -> None:
    import torch

    assert load("sets_defaults").call("attempt") == (torch.float32, "cpu", 1, True, False)


def test_patches_stay_in_the_guest(load: Load) -> None:
    import torch

    value = load("patches").call("attempt")
    assert type(value) is torch.Tensor
    assert not torch.equal(value, torch.ones(2))
    assert not torch.allclose(value, torch.ones(2))


def test_a_guest_that_broke_its_own_python_harms_itself(load: Load) -> None:
    with pytest.raises(GuestError):
        load("patches").call("attempt_more")


def test_files_named_like_libraries_shadow_none(load: Load) -> None:
    names = (
        "torch.py",
        "numpy.py",
        "random.py",
        "sitecustomize.py",
        "usercustomize.py",
        "conftest.py",
        "pytest.ini",
    )
    files = dict.fromkeys(names, b"raise SystemExit('shadow')") | {"conftest.py": b"X = 1"}
    *places, value = load("shadows", files=files).call("attempt")
    assert [place.startswith("/work") for place in places] == [False, False, False, True]
    assert value.tolist() == [1.0]


@pytest.mark.parametrize(
    ("kind", "type_name", "message"),
    [
        ("quiet", "Quiet", r"\(its message could not be read\)"),
        ("long", "Long", "x{2000} … \\(cut\\)$"),
        ("name", "N{200}", "<b>\x1b\\[31m"),
        ("base", "BaseException", "base"),
        ("deep", "RecursionError", "maximum recursion depth exceeded"),
    ],
)
def test_hostile_exceptions_are_plain_text(load: Load, kind: str, type_name: str, message: str) -> None:
    with pytest.raises(StudentRaised) as caught:
        load("raises").call("attempt", kind)
    assert re.fullmatch(type_name, caught.value.type_name)
    assert re.match(message, caught.value.message)
    assert len(caught.value.traceback) < 30


def test_mutated_inputs_are_seen_and_stay_there(load: Load) -> None:
    import torch

    x = torch.ones(2)
    kept = load("mutates").call("attempt", x, scale=2.0, keep_inputs=True)
    assert x.tolist() == [1.0, 1.0]
    assert kept.args[0].tolist() == kept.value.tolist() == [0.0, 0.0]
    assert kept.kwargs == {"scale": 2.0}


def test_deaf_at_import_leaves_the_definitions(family: Sandbox) -> None:
    from dataclasses import replace

    with family.attach(replace(QUICK, load_seconds=0.3)) as attached:
        source = (HOSTILE / "deaf_at_import.py").read_text()
        with attached.guest({}, script(source)) as guest:
            assert guest.call("attempt") == 3
            assert guest.report.level == "definitions"
