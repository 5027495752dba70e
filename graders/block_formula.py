"""The formula of a transformer encoder block, for many readings of its weights at once, mistakes included.

A student's block has parameters of any name and layout. `block_weights` lists the ways in which they can be
read; this computes what the block would give under each of them, right or with one of the usual mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

EPS = 1e-5  # of torch's LayerNorm

Activation = Literal["relu", "gelu", "none"]


@dataclass(frozen=True)
class Readings:
    """The weights of a block, read in one or more ways: every tensor has an axis of readings in front."""

    query: Tensor  # (readings, heads, head_dim, d_model)
    key: Tensor
    value: Tensor
    output: Tensor  # (readings, heads, head_dim, d_model): what each feature of a head adds to the output
    linear1: Tensor  # (readings, dim_feedforward, d_model)
    linear2: Tensor  # (readings, dim_feedforward, d_model): what each hidden feature adds to the output
    gain1: Tensor  # (readings, d_model)
    gain2: Tensor
    correction: Tensor  # (readings,): 1 where the norms divide by the unbiased standard deviation

    def __len__(self) -> int:
        return len(self.correction)

    def __getitem__(self, index: int) -> Readings:
        """The one reading at `index`."""
        found = {field.name: getattr(self, field.name)[index : index + 1] for field in fields(self)}
        return Readings(**found)


@dataclass(frozen=True)
class Form:
    """How a block is put together; as given, it is right (but for `norm_first`, which is asked for)."""

    norm_first: bool
    activation: Activation = "relu"
    scaled: bool = True
    first_residual: bool = True  # around the attention
    second_residual: bool = True  # around the feed-forward network
    residual_from_input: bool = False  # the second residual adds what came into the block
    residual_of_normed: bool = False  # with the norms first: the residuals add what comes out of the norms
    first_norm: bool = True
    second_norm: bool = True


def block(x: Tensor, weights: Readings, form: Form, blocked: Tensor | None = None) -> Tensor:
    """Return (readings, batch, length, d_model) for `x` (batch, length, d_model).

    `blocked` is boolean, broadcastable to (batch, heads, target, source), True where a target must not look.
    """
    start = x
    x = x.expand(len(weights), *x.shape)
    normed = _norm(x, weights.gain1, weights) if form.norm_first and form.first_norm else x
    attended = _attention(normed, weights, form, blocked)
    if form.first_residual:
        attended = attended + (normed if form.residual_of_normed else x)
    x = attended if form.norm_first or not form.first_norm else _norm(attended, weights.gain1, weights)
    normed = _norm(x, weights.gain2, weights) if form.norm_first and form.second_norm else x
    fed = _feed_forward(normed, weights, form.activation)
    if form.second_residual:
        fed = fed + (start if form.residual_from_input else normed if form.residual_of_normed else x)
    return fed if form.norm_first or not form.second_norm else _norm(fed, weights.gain2, weights)


def _norm(x: Tensor, gain: Tensor, weights: Readings) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    count = (x.shape[-1] - weights.correction)[:, None, None, None]
    variance = centred.square().sum(-1, keepdim=True) / count
    return centred / (variance + EPS).sqrt() * gain[:, None, None]


def _attention(x: Tensor, weights: Readings, form: Form, blocked: Tensor | None) -> Tensor:
    query, key, value = (
        torch.einsum("rbtd,rhed->rbhte", x, weight) for weight in (weights.query, weights.key, weights.value)
    )
    scores = query @ key.transpose(-2, -1)  # (readings, batch, heads, target, source)
    if form.scaled:
        scores = scores / query.shape[-1] ** 0.5
    if blocked is not None:
        scores = scores.masked_fill(blocked, -torch.inf)
    return torch.einsum("rbhte,rhed->rbtd", scores.softmax(-1) @ value, weights.output)


def _feed_forward(x: Tensor, weights: Readings, activation: Activation) -> Tensor:
    hidden = torch.einsum("rbtd,rfd->rbtf", x, weights.linear1)
    if activation != "none":
        hidden = hidden.relu() if activation == "relu" else functional.gelu(hidden)
    return torch.einsum("rbtf,rfd->rbtd", hidden, weights.linear2)
