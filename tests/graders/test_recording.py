"""Recorded attention is computed again: what honest calls give, and what no lie gets past."""

from __future__ import annotations

import dataclasses
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from graders import printed_row
from graders.recording import Recording, computed_again
from sandbox import Program, Recorded, RecordedCall, Sandbox
from sandbox.inside.recording import Recorder

torch.manual_seed(0)
X = torch.randn(3, 4, 8)
PADDING = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]]).bool()
CAUSAL = torch.ones(4, 4).triu(1).bool()


def words(run: Callable[[], object]) -> Recorded:
    with Recorder() as recorder:
        run()
    seen, tensors, calls = recorder.recording.answer()
    return Recorded(
        tuple(
            RecordedCall(number, kind, {name: tensors[place] for name, place in own.items()}, values)
            for number, kind, own, values in calls
        ),
        seen,
    )


def again(run: Callable[[], object]) -> Recording:
    return computed_again(words(run))


LAYERS = {
    "plain": {},
    "dropout": {"dropout": 0.3},
    "no bias": {"bias": False},
    "biases of keys and a zero": {"add_bias_kv": True, "add_zero_attn": True},
}
CALLS: dict[str, Callable[[nn.MultiheadAttention, Tensor], object]] = {
    "averaged": lambda layer, x: layer(x, x, x),
    "per head": lambda layer, x: layer(x, x, x, average_attn_weights=False),
    "no weights": lambda layer, x: layer(x, x, x, need_weights=False),
    "padding": lambda layer, x: layer(x, x, x, key_padding_mask=PADDING),
    "float padding and causal": lambda layer, x: layer(
        x,
        x,
        x,
        key_padding_mask=PADDING.float() * -1e9,
        attn_mask=CAUSAL.float().masked_fill(CAUSAL, -torch.inf),
    ),
    "hint": lambda layer, x: layer(
        x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(4), is_causal=True
    ),
    "mask of each head": lambda layer, x: layer(x, x, x, attn_mask=CAUSAL.expand(6, 4, 4)),
    "no batch": lambda layer, x: layer(x[:, 0], x[:, 0], x[:, 0], average_attn_weights=False),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", CALLS)
@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("batch_first", [True, False])
def test_every_honest_call_of_a_layer_follows(kind: str, how: str, batch_first: bool) -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=batch_first, **LAYERS[kind])
    x = X if batch_first else X.transpose(0, 1)
    given: list[object] = []

    def run() -> None:
        given.append(CALLS[how](layer, x))
        layer.eval()
        given.append(CALLS[how](layer, x))
        with torch.no_grad():
            given.append(CALLS[how](layer, x))

    recording = again(run)
    assert (len(recording), recording.refused, recording.seen) == (3, 0, 3)
    for call, (_, weights) in zip(recording, given, strict=True):  # type: ignore[misc]
        if kind != "dropout" or not call.training:
            torch.testing.assert_close(
                call.returned, None if weights is None else weights.reshape(call.returned.shape).double()
            )
        assert call.weights.dtype is torch.float64
        assert (call.d_model, call.num_heads) == (8, 2)
        batch = 1 if how == "no batch" else 3
        assert call.weights.shape[:3] == (batch, 2, 4 if how != "no batch" else x.shape[0])
        assert call.output is not None
        assert call.output.shape[0] == batch


def test_a_float_mask_that_blocks_nothing_is_told_apart() -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    masks = (
        None,
        CAUSAL,
        CAUSAL.float(),
        torch.zeros(4, 4).masked_fill(CAUSAL, -torch.inf),
        torch.zeros(4, 4),
    )
    calls = again(lambda: [layer(X, X, X, attn_mask=mask) for mask in masks])
    assert [call.shifted for call in calls] == [False, False, True, False, False]
    heads = X.view(3, 4, 2, 4).transpose(1, 2)
    (call,) = again(
        lambda: functional.scaled_dot_product_attention(heads, heads, heads, attn_mask=CAUSAL.float())
    )
    assert call.shifted


def test_other_widths_of_keys_and_values_follow() -> None:
    layer = nn.MultiheadAttention(8, 2, kdim=5, vdim=6, batch_first=True).double()
    key, value = (torch.randn(3, 7, width, dtype=torch.float64) for width in (5, 6))
    (call,) = again(lambda: layer(X.double(), key, value))
    assert call.weights.shape == (3, 2, 4, 7)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_every_dtype_follows(dtype: torch.dtype) -> None:
    layer, x = nn.MultiheadAttention(8, 2, batch_first=True).to(dtype), X.to(dtype)
    assert len(again(lambda: layer(x, x, x))) == 1


def test_what_the_masks_block_is_known() -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    padded, causal = again(lambda: (layer(X, X, X, PADDING), layer(X, X, X, attn_mask=CAUSAL)))
    assert torch.equal(padded.padding, PADDING)
    assert not causal.padding.any()
    assert torch.equal(causal.blocked, CAUSAL.expand(3, 2, 4, 4))
    assert causal.averaged[:, 0].tolist() == [[1, 0, 0, 0]] * 3


def test_dot_product_attention_and_softmax_follow() -> None:
    query = torch.randn(3, 2, 4, 6)
    scores = query @ query.transpose(-2, -1)

    def run() -> None:
        functional.scaled_dot_product_attention(query, query, query)
        functional.scaled_dot_product_attention(query, query, query, is_causal=True, scale=0.3)
        functional.scaled_dot_product_attention(query, query, query, attn_mask=~PADDING[:, None, None, :])
        torch.softmax(scores.masked_fill(CAUSAL, -1e9), -1)
        functional.softmax(scores[:, 0], dim=1)
        scores[0, 0].softmax(0)

    recording = again(run)
    assert [call.kind for call in recording] == ["dot_product"] * 3 + ["softmax"] * 3
    assert [call.weights.shape[:2] for call in recording] == [(3, 2)] * 4 + [(3, 1), (1, 1)]
    assert torch.equal(recording[2].padding, PADDING)
    assert torch.equal(recording[3].blocked, CAUSAL.expand(3, 2, 4, 4))
    torch.testing.assert_close(recording[4].weights.sum(-1), torch.ones(3, 1, 4, dtype=torch.float64))


def test_rows_hold_heads_averages_and_what_was_given() -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    (call,) = again(lambda: layer(X, X, X))
    assert call.rows().shape == (3 * 2 * 4 + 3 * 4 + 3 * 4, 4)
    assert not call.per_head


def lie(word: RecordedCall, **tensors: Tensor) -> RecordedCall:
    return dataclasses.replace(word, tensors=word.tensors | tensors)


LIES: dict[str, Callable[[RecordedCall], RecordedCall]] = {
    "weights": lambda word: lie(word, weights=torch.full((3, 4, 4), 0.25)),
    "weights of another shape": lambda word: lie(word, weights=torch.full((3, 2, 4, 4), 0.25)),
    "nan weights": lambda word: lie(word, weights=torch.full((3, 4, 4), torch.nan)),
    "output": lambda word: lie(word, output=torch.zeros(3, 4, 8)),
    "another input": lambda word: lie(word, query=torch.randn(3, 4, 8)),
    "a mask that was never there": lambda word: lie(word, key_padding_mask=PADDING),
    "parameters": lambda word: lie(word, in_proj_weight=torch.zeros(24, 8)),
    "another number of heads": lambda word: dataclasses.replace(word, values=word.values | {"num_heads": 4}),
    "no heads": lambda word: dataclasses.replace(word, values=word.values | {"num_heads": 0}),
    "heads that are no number": lambda word: dataclasses.replace(
        word, values=word.values | {"num_heads": None}
    ),
    "dropout of everything": lambda word: dataclasses.replace(
        lie(word, weights=torch.rand(3, 4, 4)), values=word.values | {"dropout": 1.0, "training": True}
    ),
    "dropout as an excuse": lambda word: dataclasses.replace(
        lie(word, weights=torch.ones(3, 4, 4)), values=word.values | {"dropout": 0.1, "training": True}
    ),
    "integers": lambda word: lie(word, query=torch.ones(3, 4, 8, dtype=torch.int64)),
    "nothing": lambda word: lie(word, query=torch.ones(0, 4, 8)),
    "no output": lambda word: dataclasses.replace(
        word, tensors={name: tensor for name, tensor in word.tensors.items() if name != "output"}
    ),
    "another kind": lambda word: dataclasses.replace(word, kind="dot_product"),
}


@pytest.mark.parametrize("what", LIES)
def test_a_call_that_does_not_follow_is_refused(what: str) -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    (word,) = words(lambda: layer(X, X, X)).calls
    recording = computed_again(Recorded((LIES[what](word),), 1))
    assert not recording
    assert recording.refused == 1
    assert "does not follow" in recording.text


def test_unknown_kinds_and_what_lacks_its_tensors_are_left_out() -> None:
    calls = (RecordedCall(1, "gossip", {}, {}), RecordedCall(2, "softmax", {}, {"dim": -1}))
    assert not computed_again(Recorded(calls, 2))


def test_the_work_for_a_recording_is_bounded() -> None:
    large = torch.zeros(1, 1000, 1000)
    wide = torch.zeros(1).expand(1000, 1000, 1)
    empty = torch.zeros(1).expand(1, 3000, 2)
    layer = {"out_proj.weight": torch.zeros(1, 1), "output": wide}
    values: dict[str, bool | int | float | None] = {"num_heads": 1, "batch_first": True}
    calls = [
        RecordedCall(1, "multi_head", {**dict.fromkeys(("query", "key", "value"), wide), **layer}, values),
        RecordedCall(2, "dot_product", dict.fromkeys(("query", "key", "value", "output"), empty), {}),
        *[RecordedCall(3, "softmax", {"scores": large, "output": large}, {"dim": 2}) for _ in range(900)],
    ]
    began = time.process_time()
    computed_again(Recorded(tuple(calls), 900))
    assert time.process_time() - began < 5


def test_a_recording_says_how_much_it_holds() -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    assert Recording().text.startswith("No call of attention")
    assert again(lambda: layer(X, X, X)).text == "1 call of attention was recorded"
    assert again(lambda: [layer(X, X, X) for _ in range(50)]).text == "50 calls of attention were recorded"


HOSTILE = Path(__file__).parents[1] / "sandbox" / "hostile"


def loaded(sandbox: Sandbox, name: str) -> tuple[Recording, str]:
    source = (HOSTILE / f"{name}.py").read_text()
    with sandbox.guest({}, Program("script", "lab.py", (source,), record=True)) as guest:
        return computed_again(guest.recorded()), guest.take_output().stdout


def test_a_forged_call_is_refused(sandbox: Sandbox) -> None:
    recording, _ = loaded(sandbox, "forged_recording")
    assert (len(recording), recording.refused) == (0, 1)


def test_a_forged_call_costs_no_more_than_its_tensors_show(sandbox: Sandbox) -> None:
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    recording, _ = loaded(sandbox, "forged_sizes")
    assert time.process_time() - began < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400 * 1024
    assert (len(recording), recording.refused) == (0, 8), "three are too large to be computed again"


def test_scores_and_masks_of_three_dimensions_are_broadcast_by_their_batch() -> None:
    x, mask = torch.randn(3, 4, 8), torch.rand(3, 4, 4) < 0.5
    (call,) = again(
        lambda: functional.scaled_dot_product_attention(x, x, x, attn_mask=mask | torch.eye(4).bool())
    )
    assert call.weights.shape == (3, 1, 4, 4)


def test_attention_that_lies_is_recorded_as_it_was_computed(sandbox: Sandbox) -> None:
    recording, printed = loaded(sandbox, "lying_attention")
    (call,) = recording
    assert call.kind == "multi_head"
    assert printed_row(printed, call.rows()) is None
    assert printed_row(printed, torch.eye(4, dtype=torch.float64)) is not None


def test_a_recording_is_bounded_whatever_is_asked_for(sandbox: Sandbox) -> None:
    recording, _ = loaded(sandbox, "recorded_for_ever")
    assert recording.seen > 100
    assert len(recording) < 200
