"""What a submission asked of attention while it was loaded, computed again here.

A recording is the guest's word. So nothing of it is believed but inputs, masks and parameters: weights and
outputs follow from them, and a call whose recorded answer does not is left out. Whoever forges all of a call
so that its answer does follow has made the call, in effect.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, overload

import torch
from torch import Tensor
from torch.nn import functional

from graders.recorded_work import NotSo, whole, work_of
from sandbox import LoadReport, Recorded
from sandbox import RecordedCall as Word

MOST_WORK = 2**27  # multiplications for all calls together; the smallest calls come first
MOST_WEIGHTS = 2**20  # of one call
BLOCKING = -999.0  # a score at or below is a mask's work: -1e4, -1e9, -inf
# How far a recorded answer may lie from the one computed again in float64.
_TOLERANCES = {torch.float64: 1e-7, torch.float32: 1e-4}
_COARSE = 3e-2  # float16 and bfloat16

Kind = Literal["multi_head", "dot_product", "softmax"]


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """A call of attention: of nn.MultiheadAttention, of scaled_dot_product_attention, or softmax over scores.

    All tensors are float64, batch first. A call without a batch has a batch of one; softmax over scores of
    three dimensions has one head.
    """

    number: int  # among all calls that were made
    kind: Kind
    weights: Tensor  # (batch, heads, target, source), before dropout
    blocked: Tensor  # bool, of the same shape: what the masks say
    returned: Tensor | None  # the weights that the student's code was given, (batch, [heads,] target, source)
    output: Tensor | None  # (batch, target, d_model); of dot_product (batch, heads, target, head_dim)
    inputs: tuple[Tensor, ...]  # query, key, value as they were given; of softmax the scores
    d_model: int | None = None
    num_heads: int | None = None
    training: bool = False
    shifted: bool = False  # a mask moves the scores and blocks none of them, such as one of ones

    @property
    def averaged(self) -> Tensor:
        """The mean of the weights over the heads: (batch, target, source)."""
        return self.weights.mean(1)

    @property
    def padding(self) -> Tensor:
        """Which sources no target of a sequence may attend to, by the masks: bool, (batch, source)."""
        return self.blocked.flatten(1, 2).all(1)

    @property
    def per_head(self) -> bool:
        """Whether the student's code was given the weights of each head."""
        return self.returned is not None and self.returned.dim() == 4

    def rows(self) -> Tensor:
        """Every row of weights that the student's code could print: (rows, source)."""
        given = [self.weights, self.averaged, *([] if self.returned is None else [self.returned])]
        return torch.cat([weights.flatten(0, -2) for weights in given])


class Recording(Sequence[RecordedCall]):
    """The calls that could be computed again, in their order."""

    def __init__(self, calls: Iterable[RecordedCall] = (), seen: int = 0, refused: int = 0) -> None:
        self._calls = tuple(calls)
        self.seen = seen  # how many calls were made; not all of a long loop are kept
        self.refused = refused  # whose recorded answers do not follow from their inputs

    @overload
    def __getitem__(self, index: int) -> RecordedCall: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RecordedCall, ...]: ...
    def __getitem__(self, index: int | slice) -> RecordedCall | tuple[RecordedCall, ...]:
        return self._calls[index]

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def text(self) -> str:
        """How many calls were recorded, as a sentence without its end."""
        if not self.seen:
            return "No call of attention was recorded while the program ran"
        count = "1 call" if self.seen == 1 else f"{self.seen} calls"
        found = f"{count} of attention {'was' if self.seen == 1 else 'were'} recorded"
        if self.refused:
            found += f" ({self.refused} with an answer that does not follow from the inputs)"
        return found

    def __repr__(self) -> str:
        return f"<Recording of {len(self)} calls, {self.seen} seen, {self.refused} refused>"


@dataclass(frozen=True)
class Ran:
    """A program that has been run by loading it: what it printed and what it asked of attention."""

    path: str
    report: LoadReport
    printed: str
    recorded: Recorded

    @cached_property
    def recording(self) -> Recording:
        """The calls, computed again once for all checks."""
        return computed_again(self.recorded)


def computed_again(recorded: Recorded) -> Recording:
    """Return the calls of a recording whose answers follow from their inputs."""
    found: list[RecordedCall] = []
    refused = 0
    possible: list[tuple[int, Word]] = []
    for word in recorded.calls:
        try:
            weights, work = work_of(word) if word.kind in _AGAIN else (MOST_WEIGHTS + 1, 0)
        except Exception:  # whatever a guest makes up, there is no such call
            refused += 1
            continue
        if weights <= MOST_WEIGHTS:
            possible.append((work, word))
    room = MOST_WORK
    for work, word in sorted(possible, key=lambda pair: pair[0]):
        room -= work
        if room < 0:
            break
        try:
            found.append(_AGAIN[word.kind](word))
        except Exception:
            refused += 1
    return Recording(sorted(found, key=lambda call: call.number), max(recorded.seen, len(found)), refused)


def _multi_head(word: Word) -> RecordedCall:
    tensors, values = _doubled(word), word.values
    alone = tensors["query"].dim() == 2

    def batch_first(given: Tensor) -> Tensor:
        if alone:
            return given[None]
        return given if values["batch_first"] else given.transpose(0, 1)

    query, key, value = (batch_first(tensors[name]) for name in ("query", "key", "value"))
    (batch, targets, d_model), sources = query.shape, key.shape[1]
    num_heads = whole(values["num_heads"])
    added = _added_to_scores(tensors, (batch, num_heads, targets, sources))
    output, weights = _attended(
        query, key, value, added, tensors, add_zero_attn=bool(values["add_zero_attn"])
    )
    dropout = float(values["dropout"] or 0.0) if values["training"] else 0.0
    tolerance = _tolerance(word)
    _must_follow(batch_first(tensors["output"]), output, tolerance, dropout=dropout)
    returned = tensors.get("weights")
    if returned is not None:
        returned = returned[None] if alone else returned
        per_head = returned.dim() == 4
        expected = weights if per_head else weights.mean(1)
        _must_be_weights(returned, expected, tolerance, dropout, per_head=per_head)
    blocked = added <= BLOCKING
    if weights.shape[-1] > sources:  # add_bias_kv and add_zero_attn add sources of their own
        blocked = functional.pad(blocked, (0, weights.shape[-1] - sources), value=False)
    return RecordedCall(
        number=word.number,
        kind="multi_head",
        weights=weights,
        blocked=blocked,
        returned=returned,
        output=output,
        inputs=tuple(word.tensors[name] for name in ("query", "key", "value")),
        d_model=d_model,
        num_heads=num_heads,
        training=bool(values["training"]),
        shifted=_shifts(added),
    )


def _added_to_scores(tensors: dict[str, Tensor], size: tuple[int, int, int, int]) -> Tensor:
    """Return both masks of a call as one that is added: (batch, heads, target, source)."""
    padding, mask = tensors.get("key_padding_mask"), tensors.get("attn_mask")
    added = torch.zeros(size, dtype=torch.float64)
    if padding is not None:
        added = added + _additive(padding).reshape(size[0], 1, 1, size[3])
    if mask is not None:
        added = added + (_additive(mask).view(size) if mask.dim() == 3 else _additive(mask))
    return added


def _shifts(added: Tensor) -> bool:
    return bool(added.any()) and not bool((added <= BLOCKING).any())


def _attended(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    added: Tensor,
    tensors: dict[str, Tensor],
    *,
    add_zero_attn: bool,
) -> tuple[Tensor, Tensor]:
    """Return output (batch, target, d_model) and weights (batch, heads, target, source)."""
    output, weights = functional.multi_head_attention_forward(
        query.transpose(0, 1),
        key.transpose(0, 1),
        value.transpose(0, 1),
        query.shape[-1],
        added.shape[1],
        tensors.get("in_proj_weight"),
        tensors.get("in_proj_bias"),
        tensors.get("bias_k"),
        tensors.get("bias_v"),
        add_zero_attn,
        0.0,
        tensors["out_proj.weight"],
        tensors.get("out_proj.bias"),
        training=False,
        attn_mask=added.flatten(0, 1),
        use_separate_proj_weight="in_proj_weight" not in tensors,
        q_proj_weight=tensors.get("q_proj_weight"),
        k_proj_weight=tensors.get("k_proj_weight"),
        v_proj_weight=tensors.get("v_proj_weight"),
        average_attn_weights=False,
    )
    assert weights is not None
    return output.transpose(0, 1), weights


def _dot_product(word: Word) -> RecordedCall:
    tensors, values = _doubled(word), word.values
    query, key, value, said = (_four(tensors[name]) for name in ("query", "key", "value", "output"))
    if values.get("enable_gqa"):
        key, value = (each.repeat_interleave(query.shape[1] // each.shape[1], 1) for each in (key, value))
    scale = values.get("scale")
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else float(scale))
    added = torch.zeros((), dtype=torch.float64)
    if "attn_mask" in tensors:
        mask = tensors["attn_mask"]
        added = _additive(~mask if mask.dtype is torch.bool else mask)
        if added.dim() == tensors["query"].dim():
            added = _four(added)
    if values["is_causal"]:
        added = added + _additive(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1))
    weights = (scores + added).softmax(-1)
    output = weights @ value
    _must_follow(said, output, _tolerance(word), dropout=float(values["dropout"] or 0.0))
    return RecordedCall(
        number=word.number,
        kind="dot_product",
        weights=weights,
        blocked=(added <= BLOCKING).expand(weights.shape),
        returned=None,
        output=output,
        inputs=tuple(word.tensors[name] for name in ("query", "key", "value")),
        num_heads=query.shape[1],
        shifted=_shifts(added),
    )


def _softmax(word: Word) -> RecordedCall:
    dim = whole(word.values["dim"], least=-4)
    scores, said = (word.tensors[name].double().movedim(dim, -1) for name in ("scores", "output"))
    weights = scores.softmax(-1)
    _must_follow(said, weights, _tolerance(word))
    weights = _four(weights)
    return RecordedCall(
        number=word.number,
        kind="softmax",
        weights=weights,
        blocked=_four(scores <= BLOCKING),
        returned=said if said.dim() > 2 else said[None],
        output=None,
        inputs=(word.tensors["scores"],),
        num_heads=weights.shape[1],
    )


_AGAIN = {"multi_head": _multi_head, "dot_product": _dot_product, "softmax": _softmax}


def _doubled(word: Word) -> dict[str, Tensor]:
    return {
        name: tensor.double() if tensor.is_floating_point() else tensor
        for name, tensor in word.tensors.items()
    }


def _four(tensor: Tensor) -> Tensor:
    """As (batch, heads, …, …)."""
    if tensor.dim() == 4:
        return tensor
    return {2: tensor[None, None], 3: tensor[:, None]}[tensor.dim()]


def _additive(mask: Tensor) -> Tensor:
    """A mask as what is added to the scores; of a bool mask True means blocked."""
    if mask.dtype is torch.bool:
        return torch.zeros(mask.shape, dtype=torch.float64).masked_fill(mask, -math.inf)
    return mask.double()


def _tolerance(word: Word) -> float:
    dtypes = {tensor.dtype for tensor in word.tensors.values() if tensor.is_floating_point()}
    return max((_TOLERANCES.get(dtype, _COARSE) for dtype in dtypes), default=_COARSE)


def _must_follow(said: Tensor, computed: Tensor, tolerance: float, *, dropout: float = 0.0) -> None:
    """The recorded values are those computed, up to rounding; with dropout only their shape can be known."""
    if said.shape != computed.shape:
        raise NotSo
    if dropout or torch.allclose(said, computed, rtol=tolerance, atol=tolerance):
        return
    known = computed.isfinite()  # a row with nothing to attend to is NaN here and 0 on some paths of torch
    if not torch.allclose(said[known], computed[known], rtol=tolerance, atol=tolerance):
        raise NotSo


def _must_be_weights(
    said: Tensor, computed: Tensor, tolerance: float, dropout: float, *, per_head: bool
) -> None:
    if not dropout:
        _must_follow(said, computed, tolerance)
        return
    if said.shape != computed.shape or not 0 < dropout < 1:
        raise NotSo
    kept = computed / (1 - dropout)
    if per_head:
        right = (said == 0) | ((said - kept).abs() <= tolerance)
    else:
        right = (said >= 0) & (said <= kept + tolerance)
    if not bool(right[kept.isfinite()].all()):
        raise NotSo
