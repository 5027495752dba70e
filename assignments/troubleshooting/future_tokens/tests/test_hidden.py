"""Every length, gradients, and the student's test on attentions of ours."""

import math
from functools import lru_cache

import torch
from hypothesis import strategies as st
from torch import Tensor

from graders import (
    CheckFailure,
    cases,
    close,
    fail,
    fresh_tensor,
    influence_map,
    judge_test,
    moved_by,
    points,
    tensor,
)

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(1000, 2**32 - 1)
# (batch, length, heads): a single token, a few, as many as heads, just beyond 16, beyond 32, 128 and 256.
SHAPES = (
    (3, 1, 2),
    (2, 2, 2),
    (2, 4, 4),
    (2, 5, 4),
    (2, 6, 8),
    (2, 17, 2),
    (1, 33, 4),
    (1, 130, 2),
    (1, 270, 1),
)
IN_FLOAT32 = (2, 17, 2)
# The scores of the longest are in the tens: next to them a block of -20 is nothing. Not in the hundreds:
# weights that are divided by their new sum after the softmax would be 0 / 0.
LARGE = {33: 4.0}
NEAR = 1e-4  # float32 from float64
# From here on, PyTorch's attention on the CPU reads additive float32 masks wrongly in float64 (seen in 2.13),
# without a word: what fails is asked again in float32, where such work is right.
MISREAD = 16
D_MODEL = 8


@lru_cache(16)
def given(  # the dtype of grading is read where tensors are made, and is the key of the cache
    seed: int,
    dtype: torch.dtype,  # noqa: ARG001
) -> tuple[tuple[Tensor, Tensor], dict[tuple[int, int, int], Tensor]]:
    """The weights and the tokens of each shape, in the dtype of grading: the same for every submission."""
    return weights(seed), {shape: tokens(seed, *shape[:2]) for shape in SHAPES}


def weights(seed: int) -> tuple[Tensor, Tensor]:
    return fresh_tensor(D_MODEL, 3 * D_MODEL, seed=seed + 1) / 2, fresh_tensor(
        D_MODEL, D_MODEL, seed=seed + 2
    ) / 2


def reference(x: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    """Causal multi-head attention; head after head."""
    blocked = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    heads = []
    for q, k, v in zip(*(part.chunk(num_heads, dim=-1) for part in (query, key, value)), strict=True):
        scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(blocked, -math.inf)
        heads.append(scores.softmax(-1) @ v)
    return torch.cat(heads, dim=-1) @ w_out


def tokens(seed: int, batch: int, length: int) -> Tensor:
    return LARGE.get(length, 1.0) * fresh_tensor(batch, length, D_MODEL, seed=seed)


@lru_cache(100)
def expected(seed: int, shape: tuple[int, int, int], dtype: torch.dtype) -> Tensor:
    batch, length, heads = shape
    return reference(tokens(seed, batch, length), *weights(seed), heads).to(dtype)


@points(4, hint="Make the mask from x.shape[1] with triu(diagonal=1), and put it on before the softmax.")
@cases(SEEDS, n=1)
def test_values(student, seed):
    """For one token, a few and many, with one head to eight, the values are those of causal attention."""
    (w_qkv, w_out), every = given(seed, student.dtype)
    for shape, x in every.items():
        got = student.decoder_attention(x, w_qkv, w_out, shape[2])
        try:
            close(
                got,
                expected(seed, shape, student.dtype),
                what="the output for one token" if shape[1] == 1 else f"the output for {shape[1]} tokens",
            )
        except CheckFailure as failure:
            failure.precision |= shape[1] >= MISREAD
            raise
    if student.dtype == torch.float64:  # float32 has no room for such values
        asked = low_scores(seed)
        got = student.decoder_attention(*asked, 2)
        close(got, reference(*asked, 2), what="the output with low scores and a last token of large values")
    # Last: after an answer in float32, whatever fails is asked again in float32.
    got = student.decoder_attention(every[IN_FLOAT32].float(), w_qkv.float(), w_out.float(), IN_FLOAT32[2])
    wanted = expected(seed, IN_FLOAT32, student.dtype).float()
    close(got, wanted, what=f"the output for {IN_FLOAT32[1]} tokens in float32", atol=NEAR, rtol=NEAR)


@lru_cache(16)
def low_scores(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens and weights with scores of about -600, but for those of the last token, whose values are huge.

    Next to these a fill of -100 or -1000, added or not, is no block. Weights that are divided by their new
    sum after the softmax have what they need, as has an exp() of the scores as they are.
    """
    x = fresh_tensor(2, 4, D_MODEL, seed=seed + 3)
    x[..., 0], x[..., 1] = 1.0, 0.0
    x[:, -1, 1] = 1.0
    (w_qkv, w_out), head_dim = weights(seed), D_MODEL // 2
    w_qkv = w_qkv.clone()
    for head in range(2):
        query, key = head * head_dim, D_MODEL + head * head_dim
        w_qkv[:, key] = w_qkv[:2, query : query + head_dim] = w_qkv[:2, key : key + head_dim] = 0.0
        w_qkv[2:, query] = 0.0
        w_qkv[0, query] = 1.0
        w_qkv[0, key] = -600.0 * math.sqrt(head_dim)
        w_qkv[1, key] = 600.0 * math.sqrt(head_dim)
    w_qkv[1, 2 * D_MODEL :] *= 1e200
    return x, w_qkv, w_out


@points(4, hint="Row = target, column = source: nothing right of the diagonal may move a target.")
@cases(SEEDS, n=1)
def test_who_moves_whom(student, seed):
    """A token moves its own output and those after it, and no output before it: for 5 tokens and for 18."""
    w_qkv, w_out = weights(seed)
    still = 1e-9 if student.dtype == torch.float64 else 1e-5

    def ask(batch):
        return tensor(student.decoder_attention(batch, w_qkv, w_out, 2), shape=batch.shape, finite=True)

    def change(x, position):
        changed = x.clone()
        changed[position] = 1 - x[position].flip(0)
        return changed

    # Both are asked before either is judged: what is wrong beyond 16 tokens has another name.
    maps = [
        moved_by(ask, fresh_tensor(length, D_MODEL, seed=seed) / 2, change, by_more_than=still)
        for length in (5, 18)
    ]
    for moved in maps:
        length = len(moved)
        allowed = torch.ones(length, length, dtype=torch.bool).tril()
        leaks, dead = (moved & ~allowed).nonzero().tolist(), (allowed & ~moved).nonzero().tolist()
        if leaks:
            target, source = leaks[0]
            raise CheckFailure(
                f"With {length} tokens, changing token {source} moved the output at token {target}: "
                f"the future is visible ({len(leaks)} such pairs).",
                pictures=[influence_map(moved, allowed)],
                precision=length >= MISREAD,
            )
        if dead:
            target, source = dead[0]
            raise CheckFailure(
                f"With {length} tokens, changing token {source} did not move the output at token {target}, "
                "which must see it.",
                pictures=[influence_map(moved, allowed)],
                precision=length >= MISREAD,
            )


@lru_cache(16)
def expected_gradients(  # the dtype of grading is read where tensors are made, and is the key of the cache
    seed: int,
    dtype: torch.dtype,  # noqa: ARG001
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The output for two rows of five tokens, and its gradients by x and both weights."""
    inputs = [fresh_tensor(2, 5, D_MODEL, seed=seed), *weights(seed)]
    for value in inputs:
        value.requires_grad_()
    output = reference(*inputs, 2)
    cotangent = torch.randn(output.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return output.detach(), torch.autograd.grad((output * cotangent.to(output.dtype)).sum(), inputs)


@points(2, hint="Leave detach, .data and torch.no_grad out, and write into no tensor that came in.")
@cases(SEEDS, n=1)
def test_gradients_and_input(student, seed):
    """Gradients of the right values reach x and both weights, and x is left as it was."""
    x, (w_qkv, w_out) = fresh_tensor(2, 5, D_MODEL, seed=seed), given(seed, student.dtype)[0]
    got = student.decoder_attention.gradients(x, w_qkv, w_out, 2, cotangent_seed=seed)
    output, wanted = expected_gradients(seed, student.dtype)
    close(got.output, output)
    for name, found, right in zip(("x", "w_qkv", "w_out"), got.inputs, wanted, strict=False):
        if found is None:
            fail(f"No gradient reaches {name}.")
        close(found, right, what=f"the gradient of {name}")
    _, after = student.with_inputs("decoder_attention", x, w_qkv, w_out, 2)
    close(after[0], x, what="x after the call", atol=0.0, rtol=0.0)


# The attentions that the student's test meets. All have the weights of OWN: for each of two heads the
# projections of query and key as one matrix, and those of value and output as another.


def own() -> tuple[tuple[Tensor, Tensor], ...]:
    generator = torch.Generator().manual_seed(11)
    return tuple((torch.randn(2, 8, 8, generator=generator) * 0.4).unbind(0) for _ in range(2))


OWN = own()


def blocked_above(diagonal: int, up_to: int | None = None):
    @lru_cache(16)
    def mask(length: int) -> Tensor:
        blocked = torch.ones(length, length, dtype=torch.bool).triu(diagonal)
        if up_to is not None:
            blocked[up_to:] = False
            blocked[:, up_to:] = False
        return blocked

    return mask


def attention_with(mask, after=None, heads=(True,)):
    """`mask` gives what is blocked, in those `heads` only; `after` is done to the weights."""

    def attention(x: Tensor) -> Tensor:
        context = torch.zeros_like(x)
        for on, (w_scores, w_value) in zip(heads, OWN, strict=False):
            scores = x @ w_scores.to(x.dtype) @ x.mT
            if after is not None:
                attended = after(scores, mask(x.shape[1]))
            elif on:
                attended = scores.masked_fill(mask(x.shape[1]), -math.inf).softmax(-1)
            else:
                attended = scores.softmax(-1)
            context = context + attended @ (x @ w_value.to(x.dtype))
        return context

    return attention


def zeroed(scores: Tensor, blocked: Tensor) -> Tensor:
    return scores.softmax(-1).masked_fill(blocked, 0.0)


def renormalised(scores: Tensor, blocked: Tensor) -> Tensor:
    """Masked after the exponential and divided by the new sum, which large tokens later on make no 0 / 0."""
    seen = scores.masked_fill(blocked, -math.inf).amax(-1, keepdim=True)
    raised = (scores - seen).exp().masked_fill(blocked, 0.0)
    return raised / raised.sum(-1, keepdim=True)


def mean_so_far(x: Tensor) -> Tensor:
    return x.cumsum(1) / torch.arange(1, x.shape[1] + 1, dtype=x.dtype).unsqueeze(-1)


def shifted(x: Tensor) -> Tensor:
    """Each token sees those before it only; the first gets zeros."""
    seen = attention_with(blocked_above(1))(x)
    return torch.cat([torch.zeros_like(seen[:, :1]), seen[:, :-1]], dim=1)


LEAKY = {
    "the broken program itself": attention_with(blocked_above(2, up_to=16)),
    "one in which each token sees the next one": attention_with(blocked_above(2)),
    "one that blocks nothing beyond its first 16 tokens": attention_with(blocked_above(1, up_to=16)),
    "one masked after the softmax, whose sum the future is in": attention_with(
        blocked_above(1), after=zeroed
    ),
    "one with a mask in one of its two heads": attention_with(blocked_above(1), heads=(True, False)),
}
CAUSAL = {
    "a causal attention": attention_with(blocked_above(1)),
    "the mean of all tokens so far": mean_so_far,
    "one in which a token sees only those before it": shifted,
    "one masked after the softmax and divided by the new sum": attention_with(
        blocked_above(1), after=renormalised
    ),
}


# Whoever tests long sequences or large batches may.
BOUNDS = {"elements": 2**16, "longest": 2**10}


@points(
    4, hint="Try lengths below, at and beyond 16, and a change from each position on; compare with allclose."
)
@cases(SEEDS, n=1)
def test_your_test_on_many_attentions(student, seed):
    """test_no_future rejects each of five leaky attentions and accepts each of four causal ones."""
    judge_test(
        student,
        "test_no_future",
        CAUSAL,
        LEAKY,
        seed=seed,
        must_reject="the broken program itself",
        **BOUNDS,
    )
