"""Whatever a submission returns, the verdict is `failed` or `error`: never `passed`, and never our fault."""

from __future__ import annotations

import pytest

from graders.assignment import Assignment
from tests.graders.conftest import Grade, check, verdicts

GARBAGE = [
    "None",
    "'text'",
    "3",
    "True",
    "10**5000",
    "float('nan')",
    "[]",
    "{}",
    "{1: 2}",
    "()",
    "(None,)",
    "(None, None)",
    "(x, None)",
    "[[[[x]]]]",
    "x",
    "x[0]",
    "torch.zeros(0)",
    "torch.tensor(1)",
    "torch.full_like(x, float('nan'))",
    "torch.ones(3, 2), torch.ones(3, 2)",
    "x.to(torch.complex64), x.int()",
    "x.numpy()",
    "object()",
    "torch.nn.Linear(2, 3)",
    "lambda: x",
    "(y for y in x)",
    "ValueError('returned')",
    "torch.float32",
    "x.to_sparse()",
    "torch.empty(2, 3, device='meta')",
    "torch.ones(1).expand(10**9)",
    "torch.nn.Parameter(x * float('inf'))",
]


@pytest.mark.parametrize("answer", GARBAGE)
def test_garbage_never_breaks_a_careless_check(grade: Grade, careless: Assignment, answer: str) -> None:
    result = grade(f"import torch\ndef pair(x):\n    return {answer}\n", careless)
    found = verdicts(result)
    sound = {name: found[name] for name in ("test_unpacks", "test_computes", "test_indexes", "test_looks_up")}
    assert set(sound.values()) <= {"failed", "error", "passed"}
    assert "failed" in sound.values() or "error" in sound.values()


@pytest.mark.parametrize("answer", GARBAGE)
def test_garbage_fails_every_check_of_a_careful_author(grade: Grade, model: str, answer: str) -> None:
    body = f"    return {answer}\n"
    source = model.replace("    return x.sum()\n", body).replace(
        "    return (x * real).sum(dim=1) / real.sum(dim=1)\n", body
    )
    found = verdicts(grade(source))
    assert {found["test_total"], found["test_pool"], found["test_pool_example"]} <= {"failed", "error"}


def test_an_answer_that_a_check_could_not_use_is_described(grade: Grade, careless: Assignment) -> None:
    found = check(grade("def pair(x): return None", careless), "test_unpacks")
    assert (found.verdict, found.message) == (
        "failed",
        "The answer could not be used by this check: None came.",
    )
    assert found.internal is not None
    assert "passes for the model solution" in found.internal
    assert "TypeError" in found.internal


def test_a_class_that_is_no_module_is_said_so(grade: Grade, model: str) -> None:
    found = check(
        grade(
            model.replace("class Shift(torch.nn.Module)", "class Shift(list)").replace(
                "super().__init__()", "pass"
            )
        ),
        "test_shift_gradient",
    )
    assert found.verdict in ("failed", "error")
    assert "an nn.Module was expected" in found.message


@pytest.mark.parametrize(
    "hostile",
    [
        "state_dict = lambda self, *a, **k: {'by': 'text'}",
        "state_dict = lambda self, *a, **k: 1 / 0",
        "to = lambda self, *a, **k: None",
        "train = lambda self, mode=True: 1 / 0",
        "named_parameters = lambda self, *a, **k: [(1, 2)]",
        "forward = None",
    ],
)
def test_a_module_that_overrides_what_checks_rely_on(grade: Grade, model: str, hostile: str) -> None:
    source = model + f"\n\nclass Shift(Shift):\n    {hostile}\n"
    found = check(grade(source), "test_shift_gradient")
    assert found.verdict in ("failed", "error", "crashed", "passed")
