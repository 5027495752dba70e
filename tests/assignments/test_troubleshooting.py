"""The four programs to mend: what is wrong with each, that the model answers are right, and their tests."""

from __future__ import annotations

import inspect

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from graders.assignment import find_assignment

from .conftest import load

TROUBLE = {exercise.id: exercise for exercise in find_assignment("troubleshooting").exercises}


def solution(name):
    return load(TROUBLE[name].solutions[0])


def starter(name):
    return load(next(path for path in TROUBLE[name].starters if path.suffix == ".py"))


def hidden(name):
    return load(TROUBLE[name].hidden_tests)


def test_there_are_the_four_of_the_lesson():
    assert list(TROUBLE) == ["future_tokens", "padding", "heads", "memory"]


@pytest.mark.parametrize("name", list(TROUBLE))
def test_the_starter_runs_and_its_test_is_still_to_be_written(name):
    module, exercise = starter(name), TROUBLE[name]
    kept = next(asked for asked in exercise.names if asked.startswith("test_"))
    arguments = inspect.signature(getattr(module, kept)).parameters
    with pytest.raises(NotImplementedError):
        getattr(module, kept)(*arguments)
    assert all(hasattr(module, asked) for asked in exercise.names)


def decoder(module, length):
    generator = torch.Generator().manual_seed(0)
    x, w_qkv, w_out = (torch.randn(shape, generator=generator) for shape in ((2, length, 8), (8, 24), (8, 8)))
    layer = nn.MultiheadAttention(8, 2, bias=False, batch_first=True)
    layer.load_state_dict({"in_proj_weight": w_qkv.T, "out_proj.weight": w_out.T})
    mask = torch.ones(length, length, dtype=torch.bool).triu(1)
    expected = layer(x, x, x, attn_mask=mask, need_weights=False)[0]
    return torch.allclose(module.decoder_attention(x, w_qkv, w_out, 2), expected, atol=1e-4)


@pytest.mark.parametrize("length", [2, 5, 16, 17, 40])
def test_only_the_mended_decoder_is_torchs_own(length):
    assert decoder(solution("future_tokens"), length)
    assert not decoder(starter("future_tokens"), length)


def test_only_the_mended_encoder_is_that_of_each_row_alone():
    torch.manual_seed(0)
    x, lengths, w_qkv = torch.randn(3, 5, 4), torch.tensor([2, 5, 1]), torch.randn(4, 12)
    rows = []
    for row, length in zip(x, lengths, strict=True):
        query, key, value = (row[None, None, :length] @ w_qkv).chunk(3, dim=-1)
        rows.append(F.scaled_dot_product_attention(query, key, value).mean((0, 1, 2)))
    assert torch.allclose(solution("padding").encode_batch(x, lengths, w_qkv), torch.stack(rows), atol=1e-5)
    assert not torch.allclose(
        starter("padding").encode_batch(x, lengths, w_qkv), torch.stack(rows), atol=1e-5
    )


def test_only_the_mended_heads_keep_tokens_apart():
    x = torch.arange(2 * 3 * 4).view(2, 3, 4)
    for module, right in ((solution("heads"), True), (starter("heads"), False)):
        heads = module.split_heads(x, 2)
        assert (heads[1, 1, 0].tolist() == x[1, 0, 2:].tolist()) is right
        assert module.merge_heads(heads).tolist() == x.tolist()
    assert starter("heads").split_heads(torch.zeros(1, 2, 10), 4).shape == (1, 4, 2, 2)
    with pytest.raises(ValueError, match=r"10.*4"):
        solution("heads").split_heads(torch.zeros(1, 2, 10), 4)


@pytest.mark.parametrize("causal", [False, True])
def test_chunks_give_what_torch_gives(causal):
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 2, 9, 4).unbind(0)
    expected = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
    for module in (solution("memory"), starter("memory")):
        for size in (1, 4, 9, 30):
            got = module.chunked_attention(query, key, value, causal=causal, chunk_size=size)
            assert torch.allclose(got, expected, atol=1e-5)


# The attentions, encoders and pairs that students' tests meet are right or wrong by an independent measure.


def leaks(attention, length):
    """Whether the gradient of an output reaches a later token."""
    x = torch.randn(1, length, 8, dtype=torch.float64, requires_grad=True)
    output = attention(x)
    for target in range(length - 1):
        (gradient,) = torch.autograd.grad(output[0, target].sum(), x, retain_graph=True, allow_unused=True)
        if gradient is not None and float(gradient[0, target + 1 :].abs().max()) > 1e-9:
            return True
    return False


def test_the_leaky_attentions_leak_and_the_causal_ones_do_not():
    checks = hidden("future_tokens")
    assert all(any(leaks(one, length) for length in (3, 18)) for one in checks.LEAKY.values())
    assert not any(leaks(one, length) for one in checks.CAUSAL.values() for length in (1, 3, 18))


def test_padding_changes_the_leaky_encoders_and_no_right_one():
    torch.manual_seed(0)
    checks, x, lengths = hidden("padding"), torch.randn(3, 6, 8), torch.tensor([2, 5, 1])

    def differs(encode):
        alone = torch.cat([encode(x[i : i + 1, :n], lengths[i : i + 1]) for i, n in enumerate(lengths)])
        return not torch.allclose(encode(x, lengths), alone, atol=1e-5)

    assert all(map(differs, checks.LEAKY.values()))
    assert not any(map(differs, checks.RIGHT.values()))


def test_the_wrong_attentions_in_chunks_are_wrong_somewhere():
    torch.manual_seed(0)
    checks = hidden("memory")
    query, key, value = torch.randn(3, 2, 2, 9, 4).unbind(0)

    def wrong(attention):
        return any(
            not torch.allclose(
                attention(query, key, value, causal=causal, chunk_size=size),
                F.scaled_dot_product_attention(query, key, value, is_causal=causal),
                atol=1e-5,
            )
            for causal in (False, True)
            for size in (1, 4, 9)
        )

    assert all(map(wrong, checks.WRONG.values()))
    assert not any(map(wrong, checks.RIGHT.values()))


def test_the_kept_tests_of_the_model_answers_tell_them_apart():
    def rejects(test, *things):
        try:
            test(*things)
        except AssertionError:
            return True
        return False

    for name, kept, right, wrong in (
        ("future_tokens", "test_no_future", "CAUSAL", "LEAKY"),
        ("padding", "test_padding_is_inert", "RIGHT", "LEAKY"),
        ("heads", "test_heads", "RIGHT", "WRONG"),
        ("memory", "test_same_values", "RIGHT", "WRONG"),
    ):
        test, checks = getattr(solution(name), kept), hidden(name)
        for said, things in getattr(checks, right).items():
            assert not rejects(test, *(things if isinstance(things, tuple) else (things,))), said
        for said, things in getattr(checks, wrong).items():
            assert rejects(test, *(things if isinstance(things, tuple) else (things,))), said


def test_the_memory_asked_for_stands_between_chunks_and_the_whole_table():
    """Four tables of a chunk, and as much again, are within the cap; the whole one is more than two caps."""
    checks = load(TROUBLE["memory"].public_tests)
    shortest, longest = checks.LENGTHS
    assert 2 * 4 * (4 * 2 * checks.CHUNKS[1] * longest) <= checks.CAP
    assert 4 * 2 * shortest**2 >= 2 * checks.CAP
    # Nor are scores and weights of a quarter of one head's targets within it.
    assert 2 * 4 * shortest * (shortest // 4) > checks.CAP


@pytest.mark.parametrize("seed", range(40))
def test_what_is_lent_to_a_kept_test_rounds_the_same_whatever_comes_with_it(seed):
    x = torch.randn(2, 21, 8, generator=torch.Generator().manual_seed(seed))
    causal = load(TROUBLE["future_tokens"].public_tests).attention_with(1)
    inert = load(TROUBLE["padding"].public_tests).encoder(True)
    for length in range(1, 21):
        assert float((causal(x)[:, :length] - causal(x[:, :length])).abs().max()) < 1e-6
        lengths = torch.tensor([length, 21])
        assert float((inert(x, lengths)[0] - inert(x[:1, :length], lengths[:1])[0]).abs().max()) < 1e-6
