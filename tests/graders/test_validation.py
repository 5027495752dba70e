"""Validating an assignment finds what is wrong with its tests, its variants and its accepted work."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.assignment import Assignment, AssignmentError, read_assignment
from graders.result import Verdict
from graders.validation import Kind, Row, ValidationReport, fault_of, validate
from sandbox import Sandbox
from tests.graders.conftest import DATA
from tests.reports.result_maker import passing
from tests.reports.result_maker import result as one_result

Changed = Callable[..., ValidationReport]


@pytest.fixture
def changed(sandbox: Sandbox, tmp_path: Path) -> Changed:
    """Validate a copy of the tiny assignment in which text of files was replaced."""

    def run(*edits: tuple[str, str, str]) -> ValidationReport:
        folder = tmp_path / "tiny"
        shutil.copytree(DATA / "tiny", folder)
        for file, old, new in edits:
            text = (folder / file).read_text()
            assert old in text
            (folder / file).write_text(text.replace(old, new))
        return validate(read_assignment(folder), sandbox, seeds=(1,))

    return run


def test_a_sound_assignment_has_no_problem_and_a_table(sandbox: Sandbox, tiny: Assignment) -> None:
    told: list[Row] = []
    report = validate(tiny, sandbox, seeds=(1, 2), on_program=told.append)
    assert report.ok, report.problems
    assert [(row.kind, row.name, row.points) for row in report.rows] == [
        ("model", "tiny.py", 10),
        ("starter", "tiny.py", 0),
        ("accepted", "einsum", 10),
        ("accepted", "float32", 10),
        ("variant", "pools_padding", 4),
        ("variant", "divides_by_one_more", 4),
        ("variant", "doubles_in_place", 9),
        ("variant", "detached_shift", 8),
    ]
    assert told == list(report.rows)
    assert len(report.rows[0].of("tiny/test_pool")) == 2
    assert report.rows[4].verdict("tiny/test_pool") is Verdict.FAILED
    assert report.rows[4].verdict("tiny/test_pool_without_padding") is Verdict.SKIPPED
    assert report.rows[4].verdict("other/test") is None
    assert report.notes == (
        "tiny/test_total: no variant loses it, so nothing shows that it can fail.",
        "tiny/test_pool_without_padding: no variant loses it, so nothing shows that it can fail.",
        "tiny/test_total_leaves_its_input: only the variant doubles_in_place loses it.",
        "tiny/test_shift_gradient: only the variant detached_shift loses it.",
        "tiny: one check alone catches doubles_in_place (test_total_leaves_its_input), "
        "detached_shift (test_shift_gradient).",
    )
    assert [one.text for one in report.names] == ["4 of 4 variants named"]


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (
            ("solution/tiny.py", "x.sum()", "x.sum() + 1"),
            "solution/tiny.py: seed 1: test_total failed, and it must pass: Wrong values in",
        ),
        (
            ("accepted/einsum.py", "btx->bd", "btx->db"),
            "accepted/einsum.py: seed 1: test_pool failed, and it must pass",
        ),
        (
            ("starter/tiny.py", "raise NotImplementedError", "return x.sum()"),
            "starter/tiny.py: seed 1: test_total passed, but the starter earns 1 of its 1 points for nothing",
        ),
        (
            ("assignment.toml", '"test_pool", ', '"test_total", '),
            "variants/pools_padding.py: seed 1: test_total passed, though the variant names it",
        ),
        (
            ("assignment.toml", '"test_pool", ', '"test_pol", '),
            "variants/pools_padding.py: loses names 'test_pol', and there is no such check",
        ),
        (
            ("variants/doubles_in_place.py", "x.mul_(2)", "x = x * 2"),
            "variants/doubles_in_place.py: it passes every check, as a right answer does.",
        ),
        (
            ("variants/pools_padding.py", "return x.mean(dim=1)", "while True: pass"),
            "set diagnose = false in [variants.pools_padding]",
        ),
    ],
)
def test_what_is_wrong_is_named(changed: Changed, edit: tuple[str, str, str], problem: str) -> None:
    report = changed(edit)
    assert not report.ok
    assert any(text.startswith(problem) or text.endswith(problem + ".") for text in report.problems), (
        report.problems
    )


SAME_AGAIN = """
[variants.same_again]
title = "the same again"
loses = ["test_pool_example", "test_pool"]
"""


@pytest.fixture
def with_a_twin(sandbox: Sandbox, tmp_path: Path) -> Callable[[str], ValidationReport]:
    """Validate a copy of the tiny assignment with a second variant that behaves like another."""

    def run(more: str) -> ValidationReport:
        folder = tmp_path / "tiny"
        shutil.copytree(DATA / "tiny", folder)
        source = (folder / "variants" / "pools_padding.py").read_text()
        (folder / "variants" / "same_again.py").write_text(source)
        table = (folder / "assignment.toml").read_text()
        (folder / "assignment.toml").write_text(table + SAME_AGAIN + more)
        return validate(read_assignment(folder), sandbox, seeds=(1,))

    return run


def test_variants_that_cannot_be_told_apart_are_a_problem(
    with_a_twin: Callable[[str], ValidationReport],
) -> None:
    problems = " ".join(with_a_twin("").problems)
    assert (
        "test_pool, test_pool_example would be diagnosed as same_again if this variant were not known"
        in problems
    )
    assert (
        "test_pool, test_pool_example would be diagnosed as pools_padding if this variant were not known"
        in problems
    )
    assert "tiny: 3 of 5 variants named; not named: pools_padding, same_again; at least 9 of 10" in problems


def test_variants_said_to_be_the_same_go_by_one_name(
    with_a_twin: Callable[[str], ValidationReport],
) -> None:
    report = with_a_twin('same_as = "pools_padding"\n')
    assert report.ok, report.problems
    assert [one.text for one in report.names] == ["5 of 5 variants named"]


def test_a_variant_said_to_be_the_same_as_none_is_a_problem(
    with_a_twin: Callable[[str], ValidationReport],
) -> None:
    report = with_a_twin('same_as = "nothing"\nlike = ["this+that"]\n')
    assert any("same_as names 'nothing', no such variant" in text for text in report.problems)
    assert any("like names 'that', and there is no such variant" in text for text in report.problems)


def test_a_broken_check_is_a_problem(changed: Changed) -> None:
    report = changed(("tests/test_public.py", "x = fresh_tensor(2, 3, seed=1)", "x = 1 / 0"))
    assert any("test_total is broken: ZeroDivisionError" in text for text in report.problems)


def test_points_that_do_not_add_up_are_said_at_once(changed: Changed) -> None:
    with pytest.raises(AssignmentError, match="points is 11, but its checks add up to 10"):
        changed(("assignment.toml", "points = 10", "points = 11"))


def test_a_program_that_is_not_there_hears_which_are(sandbox: Sandbox, tiny: Assignment) -> None:
    with pytest.raises(
        AssignmentError, match=r"is called nosuch; there are: tiny\.py, einsum, float32, pools_"
    ):
        validate(tiny, sandbox, seeds=(1,), only=["nosuch"])


def test_all_programs_of_a_kind_are_named_by_it(sandbox: Sandbox, tiny: Assignment) -> None:
    report = validate(tiny, sandbox, seeds=(1, 2, 3), only=["model", "accepted", "doubles_in_place"])
    assert [row.kind for row in report.rows] == ["model", "accepted", "accepted", "variant"]
    assert not report.problems


@pytest.mark.parametrize(
    ("kind", "verdict", "points", "max_points", "fault"),
    [
        ("model", Verdict.PASSED, 2, 2, ""),
        ("accepted", Verdict.FAILED, 0, 2, "test_values failed, and it must pass"),
        ("starter", Verdict.FAILED, 0, 2, ""),
        ("starter", Verdict.PASSED, 0, 0, ""),
        ("starter", Verdict.FAILED, 0.5, 2, "test_values failed, but the starter earns 0.5 of its 2 points"),
        ("variant", Verdict.FAILED, 0, 2, ""),
        ("variant", Verdict.PASSED, 2, 2, "test_values passed, though the variant names it"),
        ("starter", Verdict.BROKEN, 0, 2, "test_values is broken"),
        ("variant", Verdict.BROKEN, 0, 2, "test_values is broken"),
    ],
)
def test_what_is_wanted_of_a_program(
    kind: Kind, verdict: Verdict, points: float, max_points: float, fault: str
) -> None:
    change = {"verdict": verdict, "points": points, "max_points": max_points}
    result = one_result("x", "X", checks=passing())
    checks = tuple(one.model_copy(update=change) for one in result.checks if one.id.endswith("/test_values"))
    row = Row(
        kind,
        "name",
        "title",
        checks[0].exercise,
        Path("program.py"),
        (result.model_copy(update={"checks": checks}),),
        loses=(checks[0].id,) if kind == "variant" else (),
    )
    assert fault_of(row, checks[0]).startswith(fault)
    assert row.as_it_should_be(checks[0].id) is (fault == "")


def test_what_an_assignment_lacks_is_named(sandbox: Sandbox, careless: Assignment) -> None:
    report = validate(careless, sandbox, seeds=(1,))
    assert any(
        "variants has no variant; so nothing shows that a check can fail" in text for text in report.problems
    )
