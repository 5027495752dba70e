"""Work that fixes float32 is judged in float32, and by nothing but its answers there."""

from __future__ import annotations

import pytest

from graders.grading import IN_FLOAT32
from tests.graders.conftest import Grade, check


def with_total(model: str, answer: str) -> str:
    return model.replace("    return x.sum()\n", f"    return {answer}\n")


@pytest.mark.parametrize(
    "answer",
    [
        "x.float().sum()",
        "x.float().sum().to(x.dtype)",
        "sum(torch.zeros(()) + v.float() for v in x.flatten())",
        "(x @ torch.ones(x.shape[-1])).sum()",
        "torch.nn.Linear(x.shape[-1], 1)(x).sum() * 0 + x.sum()",
        "torch.zeros(1).index_put((torch.tensor([0]),), x.sum().view(1)).sum()",
    ],
)
def test_right_in_float32_passes_with_a_note(grade: Grade, model: str, answer: str) -> None:
    found = check(grade(with_total(model, answer)), "test_total")
    assert (found.verdict, found.points, found.message) == ("passed", 1, IN_FLOAT32)


def test_right_in_float64_is_not_asked_again(grade: Grade, model: str) -> None:
    result = grade(with_total(model, "print(x.dtype) or x.sum()"))
    assert check(result, "test_total").stdout == "torch.float64\n"


def test_wrong_in_float32_fails_with_the_float32_answer(grade: Grade, model: str) -> None:
    found = check(grade(with_total(model, "x.float().sum() + 1")), "test_total")
    assert (found.verdict, found.points) == ("failed", 0)
    assert found.message.endswith(IN_FLOAT32)
    assert found.counterexample is not None
    assert found.counterexample.expected is not None
    assert found.counterexample.expected.kind == "tensor"
    assert found.counterexample.expected.dtype == "float32"


@pytest.mark.parametrize(
    "answer", ["x.half().sum()", "x.sum().bfloat16()", "x.int().sum()", "x.sum() + 1e-4"]
)
def test_less_exact_than_float32_is_no_excuse(grade: Grade, model: str, answer: str) -> None:
    assert check(grade(with_total(model, answer)), "test_total").verdict == "failed"


def test_float32_in_disguise_gains_nothing(grade: Grade, model: str) -> None:
    answer = "x.sum() if x.dtype == torch.float32 else (_ for _ in ()).throw(ValueError('float double'))"
    assert check(grade(with_total(model, answer)), "test_total").verdict == "passed"
    wrong = answer.replace("x.sum()", "x.sum() * 1.01")
    assert check(grade(with_total(model, wrong)), "test_total").verdict == "failed"


def test_cases_and_modules_arrive_in_float32(grade: Grade, model: str) -> None:
    source = model.replace("real = (~mask).to(x.dtype)", "x = x.float()\n    real = (~mask).float()").replace(
        "return x + self.by", "return x.float() + self.by.float()"
    )
    result = grade(source)
    assert {one.verdict.value for one in result.checks} == {"passed"}
