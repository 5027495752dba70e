"""What is recorded of attention while a program loads: enough, never too much, and never to its harm."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import torch

from sandbox import Guest, Program, Sandbox
from sandbox.errors import GuestCrashed
from sandbox.inside import recording

Load = Callable[..., Guest]

START = """
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
x = torch.randn(3, 4, 8)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
"""


def test_nothing_is_recorded_unless_asked_for(load: Load) -> None:
    recorded = load(START + "layer(x, x, x)").recorded()
    assert (recorded.calls, recorded.seen) == ((), 0)


def test_a_call_is_kept_with_inputs_parameters_and_answers(load: Load) -> None:
    guest = load(START + "mask = torch.zeros(3, 4).bool()\nlayer(x, x, x, mask)", record=True)
    (call,) = guest.recorded().calls
    assert (call.kind, call.number) == ("multi_head", 1)
    shapes = {name: tuple(tensor.shape) for name, tensor in call.tensors.items()}
    assert shapes == {
        **dict.fromkeys(("query", "key", "value", "output"), (3, 4, 8)),
        "key_padding_mask": (3, 4),
        "weights": (3, 4, 4),
        "in_proj_weight": (24, 8),
        "in_proj_bias": (24,),
        "out_proj.weight": (8, 8),
        "out_proj.bias": (8,),
    }
    assert call.values["num_heads"] == 2
    assert call.values["batch_first"] is True
    assert call.values["training"] is True
    assert call.values["average_attn_weights"] is True


@pytest.mark.parametrize("mode", ["", "layer.eval()\ntorch.set_grad_enabled(False)\n"])
def test_the_fast_path_is_recorded_too_and_once(load: Load, mode: str) -> None:
    recorded = load(START + mode + "layer(x, x, x)", record=True).recorded()
    assert [call.kind for call in recorded.calls] == ["multi_head"]


@pytest.mark.parametrize(
    "call",
    [
        "F.softmax(s, dim=-1)",
        "F.softmax(s, -1)",
        "torch.softmax(s, -1)",
        "torch.softmax(input=s, dim=-1)",
        "s.softmax(-1)",
        "s.softmax(dim=-1)",
        "nn.Softmax(dim=-1)(s)",
    ],
)
def test_softmax_over_scores_is_recorded_once_however_it_is_called(load: Load, call: str) -> None:
    recorded = load(START + f"s = torch.randn(3, 2, 4, 4)\n{call}", record=True).recorded()
    assert [(one.kind, one.values) for one in recorded.calls] == [("softmax", {"dim": -1})]


def test_softmax_of_a_classifier_is_none_of_attentions(load: Load) -> None:
    assert not load(START + "torch.randn(5, 3).softmax(-1)", record=True).recorded().seen


def test_dot_product_attention_is_recorded_where_the_student_calls_it(load: Load) -> None:
    source = (
        START + "layer(x, x, x, need_weights=False)\nF.scaled_dot_product_attention(x, x, x, is_causal=True)"
    )
    kinds = [call.kind for call in load(source, record=True).recorded().calls]
    assert kinds == ["multi_head", "dot_product"]


def test_of_a_long_loop_the_first_and_the_last_calls_are_kept(load: Load) -> None:
    recorded = load(
        START + "for _ in range(300): layer(x, x, x)\nlayer(x[:2], x[:2], x[:2])", record=True
    ).recorded()
    assert [call.number for call in recorded.calls] == [1, 2, 3, 4, 5, 6, 297, 298, 299, 300, 301]
    assert recorded.seen == 301


def test_a_training_loop_leaves_no_call_whose_parameters_have_changed(load: Load) -> None:
    source = """
for _ in range(20):
    layer(x, x, x)[0].sum().backward()
    with torch.no_grad():
        layer.in_proj_weight.sub_(layer.in_proj_weight.grad)
"""
    recorded = load(START + source, record=True).recorded()
    assert [call.number for call in recorded.calls] == [1, 2, 3, 4, 5, 6]
    assert not torch.equal(
        recorded.calls[0].tensors["in_proj_weight"], recorded.calls[1].tensors["in_proj_weight"]
    )


def test_calls_are_bounded_in_number_and_bytes() -> None:
    with recording.Recorder() as recorder:
        for width in range(1, 200):
            for _ in range(12):
                torch.zeros(1, width, 4).softmax(-1)
        for size in (300, 301, 302, 303, 304, 305, 306, 307, 308):
            for _ in range(20):
                torch.zeros(1, size, 1000).softmax(-1)
    seen, tensors, calls = recorder.recording.answer()
    assert seen == 199 * 12 + 9 * 20
    assert len(calls) <= recording.MOST_KINDS * (recording.FIRST + recording.LAST) + recording.MOST_OTHERS
    assert sum(tensor.nbytes for tensor in tensors) <= recording.MOST_BYTES


def test_a_call_too_large_to_keep_is_counted_only() -> None:
    with recording.Recorder() as recorder:
        torch.zeros(2, 1000, 1000).softmax(-1)
    assert recorder.recording.answer() == (1, [], [])


def test_everything_is_as_it_was_afterwards() -> None:
    before = torch.softmax, torch.nn.functional.softmax, torch.nn.MultiheadAttention.forward
    dot_product = torch.nn.functional.scaled_dot_product_attention
    with recording.Recorder():
        assert torch.softmax is not before[0]
    assert (torch.softmax, torch.nn.functional.softmax, torch.nn.MultiheadAttention.forward) == before
    assert torch.nn.functional.scaled_dot_product_attention is dot_product
    assert "softmax" not in vars(torch.Tensor)


@pytest.mark.parametrize(
    "call",
    [
        "torch.vmap(lambda z: z.softmax(-1))(torch.randn(2, 3, 4, 4))",
        "torch.func.grad(lambda z: F.softmax(z, -1)[0, 0, 0])(torch.randn(3, 4, 4))",
        "layer(x, x, x, attn_mask=torch.zeros(4, 4).to_sparse())",
        "layer(torch.zeros(3, 4, 8, device='meta'), x, x)",
        "layer('no tensor', x, x)",
        "layer(x, x)",
        "F.softmax(x)",
        "torch.softmax(torch.nested.nested_tensor([x[0], x[1]]), -1)",
    ],
)
def test_odd_calls_do_what_they_would_do_without(load: Load, roomy: Sandbox, call: str) -> None:
    outcomes = []
    for record in (False, True):
        guest = load(START + call, record=record, into=roomy)  # some import much of torch
        last = guest.report.cells[-1]
        outcomes.append((last.status, last.error and (last.error.type_name, last.error.message)))
        guest.recorded()
    assert outcomes[0] == outcomes[1]


def test_what_stops_a_load_goes_through_the_recorder(load: Load) -> None:
    guest = load(START + "while True: layer(x, x, x)", record=True)
    assert guest.report.cells[-1].status == "stopped"
    assert guest.recorded().calls


def test_what_a_notebooks_cell_shows_is_printed_where_it_is_recorded(sandbox: Sandbox) -> None:
    cells = ("import torch", "torch.ones(2)", "print('x')", "class Bad:\n    def __repr__(self): 1/0\nBad()")
    for record, printed in ((True, "tensor([1., 1.])\nx\n"), (False, "x\n")):
        with sandbox.guest({}, Program("notebook", "lab.ipynb", cells, record=record)) as guest:
            assert guest.take_output().stdout == printed
            assert {cell.status for cell in guest.report.cells} == {"ok"}


def test_a_loop_of_training_is_not_slowed() -> None:
    layer, x = torch.nn.MultiheadAttention(16, 2, batch_first=True), torch.randn(8, 12, 16)
    optimiser = torch.optim.Adam(layer.parameters())

    def seconds() -> float:
        began = time.process_time()
        for _ in range(20):
            optimiser.zero_grad()
            layer(x, x, x)[0].sum().backward()
            optimiser.step()
        return time.process_time() - began

    without, recorded = [], []
    for _ in range(8):
        without.append(seconds())
        with recording.Recorder():
            recorded.append(seconds())
    assert min(recorded) < 2 * min(without)  # measured: 1.03; a busy machine is no failure


@pytest.mark.parametrize(
    "answer",
    [
        "None",
        "(1, [], [(1, 'softmax', {'scores': 0}, {})])",
        "(1, [torch.ones(2)], [(1, 'softmax', {'scores': -1}, {})])",
        "(1, ['text'], [])",
        "(2**70, [], [])",
        "(1, [], [(1, 'softmax', {}, {'dim': 'long' * 99})])",
        "(1, [], [('1', 2, 3, 4)] * 50)",
    ],
)
def test_a_recording_that_is_none_ends_the_guest(load: Load, answer: str) -> None:
    guest = load(
        f"import sys, torch\nsys.modules['inside.recording'].Recording.answer = lambda self: {answer}",
        record=True,
    )
    with pytest.raises(GuestCrashed):
        guest.recorded()
