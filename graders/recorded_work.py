"""What a recorded call of attention takes to compute again, by the shapes that the guest says it had."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from sandbox import RecordedCall as Word

_SOFTMAX = 64  # what an exponential and the copies around it cost, in multiplications


class NotSo(Exception):
    """A recorded answer does not follow from what was recorded beside it."""


def work_of(word: Word) -> tuple[int, int]:
    """Return how many weights a call has, and what it takes to compute. Raises where there is no such call.

    Whatever a tensor can be broadcast to is counted, for the shapes are the guest's word too.
    """
    tensors = word.tensors
    if word.kind == "softmax":
        if not 2 <= tensors["scores"].dim() <= 4:
            raise NotSo
        weights = tensors["scores"].numel()
        return weights, weights * _SOFTMAX
    query, key, value = (tensors[name] for name in ("query", "key", "value"))
    if not 2 <= query.dim() <= 4 or {key.dim(), value.dim()} != {query.dim()}:
        raise NotSo
    if not all(tensor.is_floating_point() for tensor in (query, key, value)):
        raise NotSo
    batch, targets, sources = _sizes(word)
    width = max(tensor.shape[-1] for tensor in (query, key, value))
    weights = math.prod(batch) * targets * sources
    rows = math.prod(batch) * (targets + sources)
    if word.kind == "dot_product":
        return weights, (weights + rows) * (width + _SOFTMAX)
    weights *= whole(word.values["num_heads"])
    return weights, rows * width * width + weights * (width + _SOFTMAX)


def _sizes(word: Word) -> tuple[list[int], int, int]:
    """Return the batch, the targets and the sources, each as large as any tensor of the call makes it."""
    tensors = word.tensors
    query, key, value, mask = (tensors.get(name) for name in ("query", "key", "value", "attn_mask"))
    assert query is not None
    assert key is not None
    assert value is not None
    if word.kind == "dot_product":
        if mask is not None and not 2 <= mask.dim() <= query.dim():
            raise NotSo
        given = [tensor for tensor in (query, key, value, mask) if tensor is not None]
        shapes = [(1,) * (4 - tensor.dim()) + tuple(tensor.shape) for tensor in given]
        masks = shapes[3:] or [(1, 1, 1, 1)]
        batch = [max(shape[dim] for shape in shapes) for dim in (0, 1)]
        targets = max(query.shape[-2], masks[0][2])
        return batch, targets, max(key.shape[-2], value.shape[-2], masks[0][3])
    first = query.dim() == 3 and bool(word.values["batch_first"])
    if query.dim() == 4:
        raise NotSo
    alone = query.dim() == 2
    (targets, count), (sources, of_key) = (
        (tensor.shape[0], 1) if alone else (tensor.shape[first], tensor.shape[not first])
        for tensor in (query, key)
    )
    if of_key != count or value.shape[:-1] != key.shape[:-1]:
        raise NotSo
    _must_be_a_layer(tensors, query.shape[-1], key.shape[-1], value.shape[-1])
    if mask is not None and tuple(mask.shape[-2:]) != (targets, sources):
        raise NotSo
    if mask is not None and mask.dim() > 3:
        raise NotSo
    return [count], targets, sources


def _must_be_a_layer(tensors: Mapping[str, Tensor], width: int, of_key: int, of_value: int) -> None:
    """The parameters have the shapes that those of nn.MultiheadAttention have."""
    shapes = {
        "in_proj_weight": (3 * width, width),
        "in_proj_bias": (3 * width,),
        "q_proj_weight": (width, width),
        "k_proj_weight": (width, of_key),
        "v_proj_weight": (width, of_value),
        "bias_k": (1, 1, width),
        "bias_v": (1, 1, width),
        "out_proj.weight": (width, width),
        "out_proj.bias": (width,),
    }
    if any(name in tensors and tuple(tensors[name].shape) != shape for name, shape in shapes.items()):
        raise NotSo


def whole(value: Any, least: int = 1) -> int:
    """The value as a number of something. Raises NotSo."""
    if type(value) is not int or not least <= value <= 4096:
        raise NotSo
    return value
