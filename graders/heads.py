"""What the heads of a self-attention module compute, found out from its answers alone.

Whatever way its parameters are laid out: in correct attention the logarithms of the weights are bilinear in
two positions of x, and the output is linear in what the weights gather from x. Two least-squares fits give,
for each head, the matrices W_Q W_Kᵀ / √head_dim and W_V W_O, and leave a residual where anything else was
computed. Only the scale needs the parameters: it is the ratio between such a matrix and the product of two
blocks of parameters that is parallel to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor


class ScoresOf:
    """x (batch, length, d_model) as scores are made of it; kept, since many modules are asked the same x."""

    def __init__(self, x: Tensor) -> None:
        x = x.double()
        self._length, self._d_model = x.shape[1:]
        # Weights tell scores up to a number for each target, so their mean over the sources is taken away.
        source = x - x.mean(dim=1, keepdim=True)
        products = torch.einsum("bid,bje->bijde", x, source).flatten(3)
        alone = source.unsqueeze(1).expand(-1, self._length, -1, -1)  # for a bias of the queries
        self._features = torch.cat([products, alone], dim=-1).flatten(0, 2)
        gram = self._features.T @ self._features
        self._inverse = torch.linalg.solve(gram, self._features.T)

    def fit(self, weights: Tensor) -> tuple[Tensor, float]:
        """Return W_Q W_Kᵀ / scale of each head, (heads, d_model, d_model), and the largest residual.

        `weights` is (batch, heads, target, source), without masks; the residual is infinite where one is 0.
        """
        logs = weights.detach().double().log()
        wanted = (logs - logs.mean(dim=-1, keepdim=True)).transpose(0, 1).flatten(1).T  # (pairs, heads)
        heads, size = wanted.shape[1], self._d_model
        if not bool(torch.isfinite(wanted).all()):
            return torch.zeros(heads, size, size, dtype=torch.float64), math.inf
        found = self._inverse @ wanted
        residual = float((self._features @ found - wanted).abs().max())
        return found[: size**2].T.reshape(heads, size, size), residual


def fit_output(x: Tensor, weights: Tensor, output: Tensor) -> tuple[Tensor, float]:
    """Return W_V W_O of each head, (heads, feature of x, of the output), and the largest residual."""
    heads, size = weights.shape[1], x.shape[2]
    gathered = (weights.detach().double() @ x.double().unsqueeze(1)).transpose(1, 2).flatten(0, 1).flatten(1)
    features = torch.cat([gathered, torch.ones_like(gathered[:, :1])], dim=1)  # and one for biases
    wanted = output.detach().double().flatten(0, 1)
    if not bool(torch.isfinite(features).all() and torch.isfinite(wanted).all()):
        return torch.zeros(heads, size, wanted.shape[1], dtype=torch.float64), math.inf
    found = torch.linalg.lstsq(features, wanted).solution
    residual = float((features @ found - wanted).abs().max())
    return found[:-1].reshape(heads, size, -1), residual


def rank(matrix: Tensor, exact: float) -> int:
    """Return how many singular values are more than `exact` times the largest; 0 for a matrix of zeros."""
    values = torch.linalg.svdvals(matrix)
    return int((values > exact * values[0]).sum()) if float(values[0]) > exact else 0


def factors(
    matrices: Tensor,
    parameters: Iterable[Tensor],
    head_dim: int,
    exact: float,
    basis: Tensor | None = None,
) -> list[float]:
    """Return by how much each matrix (heads, d_model, d_model) is more than the product of two projections.

    The projections are looked for in all `parameters`; a matrix for which none are found has no factor.
    Where x is z @ basis, the matrices may be those for z: few numbers, however wide the module is.
    """
    found = _projections(parameters, head_dim, matrices.shape[-1] if basis is None else basis.shape[-1])
    if not len(found):
        return []
    if basis is not None:
        found = found @ basis.double().T
    products = torch.einsum("ahd,bhe->abde", found, found).flatten(0, 1).flatten(1)
    flat = matrices.flatten(1)
    inner, sizes = flat @ products.T, products.square().sum(dim=1)
    cosine = inner / (flat.norm(dim=1, keepdim=True) * sizes.sqrt()).clamp(min=1e-12)
    best = cosine.abs().argmax(dim=1)
    return [
        float(inner[head, i] / sizes[i])
        for head, i in enumerate(best.tolist())
        if float(cosine[head, i].abs()) > 1 - exact
    ]


def _projections(parameters: Iterable[Tensor], head_dim: int, d_model: int) -> Tensor:
    """Return all that could be a head's projection, (many, head_dim, d_model).

    A parameter may hold one head, all of them, or all of queries, keys and values; the axis of x may be any,
    and the rows of one head may stand together or at equal steps.
    """
    found = []
    for value in parameters:
        for axis in range(value.dim() if value.dim() > 1 else 0):
            rows = value.double().movedim(axis, -1).flatten(0, -2)
            if rows.shape[1] != d_model or len(rows) % head_dim or len(rows) > 3 * d_model:
                continue
            many = len(rows) // head_dim
            # Heads of a single row are the same at any step.
            steps = [step for step in range(1, many + 1) if many % step == 0] if head_dim > 1 else [1]
            for step in steps:
                blocks = rows.reshape(many // step, head_dim, step, d_model).transpose(1, 2)
                found.append(blocks.flatten(0, 1))
    return torch.cat(found) if found else torch.zeros(0, head_dim, d_model, dtype=torch.float64)
