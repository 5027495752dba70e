"""The `student` proxy: values travel, modules stay in the guest, and every call is recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from graders import CheckFailure
from graders.calls import Call, Record, parameter_names
from graders.student import Student
from sandbox import Guest, NameMissing, Program, Sandbox, StudentRaised

SOURCE = """
import torch

def double(x, times=2):
    return x * times

def grows(x):
    x += 1
    return x

def tells_grad():
    return torch.is_grad_enabled()

def draws():
    return torch.rand(1)

def run(layer, x):
    return layer(x)

def build():
    return 5

def makes():
    return torch.nn.Linear(2, 2)

class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = torch.nn.Linear(3, width)
        self.drop = torch.nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(self.inner(x)).mean(1)
    def half(self):
        return self.training

def not_a_net():
    return 3
"""


@pytest.fixture(scope="module")
def guest(sandbox: Sandbox) -> Iterator[Guest]:
    with sandbox.guest({}, Program("script", "work.py", (SOURCE,))) as guest:
        yield guest


@pytest.fixture
def record() -> Record:
    return Record()


@pytest.fixture
def student(guest: Guest, record: Record) -> Student:
    guest.start_check()
    return Student(lambda _: guest, torch.float64, 7, record)


def test_functions_are_called_with_values(student: Student) -> None:
    assert torch.equal(student.double(torch.ones(2)), torch.full((2,), 2.0))
    assert torch.equal(student.double(torch.ones(2), times=3), torch.full((2,), 3.0))
    assert student.call("build") == 5
    assert student.tells_grad() is True
    assert student.tells_grad.no_grad() is False


def test_names_can_be_asked_for(student: Student) -> None:
    assert student.has("double")
    assert not student.has("triple")
    assert {cell.status for cell in student.load.cells} == {"ok"}
    with pytest.raises(NameMissing):
        student.triple(1)
    with pytest.raises(AttributeError):
        student._private  # noqa: B018


def test_changed_inputs_come_back(student: Student) -> None:
    x = torch.zeros(2)
    answer, (after,) = student.with_inputs("grows", x)
    assert answer.tolist() == after.tolist() == [1, 1]
    assert x.tolist() == [0, 0]


def test_inputs_that_a_module_changed_come_back(student: Student) -> None:
    x = torch.tensor([-1.0, 2.0])
    answer, (after,) = student.torch("ReLU", inplace=True).with_inputs(x)
    assert answer.tolist() == after.tolist() == [0, 2]
    assert x.tolist() == [-1, 2]


def test_each_call_draws_other_numbers_and_a_repetition_the_same(student: Student, guest: Guest) -> None:
    first, second = student.draws(), student.draws()
    assert not torch.equal(first, second)
    again = Student(lambda _: guest, torch.float64, 7, Record())
    assert torch.equal(again.draws(), first)


def test_a_call_can_draw_the_same_numbers_as_the_last_one(student: Student) -> None:
    first = student.draws()
    student.repeat_draws()
    assert torch.equal(student.draws(), first)
    assert not torch.equal(student.draws(), first)


def test_a_module_is_built_cast_and_asked(student: Student) -> None:
    net = student.build("Net", width=4).eval()
    assert {parameter.dtype for parameter in net.parameters()} == {torch.float64}
    assert net.parameter_count() == 16
    x = torch.ones(2, 5, 3, dtype=torch.float64)
    state = net.state_dict()
    expected = torch.nn.functional.linear(x, state["inner.weight"], state["inner.bias"]).mean(1)
    torch.testing.assert_close(net(x), expected)
    torch.testing.assert_close(net.no_grad(x), expected)
    assert net.method("half") is False
    assert net.train().method("half") is True
    assert {module.type_name for module in net.submodules()} == {"Linear", "Dropout"}
    net.load_state_dict({name: torch.zeros_like(value) for name, value in state.items()})
    assert net.eval()(x).abs().max() == 0
    assert net.to(torch.float32)(x.float()).dtype == torch.float32


def test_checks_share_a_module_until_its_guest_is_replaced(student: Student, sandbox: Sandbox) -> None:
    net = student.build("Net", width=4).eval()
    guest, record = net._guest, Record()
    shared = net.asked_by(Student(lambda _: guest, torch.float64, 8, record))
    assert shared is not None
    del net
    guest.collect()
    x = torch.ones(2, 5, 3, dtype=torch.float64)
    assert torch.equal(shared(x), shared(x))  # still there, and still in evaluation mode
    assert len(record.calls) == 2
    with sandbox.guest({}, Program("script", "work.py", (SOURCE,))) as other:
        other.start_check()
        assert shared.asked_by(Student(lambda _: other, torch.float64, 9, Record())) is None


def test_a_hidden_state_is_replaced(student: Student) -> None:
    net = student.build("Net", 4).eval()
    x = torch.ones(2, 5, 3, dtype=torch.float64)
    assert net.hidden(x).shape == (2, 5, 4)
    hidden = torch.arange(40.0, dtype=torch.float64).reshape(2, 5, 4)
    torch.testing.assert_close(net.call_with_hidden(x, hidden=hidden), hidden.mean(1))
    flat = student.torch("Linear", 3, 2)
    with pytest.raises(CheckFailure, match=r"Nothing inside nn\.Linear has an output of shape"):
        flat.call_with_hidden(x, hidden=hidden)


def test_modules_of_torch_are_arguments_and_answers(student: Student) -> None:
    layer = student.torch("Linear", 3, 2)
    x = torch.ones(1, 3, dtype=torch.float64)
    torch.testing.assert_close(student.run(layer, x), layer(x))
    made = student.makes()
    assert made.double()(torch.ones(1, 2, dtype=torch.float64)).shape == (1, 2)


def test_gradients_of_functions_and_modules(student: Student) -> None:
    x = torch.ones(2, dtype=torch.float64)
    cotangent = torch.randn(2, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    torch.testing.assert_close(student.double.gradients(x, cotangent_seed=3).inputs[0], 2 * cotangent)
    found = student.build("Net", 4).eval().gradients(torch.ones(1, 2, 3, dtype=torch.float64))
    assert set(found.parameters) == {"inner.weight", "inner.bias"}


def test_what_is_no_module_fails_the_check(student: Student) -> None:
    with pytest.raises(CheckFailure, match=r"not_a_net\(\) gave the int 3; an nn.Module was expected"):
        student.build("not_a_net")


def test_calls_are_recorded_as_they_were_made(student: Student, record: Record) -> None:
    student.double(torch.ones(2))
    with pytest.raises(StudentRaised):
        student.double("a", times="b")
    net = student.build("Net", width=4)
    net.eval()(torch.ones(1, 2, 3, dtype=torch.float64))
    texts = [call.text("(x, times=2)" if call.name == "double" else "(x)") for call in record.calls]
    assert texts == ["double(x)", "double('a', times='b')", "Net(width=4)", "Net(width=4)(x)"]
    assert record.calls[0].args[0].tolist() == [1, 1]
    assert record.calls[0].output.tolist() == [2, 2]
    assert record.calls[1].raised is not None
    assert record.calls[1].raised[0] == "TypeError"
    assert list(record.calls[3].modes.values()) == [False]
    assert record.answers == 4


def test_a_call_whose_tensors_were_written_to_later_says_so(student: Student, record: Record) -> None:
    x = torch.ones(2)
    student.double(x)
    answer = student.double(x)
    answer += 1
    assert [call.intact() for call in record.calls] == [True, False]
    x.zero_()
    assert [call.intact() for call in record.calls] == [False, False]


def test_a_float32_answer_to_a_float64_question_is_noted(student: Student, record: Record) -> None:
    student.double(torch.ones(1, dtype=torch.float64))
    assert not record.single
    student.double(torch.ones(1))
    assert record.single


def test_a_record_is_bounded() -> None:
    record = Record()
    for _ in range(1000):
        record.end(record.begin(Call("f", (torch.ones(10**5),), {})), torch.ones(10**5))
    assert sum(call.output.numel() for call in record.calls) < 10**7
    assert record.answers == 1000


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("(query, key, mask=None)", ["query", "key", "mask"]),
        ("(a, /, b, *, c)", ["a", "b"]),
        ("(x", []),
        ("(" * 1000, []),
        ("(x): pass\nimport os\ndef g()", ["x"]),
        (None, []),
    ],
)
def test_parameter_names(signature: str | None, names: list[str]) -> None:
    assert parameter_names(signature) == names


def test_a_students_parameters_may_have_any_names(sandbox: Sandbox) -> None:
    names = ("seed", "grad", "method", "target", "args", "kwargs", "keep_inputs", "name", "cotangent_seed")
    source = f"def take(*, {', '.join(f'{name}=0' for name in names)}):\n    return [{', '.join(names)}]\n"
    with sandbox.guest({}, Program("script", "work.py", (source,))) as guest:
        guest.start_check()
        student = Student(lambda _: guest, torch.float64, 9, Record())
        given = {name: number for number, name in enumerate(names, 1)}
        assert student.take(**given) == list(given.values())
        answer, _ = student.with_inputs("take", **given)
        assert answer == list(given.values())
