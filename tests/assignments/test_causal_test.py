"""The models that a student's test of a causal mask is tried on are what their words say."""

import runpy

import pytest
import torch

from graders.assignment import find_assignment

from .conftest import load

EXERCISE = find_assignment("exercises/causal_test").exercises[0]
MODELS = runpy.run_path(str(EXERCISE.hidden_tests.with_name("models.py")))
SEEDS = (1, 2, 3)


def models(group, seed):
    words = {kind.words for kind in MODELS[group]}
    return [(kind.words, model.eval()) for kind, model in MODELS["drawn"](seed) if kind.words in words]


def influence(model, length, rows=1):
    """By how much a change at each source moves each target: (target, source)."""
    ids = torch.randint(0, MODELS["VOCAB"] - 1, (rows, length))
    moved = []
    with torch.no_grad():
        before = model(ids)
        for source in range(length):
            changed = ids.clone()
            changed[:, source] = (ids[:, source] + 1) % (MODELS["VOCAB"] - 1)
            moved.append((model(changed) - before).abs().amax((0, 2)))
    return torch.stack(moved, dim=1)


def test_there_are_enough_and_their_words_differ():
    assert len(MODELS["RIGHT"]) >= 12
    assert len(MODELS["LEAKY"]) + len(MODELS["SOMETIMES"]) >= 24
    words = [kind.words for name in ("RIGHT", "LEAKY", "SOMETIMES") for kind in MODELS[name]]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_right_ones_see_no_later_token(seed):
    torch.manual_seed(seed)
    for words, model in models("RIGHT", seed):
        for length in (2, 9, 40):
            moved = influence(model, length, rows=2)
            assert float(moved.triu(1).max()) < 1e-5, words  # float32 rounds
            assert bool((moved.tril().sum(1)[1:] > 1e-3).all()), f"{words}: it sees nothing at all"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_plain_leaks_show_in_any_short_sequence(seed):
    torch.manual_seed(seed)
    for words, model in models("LEAKY", seed):
        for length in (2, 5, 12):
            assert float(influence(model, length)[:, -1][:-1].max()) > 5e-4, (words, length)


@pytest.mark.parametrize("seed", range(1, 400, 8))
def test_one_look_at_one_short_sequence_is_enough_for_a_plain_leak(seed):
    torch.manual_seed(seed)
    ids = torch.randint(0, MODELS["VOCAB"], (1, 8))
    other = ids.clone()
    other[:, -2:] = (other[:, -2:] + 5) % MODELS["VOCAB"]
    for words, model in models("LEAKY", seed):
        with torch.no_grad():
            seen = (model(ids) - model(other))[:, :6].abs().max()
        assert float(seen) > 1e-2, words


@pytest.mark.parametrize("seed", SEEDS)
def test_the_other_leaks_show_where_they_are_looked_for(seed):
    torch.manual_seed(seed)
    hidden = "the mask works in evaluation mode only"
    for words, model in models("SOMETIMES", seed):
        shows = float(influence(model, 40, rows=3).triu(1).max()) > 1e-5
        assert shows is (words != hidden), words
    found = dict(models("SOMETIMES", seed))
    assert float(influence(found[hidden].train(), 6).triu(1).max()) > 1e-3


def test_gradients_tell_the_same():
    for words, model in models("RIGHT", 1) + models("LEAKY", 1):
        x = model.embed(torch.tensor([[1, 2, 3, 4]])).detach().requires_grad_()
        logits = model.from_embedded(x)
        (ahead,) = torch.autograd.grad(logits[:, 0].square().sum() + logits[:, 2].square().sum(), x)
        assert (float(ahead[:, 3].abs().max()) > 0) is (words not in {k.words for k in MODELS["RIGHT"]}), (
            words
        )


def test_the_solution_needs_no_sandbox_to_be_right():
    check_causal = load(EXERCISE.solutions[0]).check_causal
    for group in ("RIGHT", "LEAKY"):
        for _, model in models(group, 5):
            model.vocab_size = MODELS["VOCAB"]
            if group == "RIGHT":
                check_causal(model)
            else:
                with pytest.raises(AssertionError, match="logits moved"):
                    check_causal(model)
