"""What a student may run before handing in."""

import math
import random

import torch
from hypothesis import strategies as st

from graders import cases, close, fail, fresh_tensor, held, points, tensor

CAP = 5 * 2**20
# Drawn for each run. A chunk's table has pages of its own, so that what is measured is what is used, and a
# quarter of one head's table does not fit.
LENGTHS, CHUNKS = (1780, 1840), (16, 20)
SIZES = st.tuples(st.integers(*LENGTHS), st.integers(*CHUNKS))
SHOWN = slice(0, None, 97)  # the targets whose values are compared


@points(
    4, hint="Take chunk_size targets at a time: their scores, their softmax, their context; then the next."
)
@cases(SIZES, n=1)
def test_memory_of_long_batches(student, sizes):
    """Some 1,800 tokens and two heads in chunks of 16 to 20 need less than 5 MiB, with the right values."""
    length, chunk = sizes
    query, key, value = fresh_tensor(3, 1, 2, length, 4, seed=1, dtype=torch.float32).unbind(0)
    # What a first call reads of PyTorch itself is nobody's scores.
    student.chunked_attention.no_grad(query[..., :8, :], key[..., :8, :], value[..., :8, :], chunk_size=4)
    with student.memory_cap(CAP) as memory:
        got = student.chunked_attention.no_grad(query, key, value, chunk_size=chunk)
    student.fact("memory of the longest call", f"{memory.peak} of {CAP // 2**20} MiB")
    weights = (query[..., SHOWN, :] @ key.transpose(-2, -1) / math.sqrt(4)).softmax(-1)
    close(tensor(got, shape=value.shape)[..., SHOWN, :], weights @ value, what="the context of some targets")


def attention(query, key, value, causal=False, chunk_size=64):  # noqa: ARG001 the values do not depend on it
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ value


def last_chunk_forgotten(query, key, value, causal=False, chunk_size=64):
    context = attention(query, key, value, causal)
    context[..., context.shape[-2] // chunk_size * chunk_size :, :] = 0.0
    return context


# The handout's 500 tokens, with some heads and features.
BOUNDS = {"elements": 2**17, "longest": 512}


@points(2, hint="Take a length that chunk_size does not divide, and compare with PyTorch's own attention.")
@cases(st.integers(1000, 2**32 - 1), n=1)
def test_your_test_on_two_attentions(student, seed):
    """test_same_values rejects an attention that forgets the last, shorter chunk, and accepts a right one."""
    # One of the two twice, in an order that is drawn: only the answers tell which is which.
    generator = random.Random(seed)
    wrong = generator.sample([True, False, generator.random() < 0.5], 3)
    models = ((held(last_chunk_forgotten if one else attention, **BOUNDS),) for one in wrong)
    said = student.rejects_each("test_same_values", *models)
    if (True, False) in zip(wrong, map(bool, said), strict=True):
        returned = said[wrong.index(True)].instead
        fail(f"Your test let an attention pass whose last, shorter chunk is zero.{returned}")
    if (False, True) in zip(wrong, map(bool, said), strict=True):
        fail("Your test rejected an attention that has the right values.")
