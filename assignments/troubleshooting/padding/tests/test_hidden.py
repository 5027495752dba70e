"""The attention and the mean each by itself, both together, and the student's test on encoders of ours."""

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from hypothesis import strategies as st
from torch import Tensor

from graders import cases, close, fail, fresh_tensor, influence_map, judge_test, points, tensor

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(1000, 2**32 - 1)
WIDTH = 6
NEAR = 1e-4  # float32 from float64


@dataclass(frozen=True)
class Rows:
    """Rows of real tokens with padding after them: one token, some, and no padding at all."""

    seed: int
    lengths: tuple[int, ...] = (3, 1, 5, 2)
    length: int = 5

    @property
    def count(self) -> Tensor:
        return torch.tensor(self.lengths)

    @property
    def padding(self) -> Tensor:
        return torch.arange(self.length) >= self.count.unsqueeze(1)

    @property
    def x(self) -> Tensor:
        return fresh_tensor(len(self.lengths), self.length, WIDTH, seed=self.seed)

    @property
    def w_qkv(self) -> Tensor:
        return fresh_tensor(WIDTH, 3 * WIDTH, seed=self.seed + 1) / 2


def reference(x: Tensor, lengths: Tensor, w_qkv: Tensor) -> Tensor:
    """Row after row, without any padding."""
    rows = []
    for row, length in zip(x, lengths.tolist(), strict=True):
        query, key, value = (row[:length] @ w_qkv).chunk(3, dim=-1)
        rows.append(((query @ key.T / math.sqrt(x.shape[-1])).softmax(-1) @ value).mean(0))
    return torch.stack(rows)


ROWS = SEEDS.map(Rows)


@lru_cache(100)
def expected(case: Rows, dtype: torch.dtype) -> Tensor:
    return reference(case.x, case.count, case.w_qkv).to(dtype)


@points(
    2, hint="Fill the scores with -inf where the source is padding, along the last axis, and keep the result."
)
@cases(ROWS, n=1)
def test_attention_alone(student, case):
    """With queries of zero, every token's output is the mean of the real values, and so is the encoding."""
    w_qkv = torch.cat([torch.zeros(WIDTH, WIDTH, dtype=student.dtype), case.w_qkv[:, WIDTH:]], dim=1)
    # Whatever positions the mean is taken over: they all have the same output.
    value = case.x @ w_qkv[:, 2 * WIDTH :]
    wanted = value.masked_fill(case.padding.unsqueeze(-1), 0.0).sum(1) / case.count.unsqueeze(1)
    got = student.encode_batch(case.x, case.count, w_qkv)
    close(got, wanted, what="the encoding with queries of zero")


@points(2, hint="Add up the outputs of the real tokens and divide by their number, `lengths`.")
@cases(ROWS, n=1)
def test_mean_alone(student, case):
    """With padding that no real token would look at anyway, the encoding is the mean over the real tokens."""
    w_qkv = case.w_qkv.clone()
    # The last feature is 1 at real tokens. Padding has none of the others, and its keys point away from
    # every query of a real token, so its weights vanish with a mask and without.
    w_qkv[-1] = 0.0
    w_qkv[-1, 0] = 1.0
    w_qkv[:-1, 0] = 0.0
    w_qkv[:, WIDTH] = 0.0
    w_qkv[-1, WIDTH] = 1.0
    x = case.x.clone()
    x[..., -1] = 1.0
    x[case.padding] = 0.0
    x[..., -1] = torch.where(case.padding, torch.tensor(-4e3, dtype=x.dtype), x[..., -1])
    got = student.encode_batch(x, case.count, w_qkv)
    close(got, reference(x, case.count, w_qkv), what="the encoding with padding that nobody looks at")


@points(4, hint="Mask the padding in the softmax and in the mean; both must know `lengths`.")
@cases(ROWS, n=1)
def test_padding_is_nothing(student, case):
    """Large numbers in the padding and more columns of it move no encoding, which has the right values."""
    wanted = expected(case, student.dtype)
    for run in (student.encode_batch, student.encode_batch.no_grad):
        close(run(case.x, case.count, case.w_qkv), wanted, what="the encoding")
    # Other tokens from here on: what was said of these tells nothing of them.
    other = Rows(case.seed + 4)
    wanted, noise = (
        expected(other, student.dtype),
        fresh_tensor(len(other.lengths), 7, WIDTH, seed=case.seed + 2),
    )
    wide = torch.cat([other.x, torch.zeros_like(noise[:, :2])], dim=1)
    padding = torch.arange(7) >= other.count.unsqueeze(1)
    contents = [torch.where(padding.unsqueeze(-1), scale * noise, wide) for scale in (1.0, 100.0)]
    both = tensor(student.encode_batch(torch.cat(contents), other.count.repeat(2), other.w_qkv))
    for got, said in zip(
        both.chunk(2), ("more columns of padding", "large numbers in the padding"), strict=False
    ):
        close(got, wanted, what=f"the encoding with {said}")
    # Keys against their own queries: next to scores this low, a block of -20 is an invitation.
    against, large = case.w_qkv.clone(), 10 * case.x
    against[:, WIDTH : 2 * WIDTH] = -against[:, :WIDTH]
    got = student.encode_batch(large, torch.ones_like(case.count), against)
    close(
        got, large[:, 0] @ against[:, 2 * WIDTH :], what="the encoding of rows of one token, with low scores"
    )
    # Each token scores itself -2500, and its opposite in the padding 2500: next to these a block of -1000,
    # put in or added, is none. What comes after the softmax has nothing to share out there, 0 / 0.
    if student.dtype == torch.float64:
        first = against_itself(case)
        alone = torch.cat([first, -first, -first], dim=1)
        got = tensor(student.encode_batch(alone, torch.ones_like(case.count), against))
        wanted = first[:, 0] @ against[:, 2 * WIDTH :]
        close(torch.where(got.isnan(), wanted, got) if got.shape == wanted.shape else got, wanted)
    # The row of three tokens and that of one, each alone without padding, with as little as can be, and much.
    for number, (row, columns) in enumerate(((0, 3), (0, 4), (1, 2), (0, 300)), start=5):
        alone = Rows(case.seed + number, case.lengths[row : row + 1], columns)
        got = student.encode_batch(alone.x, alone.count, case.w_qkv)
        right = reference_alone(alone, case, student.dtype)
        close(got, right, what=f"the encoding of a row alone, padded to {columns} columns")
    # Last: after an answer in float32, whatever fails is asked again in float32.
    wanted = expected(case, student.dtype).float()
    got = student.encode_batch(case.x.float(), case.count, case.w_qkv.float())
    close(got, wanted, what="the encoding in float32", atol=NEAR, rtol=NEAR)


def against_itself(case: Rows) -> Tensor:
    """The first token of each row, (rows, 1, width), of such a size that -q @ q / √d is -2500."""
    first = case.x[:, :1]
    size = (first @ case.w_qkv[:, :WIDTH]).square().sum(-1, keepdim=True)
    return first * (2500 * math.sqrt(WIDTH) / size).sqrt()


@lru_cache(16)
def reference_alone(
    alone: Rows,
    case: Rows,
    dtype: torch.dtype,  # noqa: ARG001 - that of grading is read where tensors are made
) -> Tensor:
    """What is right for the one row of `alone` with the weights of `case`."""
    return reference(alone.x, alone.count, case.w_qkv)


@lru_cache(16)
def expected_gradients(  # the dtype of grading is read where tensors are made, and is the key of the cache
    case: Rows,
    dtype: torch.dtype,  # noqa: ARG001
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The encodings, and their gradients by x and the weights: the same for every submission."""
    x, w_qkv = case.x.requires_grad_(), case.w_qkv.requires_grad_()
    output = reference(x, case.count, w_qkv)
    generator = torch.Generator().manual_seed(case.seed)
    cotangent = torch.randn(output.shape, generator=generator, dtype=torch.float64).to(output.dtype)
    return output.detach(), torch.autograd.grad((output * cotangent).sum(), (x, w_qkv))


@points(2, hint="Each row's encoding is made of its own real tokens, all of them, and gradients reach them.")
@cases(ROWS, n=1)
def test_what_moves_an_encoding(student, case):
    """Each real token moves the encoding of its own row, by the right gradient, and padding moves none."""
    output, wanted = expected_gradients(case, student.dtype)
    got = student.encode_batch.gradients(case.x, case.count, case.w_qkv, cotangent_seed=case.seed)
    found = [
        tensor(value, what=f"the gradient of {name}")
        for name, value in zip(("x", "w_qkv"), (got.inputs[0], got.inputs[-1]), strict=True)
    ]
    moved, allowed = found[0].abs().amax(-1) > 1e-9, ~case.padding  # nan counts as no gradient
    if not torch.equal(moved, allowed):
        row, token = (moved != allowed).nonzero().tolist()[0]
        what = (
            "no gradient reaches it" if allowed[row, token] else "a gradient reaches it, though it is padding"
        )
        fail(
            f"Token {token} of the row with {case.lengths[row]} real tokens: {what}.",
            pictures=[influence_map(moved, allowed, title="Which tokens move their row", target="row")],
        )
    close(got.output, output, what="the encoding")
    for name, value, right in zip(("x", "w_qkv"), found, wanted, strict=True):
        close(value, right, what=f"the gradient of {name}")
    _, after = student.with_inputs("encode_batch", case.x, case.count, case.w_qkv)
    close(after[0], case.x, what="x after the call", atol=0.0, rtol=0.0)


# The encoders that the student's test meets; all with the same weights.

GENERATOR = torch.Generator().manual_seed(12)
OWN = torch.randn(8, 24, generator=GENERATOR) / 2


def attended(x: Tensor, padding: Tensor) -> Tensor:
    query, key, value = (x @ OWN.to(x.dtype)).chunk(3, dim=-1)
    scores = (query @ key.transpose(-2, -1) / math.sqrt(8)).masked_fill(padding.unsqueeze(1), -math.inf)
    return scores.softmax(-1) @ value


def where_padded(x: Tensor, lengths: Tensor) -> Tensor:
    return torch.arange(x.shape[1]) >= lengths.unsqueeze(1)


def mean_of_real(context: Tensor, lengths: Tensor) -> Tensor:
    padding = where_padded(context, lengths)
    return context.masked_fill(padding.unsqueeze(-1), 0.0).sum(1) / lengths.unsqueeze(1)


def broken(x, lengths):  # noqa: ARG001 that is what is wrong with it
    return attended(x, torch.zeros(x.shape[:2], dtype=torch.bool)).mean(1)


def mean_over_all(x, lengths):
    return attended(x, where_padded(x, lengths)).mean(1)


def attends_to_padding(x, lengths):
    return mean_of_real(attended(x, torch.zeros(x.shape[:2], dtype=torch.bool)), lengths)


def divides_by_width(x, lengths):
    return mean_of_real(attended(x, where_padded(x, lengths)), lengths) * (lengths / x.shape[1]).unsqueeze(1)


def one_too_far(x, lengths):
    further = (lengths + 1).clamp(max=x.shape[1])
    return mean_of_real(attended(x, where_padded(x, further)), lengths)


def zeros_for_padding(x, lengths):  # noqa: ARG001 that is what is wrong with it
    padding = (x == 0).all(-1)
    context = attended(x, padding).nan_to_num().masked_fill(padding.unsqueeze(-1), 0.0)
    return context.sum(1) / (~padding).sum(1, keepdim=True).clamp(min=1)


def right(x, lengths):
    return mean_of_real(attended(x, where_padded(x, lengths)), lengths)


def largest(x, lengths):
    return x.masked_fill(where_padded(x, lengths).unsqueeze(-1), -math.inf).amax(1)


def last_token(x, lengths):
    return x[torch.arange(len(x)), lengths - 1]


LEAKY = {
    "the broken program itself": broken,
    "an encoder whose mean is over all columns": mean_over_all,
    "one whose real tokens attend to padding": attends_to_padding,
    "one that divides by the number of columns": divides_by_width,
    "one that takes the first padding for real in its attention": one_too_far,
    "one that takes zeros for padding, whatever the lengths are": zeros_for_padding,
}
RIGHT = {
    "an encoder that masks padding and takes the mean of the real tokens": right,
    "the largest of each feature over the real tokens": largest,
    "the last real token": last_token,
}


# Whoever tests long sequences or large batches may.
BOUNDS = {"elements": 2**16, "longest": 2**10}


@points(4, hint="Try both: other content in the padding, and more or fewer columns of it.")
@cases(SEEDS, n=1)
def test_your_test_on_many_encoders(student, seed):
    """test_padding_is_inert rejects six encoders that padding changes, and accepts three right ones."""
    judge_test(
        student,
        "test_padding_is_inert",
        RIGHT,
        LEAKY,
        seed=seed,
        must_reject="the broken program itself",
        **BOUNDS,
    )
