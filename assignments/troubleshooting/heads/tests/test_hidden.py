"""Other sizes, numbers that do not divide, and the student's test on pairs of ours."""

import torch
from hypothesis import strategies as st
from torch import Tensor

from graders import (
    cases,
    close,
    fail,
    fresh_tensor,
    influence_map,
    judge_test,
    moved_by,
    points,
    raises,
    tensor,
)

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(1000, 2**32 - 1)
# (batch, length, d_model, heads): no two alike, heads of one feature, one head of a single token, as many
# heads as tokens.
SHAPES = ((2, 3, 20, 4), (1, 4, 6, 6), (2, 1, 5, 1), (2, 4, 12, 4))


def split(x: Tensor, num_heads: int) -> Tensor:
    """Head after head."""
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@points(
    3, hint="A view to (batch, length, num_heads, head_dim), then transpose(1, 2); a view alone mixes tokens."
)
@cases(SEEDS, n=1)
def test_split(student, seed):
    """Each head holds its own features of each token, at that token's position, for any sizes."""
    x = fresh_tensor(5, 8, seed=seed)

    def ask(batch):
        heads = tensor(student.split_heads(batch, 2), shape=(len(batch), 2, 5, 4), finite=True)
        return heads.transpose(1, 2)

    moved = moved_by(ask, x, lambda x, token: torch.where(torch.arange(5).unsqueeze(1) == token, x + 1, x))
    own = torch.eye(5, dtype=torch.bool)
    if not torch.equal(moved, own):
        position, token = (moved != own).nonzero().tolist()[0]
        said = "moved" if moved[position, token] else "did not move"
        fail(
            f"Of five tokens, token {token} was changed, and what heads hold at position {position} {said}.",
            pictures=[
                influence_map(moved, own, title="Which token stands where", target="position", source="token")
            ],
        )
    for batch, length, d_model, heads in SHAPES:
        x = fresh_tensor(batch, length, d_model, seed=seed)
        close(
            student.split_heads(x, heads),
            split(x, heads),
            what=f"split_heads of {d_model} features, {heads} heads",
        )


@points(3, hint="Transpose back first, transpose(1, 2), and then flatten the last two axes.")
@cases(SEEDS, n=1)
def test_merge(student, seed):
    """The heads of each token stand side by side in their order, for any sizes."""
    for batch, length, d_model, heads in SHAPES:
        x = fresh_tensor(batch, length, d_model, seed=seed)
        got = student.merge_heads(split(x, heads))
        close(got, x, what=f"merge_heads of {heads} heads with {d_model // heads} features")


@points(3, hint='raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")')
@cases([(4, 8), (9, 6), (130, 4)])
def test_not_divisible(student, case):
    """Numbers that do not divide raise a ValueError that names both, more heads than features too."""
    d_model, heads = case
    raises(
        lambda: student.split_heads(torch.ones(2, 3, d_model, dtype=student.dtype), heads),
        "ValueError",
        mentions=(str(d_model), str(heads)),
    )


@points(
    1,
    hint="Only move values: no detach, no arithmetic, no new tensors.",
    requires=("test_split", "test_merge"),
)
@cases(SEEDS, n=1)
def test_gradients(student, seed):
    """Gradients pass through both functions."""
    x = fresh_tensor(2, 3, 8, seed=seed)
    for name, args, back in (
        ("split_heads", (x, 4), lambda cotangent: torch.cat(cotangent.unbind(1), dim=-1)),
        ("merge_heads", (split(x, 4),), lambda cotangent: split(cotangent, 4)),
    ):
        got = getattr(student, name).gradients(*args, cotangent_seed=seed)
        generator = torch.Generator().manual_seed(seed)
        cotangent = torch.randn(got.output.shape, generator=generator, dtype=torch.float64).to(x.dtype)
        if got.inputs[0] is None:
            fail(f"No gradient passes through {name}.")
        close(got.inputs[0], back(cotangent), what=f"the gradient of the input of {name}")


# The pairs that the student's test meets.


def checked(function):
    """Have it raise where the heads do not divide the features."""

    def split_heads(x, num_heads):
        if x.shape[-1] % num_heads:
            raise ValueError(f"num_heads={num_heads} must divide d_model={x.shape[-1]}")
        return function(x, num_heads)

    return split_heads


def by_view(x, num_heads):
    batch, length, d_model = x.shape
    head_dim = d_model // num_heads
    return x[..., : num_heads * head_dim].reshape(batch, num_heads, length, head_dim)


def merge_by_view(x):
    batch, num_heads, length, head_dim = x.shape
    return x.reshape(batch, length, num_heads * head_dim)


def transposed(x, num_heads):
    return x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 2)


def cut_off(x, num_heads):
    return transposed(x[..., : x.shape[-1] // num_heads * num_heads], num_heads)


def merge(x):
    return x.transpose(1, 2).flatten(2)


def interleaved(x, num_heads):
    return x.reshape(*x.shape[:2], -1, num_heads).permute(0, 3, 1, 2)


def merge_interleaved(x):
    return x.permute(0, 2, 3, 1).flatten(2)


def merge_chunks(x):
    return torch.cat(x.unbind(1), dim=-1)


WRONG = {
    "the broken pair itself": (by_view, merge_by_view),
    "a pair that mixes up tokens when it splits, and puts them right when it merges": (
        checked(by_view),
        merge_by_view,
    ),
    "a right split with a merge that mixes up tokens": (checked(transposed), merge_by_view),
    "a pair whose heads take every second feature": (checked(interleaved), merge_interleaved),
    "a pair that drops features where the numbers do not divide": (cut_off, merge),
}
RIGHT = {
    "a pair that transposes": (checked(transposed), merge),
    "a pair that cuts into pieces and stacks them": (checked(split), merge_chunks),
}


# No table grows with the square of what these get: wide models and large batches are cheap.
BOUNDS = {"elements": 2**18, "longest": 2**12}


@points(
    4,
    hint="Three things: what split_heads gives, what merge_heads gives, and what 12 features and 5 heads do.",
)
@cases(SEEDS, n=1)
def test_your_test_on_many_pairs(student, seed):
    """test_heads rejects each of five wrong pairs and accepts each of two right ones."""
    judge_test(student, "test_heads", RIGHT, WRONG, seed=seed, must_reject="the broken pair itself", **BOUNDS)
