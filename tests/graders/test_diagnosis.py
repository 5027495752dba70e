"""A diagnosis names the variant that a submission behaves like, or nothing. Never a wrong name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graders.assignment import Assignment
from tests.graders.conftest import DATA, Grade, check


def named(result: object, name: str) -> str | None:
    found = check(result, name).diagnosis  # type: ignore[arg-type]
    return found.variant if found else None


def test_the_same_error_in_other_words_is_named(grade: Grade, model: str) -> None:
    source = model.replace(
        "return (x * real).sum(dim=1) / real.sum(dim=1)", "return sum(x.unbind(1)) / x.shape[1]"
    )
    result = grade(source)
    found = check(result, "test_pool").diagnosis
    assert found is not None
    assert (found.variant, found.title, found.section) == (
        "pools_padding",
        "a mean over padding too",
        "Padding",
    )
    assert named(result, "test_pool_example") == "pools_padding"


@pytest.mark.parametrize(
    ("edit", "lost", "variant"),
    [
        (
            ("return x.sum()", "return (x.sum(), x.add_(x))[0]"),
            "test_total_leaves_its_input",
            "doubles_in_place",
        ),
        (("return x + self.by", "return x.data + self.by"), "test_shift_gradient", "detached_shift"),
        (("/ real.sum(dim=1)", "/ (1 + real.sum(dim=1))"), "test_pool", "divides_by_one_more"),
    ],
)
def test_inputs_gradients_and_modules_are_compared_too(
    grade: Grade, model: str, edit: tuple[str, str], lost: str, variant: str
) -> None:
    assert named(grade(model.replace(*edit)), lost) == variant


def test_two_errors_in_two_functions_are_both_named(grade: Grade, model: str) -> None:
    source = model.replace("return x.sum()", "return (x.sum(), x.mul_(2))[0]").replace(
        "return (x * real).sum(dim=1) / real.sum(dim=1)", "return x.mean(1)"
    )
    result = grade(source)
    assert named(result, "test_pool") == "pools_padding"
    assert named(result, "test_total_leaves_its_input") == "doubles_in_place"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/ real.sum(dim=1)", "/ (real.sum(dim=1) + 1.001)"),
        ("/ real.sum(dim=1)", "/ real.sum(dim=1) + 1e-3"),
        ("return (x * real).sum(dim=1) / real.sum(dim=1)", "return x[:, 0]"),
        (
            "return (x * real).sum(dim=1) / real.sum(dim=1)",
            "return x.mean(1) if x.shape[0] == 1 else x[:, 0]",
        ),
        ("return (x * real).sum(dim=1) / real.sum(dim=1)", "raise ValueError"),
        ("return (x * real).sum(dim=1) / real.sum(dim=1)", "return None"),
        ("return x.sum()", "return (x.sum(), x.mul_(3))[0]"),
    ],
)
def test_another_error_has_no_name(grade: Grade, model: str, old: str, new: str) -> None:
    result = grade(model.replace(old, new))
    lost = [one for one in result.checks if one.verdict in ("failed", "error")]
    assert lost
    assert all(one.diagnosis is None for one in lost)


def test_passed_checks_have_no_diagnosis(grade: Grade, model: str) -> None:
    assert all(one.diagnosis is None for one in grade(model).checks)


@pytest.fixture
def twins(tmp_path: Path, tiny: Assignment) -> Assignment:
    """The tiny assignment with two variants that differ only where the padding is longer than one."""
    (exercise,) = tiny.exercises
    path = tmp_path / "pools_one_of_padding.py"
    path.write_text(
        (DATA / "tiny" / "variants" / "pools_padding.py")
        .read_text()
        .replace("return x.mean(dim=1)", "m = mask & (mask.cumsum(1) > 1)\n    return masked(x, m)")
        + "\n\ndef masked(x, m):\n    real = (~m).to(x.dtype).unsqueeze(-1)\n"
        + "    return (x * real).sum(1) / real.sum(1)\n"
    )
    twin = replace(
        exercise.variants[0], name="pools_one_of_padding", title="a mean over one of padding", path=path
    )
    return replace(tiny, exercises=(replace(exercise, variants=(*exercise.variants, twin)),))


def test_calls_of_other_checks_decide_between_variants_that_fit(
    grade: Grade, model: str, twins: Assignment
) -> None:
    """The public example has one padding token, so both fit it; only the hidden cases tell them apart."""
    source = model.replace("return (x * real).sum(dim=1) / real.sum(dim=1)", "return x.mean(1)")
    assert named(grade(source, twins), "test_pool_example") == "pools_padding"
    assert named(grade(source, twins, public_only=True), "test_pool_example") is None


@pytest.mark.parametrize("diagnose", [False, True])
def test_a_variant_that_hangs_holds_nothing_up(
    grade: Grade, model: str, tmp_path: Path, tiny: Assignment, diagnose: bool
) -> None:
    (exercise,) = tiny.exercises
    path = tmp_path / "hangs.py"
    path.write_text(
        "def pool(x, mask):\n    while True:\n        try:\n            1 / 0\n        except Exception: pass"
    )
    hanging = replace(exercise.variants[0], name="hangs", path=path, diagnose=diagnose)
    assignment = replace(tiny, exercises=(replace(exercise, variants=(hanging, *exercise.variants[1:])),))
    source = model.replace("/ real.sum(dim=1)", "/ (1 + real.sum(dim=1))")
    assert named(grade(source, assignment), "test_pool") == "divides_by_one_more"


@pytest.mark.parametrize("source", ["raise ValueError", "import sys; sys.exit()", "def pool(:", "pool = 3"])
def test_a_variant_that_cannot_be_loaded_names_nothing(
    grade: Grade, model: str, tmp_path: Path, tiny: Assignment, source: str
) -> None:
    (exercise,) = tiny.exercises
    path = tmp_path / "odd.py"
    path.write_text(source)
    odd = replace(exercise.variants[0], name="odd", path=path)
    assignment = replace(tiny, exercises=(replace(exercise, variants=(odd, *exercise.variants)),))
    wrong = model.replace("return (x * real).sum(dim=1) / real.sum(dim=1)", "return x.mean(1)")
    assert named(grade(wrong, assignment), "test_pool") == "pools_padding"
