"""The five checks of `assignment/` as bare calls and assertions: what nbgrader and otter-grader are given.

The whole text of this file goes into their test cells, so it imports torch alone.
"""

import math

import torch


def reference_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ value, weights


def draw(seed):
    generator = torch.Generator().manual_seed(seed)

    def number(low, high):
        return int(torch.randint(low, high + 1, (), generator=generator))

    batch, targets, sources, d_k, d_v = number(2, 3), number(2, 5), number(6, 9), number(2, 5), number(6, 9)
    query = torch.randn(batch, targets, d_k, generator=generator, dtype=torch.float64)
    key = torch.randn(batch, sources, d_k, generator=generator, dtype=torch.float64)
    value = torch.randn(batch, sources, d_v, generator=generator, dtype=torch.float64)
    mask = torch.rand(batch, targets, sources, generator=generator) < 0.4
    mask[..., 0] = False
    return query, key, value, mask


def agree(answer, expected):
    assert isinstance(answer, tuple)
    assert len(answer) == 2
    for got, wanted in zip(answer, expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-9, atol=1e-9)


def check_lesson_numbers(attention):
    x = torch.eye(2, dtype=torch.float64)
    expected = torch.tensor([[0.6698, 0.3302], [0.3302, 0.6698]], dtype=torch.float64)
    torch.testing.assert_close(attention(x, x, x)[1], expected, rtol=0, atol=1e-4)


def check_values(attention):
    for seed in range(25):
        query, key, value, _ = draw(seed)
        agree(attention(query, key, value), reference_attention(query, key, value))


def check_masked_values(attention):
    for seed in range(100, 125):
        inputs = draw(seed)
        agree(attention(*inputs), reference_attention(*inputs))


def check_large_scores(attention):
    for seed in range(200, 225):
        query, key, value, mask = draw(seed)
        _, weights = attention(query * 50, key, value, mask)
        assert not bool((weights.masked_select(mask).abs() > 1e-6).any())
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]), rtol=0, atol=1e-5)


def check_mask_is_broadcast(attention):
    for seed in range(300, 325):
        query, key, value, mask = draw(seed)
        mask = mask[:, :1]
        agree(attention(query, key, value, mask), reference_attention(query, key, value, mask))


CHECKS = (
    check_lesson_numbers,
    check_values,
    check_masked_values,
    check_large_scores,
    check_mask_is_broadcast,
)
