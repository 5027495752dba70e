"""Chunks of every size, the causal mask, gradients, and the student's test on attentions of ours."""

import math
from functools import lru_cache

import torch
from hypothesis import strategies as st
from torch import Tensor

from graders import CheckFailure, cases, close, fail, fresh_tensor, judge_test, points

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(1000, 2**32 - 1)
MEMORY = ("test_memory_of_long_batches",)


def reference(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (batch, heads, target, source)
    if causal:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    return scores.softmax(-1) @ value


def inputs(seed: int, targets: int, sources: int) -> tuple[Tensor, Tensor, Tensor]:
    """Two rows and three heads; scores of a few hundred, so that a sum of exponentials must be careful."""
    return (
        15 * fresh_tensor(2, 3, targets, 6, seed=seed),
        15 * fresh_tensor(2, 3, sources, 6, seed=seed + 1),
        fresh_tensor(2, 3, sources, 5, seed=seed + 2),
    )


@points(
    3,
    requires=MEMORY,
    hint="The last chunk may be shorter, and there may be only one; range(0, length, size) sees to it.",
)
@cases(SEEDS, n=1)
def test_chunks_of_any_size(student, seed):
    """Chunks of one, chunks that do not divide the length and chunks beyond it all give the same values."""
    query, key, value = inputs(seed, 7, 10)
    wanted = reference(query, key, value)
    for size in (1, 3, 8, 64):
        got = student.chunked_attention(query, key, value, chunk_size=size)
        close(got, wanted, what=f"the context of 7 targets and 10 sources in chunks of {size}")
    query, key, value = inputs(seed, 1, 1)
    close(student.chunked_attention(query, key, value, chunk_size=4), value, what="the context of one token")
    query, key, value = inputs(seed, 3, 70)
    got = student.chunked_attention(query, key, value)
    try:
        close(got, reference(query, key, value), what="the context of 3 targets and 70 sources by default")
    except CheckFailure as failure:
        # From 16 sources on, PyTorch's attention on the CPU reads additive float32 masks wrongly in float64
        # (seen in 2.13), without a word: this is asked again in float32, where such work is right.
        failure.precision = True
        raise


@points(3, requires=MEMORY, hint="The targets of a chunk begin at its start: block source > start + target.")
@cases(SEEDS, n=1)
def test_causal(student, seed):
    """With causal=True, each target attends to itself and what stands before it, in whatever chunk it is."""
    query, key, value = inputs(seed, 9, 9)
    wanted = reference(query, key, value, causal=True)
    for size in (1, 4, 20):
        got = student.chunked_attention(query, key, value, causal=True, chunk_size=size)
        close(got, wanted, what=f"the causal context of 9 tokens in chunks of {size}")


@lru_cache(16)
def expected_gradients(  # the dtype of grading is read where tensors are made, and is the key of the cache
    seed: int,
    dtype: torch.dtype,  # noqa: ARG001
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The context of five tokens, and its gradients by query, key and value."""
    given = [(value / 15).requires_grad_() for value in inputs(seed, 5, 5)]
    output = reference(*given)
    generator = torch.Generator().manual_seed(seed)
    cotangent = torch.randn(output.shape, generator=generator, dtype=torch.float64).to(output.dtype)
    return output.detach(), torch.autograd.grad((output * cotangent).sum(), given)


@points(
    2, requires=MEMORY, hint="Leave detach, .data and torch.no_grad out: gradients pass through every chunk."
)
@cases(SEEDS, n=1)
def test_gradients(student, seed):
    """Gradients of the right values reach query, key and value."""
    given = [value / 15 for value in inputs(seed, 5, 5)]
    got = student.chunked_attention.gradients(*given, cotangent_seed=seed, chunk_size=2)
    output, wanted = expected_gradients(seed, student.dtype)
    close(got.output, output, what="the context")
    for name, found, right in zip(("query", "key", "value"), got.inputs, wanted, strict=True):
        if found is None:
            fail(f"No gradient reaches {name}.")
        close(found, right, what=f"the gradient of {name}")


# The attentions that the student's test meets.


def by_targets(query, key, value, causal=False, chunk_size=64):
    future = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).triu(1)
    chunks = []
    for start in range(0, query.shape[-2], chunk_size):
        rows = slice(start, start + chunk_size)
        scores = query[..., rows, :] @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        chunks.append((scores.masked_fill(future[rows], -math.inf) if causal else scores).softmax(-1) @ value)
    return torch.cat(chunks, dim=-2)


def by_sources(query, key, value, causal=False, chunk_size=64):
    """With a running maximum and a running sum."""
    shape = (*query.shape[:-1], 1)
    highest = torch.full(shape, -1e30, dtype=query.dtype)
    total, context = torch.zeros(shape, dtype=query.dtype), 0.0
    for start in range(0, key.shape[-2], chunk_size):
        rows = slice(start, start + chunk_size)
        scores = query @ key[..., rows, :].transpose(-2, -1) / math.sqrt(query.shape[-1])
        if causal:
            sources = torch.arange(key.shape[-2])[rows]
            scores = scores.masked_fill(sources > torch.arange(query.shape[-2]).unsqueeze(1), -math.inf)
        higher = torch.maximum(highest, scores.amax(-1, keepdim=True))
        share, old = (scores - higher).exp(), (highest - higher).exp()
        total = total * old + share.sum(-1, keepdim=True)
        context = context * old + share @ value[..., rows, :]
        highest = higher
    return context / total


def last_chunk_forgotten(query, key, value, causal=False, chunk_size=64):
    context = reference(query, key, value, causal)
    context[..., context.shape[-2] // chunk_size * chunk_size :, :] = 0.0
    return context


def softmax_by_chunks(query, key, value, causal=False, chunk_size=64):
    """Each chunk of sources by itself, then their mean."""
    if causal:
        return reference(query, key, value, causal)
    contexts = [
        reference(query, k, v)
        for k, v in zip(key.split(chunk_size, dim=-2), value.split(chunk_size, dim=-2), strict=True)
    ]
    return torch.stack(contexts).mean(0)


def mask_begins_anew(query, key, value, causal=False, chunk_size=64):
    """The causal mask of each chunk begins at its own first target."""
    future = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).triu(1)
    chunks = []
    for chunk in query.split(chunk_size, dim=-2):
        scores = chunk @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        mask = future[: chunk.shape[-2]]
        chunks.append((scores.masked_fill(mask, -math.inf) if causal else scores).softmax(-1) @ value)
    return torch.cat(chunks, dim=-2)


def not_scaled(query, key, value, causal=False, chunk_size=64):  # noqa: ARG001 whole
    return reference(query * math.sqrt(query.shape[-1]), key, value, causal)


def own_chunk_only(query, key, value, causal=False, chunk_size=64):
    """Each target sees the sources of its own chunk, where there are as many sources as targets."""
    if query.shape[-2] != key.shape[-2]:
        return reference(query, key, value, causal)
    parts = (part.split(chunk_size, dim=-2) for part in (query, key, value))
    return torch.cat([reference(q, k, v, causal) for q, k, v in zip(*parts, strict=True)], dim=-2)


WRONG = {
    "an attention that forgets the last, shorter chunk": last_chunk_forgotten,
    "one that takes the softmax over each chunk of sources by itself": softmax_by_chunks,
    "one whose causal mask begins anew with each chunk": mask_begins_anew,
    "one that does not divide by √d_k": not_scaled,
    "one whose targets see their own chunk only": own_chunk_only,
}
RIGHT = {
    "attention in chunks of targets": by_targets,
    "attention in chunks of sources, with a running sum": by_sources,
}


# The handout's 500 tokens, with some heads and features.
BOUNDS = {"elements": 2**17, "longest": 512}


@points(4, hint="Several chunk sizes, one that does not divide the length among them; causal and not.")
@cases(SEEDS, n=1)
def test_your_test_on_many_attentions(student, seed):
    """test_same_values rejects each of five wrong attentions and accepts each of two right ones."""
    judge_test(student, "test_same_values", RIGHT, WRONG, seed=seed, **BOUNDS)
