"""The exercises on blocks: their model solutions against the reference and against PyTorch's own layer."""

import torch
from torch import nn

import reference
from graders.assignment import find_assignment
from graders.session import collect_checks

from .conftest import load

BLOCKS = find_assignment("blocks")
EXERCISES = {exercise.id: exercise for exercise in BLOCKS.exercises}


def solution(exercise: str):
    return load(EXERCISES[exercise].solutions[0])


def test_the_group_is_worth_what_its_checks_are_worth():
    assert sum(check.points for check in collect_checks(BLOCKS)) == BLOCKS.points == 58


def test_the_block_is_pytorchs_own_layer():
    torch.manual_seed(0)
    x = torch.randn(3, 5, 8)
    padding = reference.padding_mask(torch.tensor([5, 3, 1]), 5)
    for norm_first in (True, False):
        layer = nn.TransformerEncoderLayer(8, 2, 20, batch_first=True, norm_first=norm_first).eval()
        own = solution("encoder_block").EncoderBlock(8, 2, 20, norm_first).eval()
        own.load_state_dict(
            {name.replace("self_attn", "attention"): value for name, value in layer.state_dict().items()}
        )
        for masks in ((None, None), (reference.causal_mask(5), None), (reference.causal_mask(5), padding)):
            got, expected = own(x, *masks), layer(x, *masks)
            real = slice(None) if masks[1] is None else ~padding
            torch.testing.assert_close(got[real], expected[real])


def test_the_table_of_positions_is_the_references():
    own = solution("sinusoidal_positions").sinusoidal_positions
    for sizes in ((1, 2), (7, 4), (60, 12)):
        torch.testing.assert_close(own(*sizes), reference.sinusoidal_positions(*sizes), atol=1e-5, rtol=0)


def test_the_decoder_keeps_its_past_and_learns_to_count():
    torch.manual_seed(0)
    model = solution("causal_decoder").CausalDecoder(11, 16, 2, 2, 6)
    ids = torch.arange(6).repeat(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(30):
        loss = nn.functional.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    assert model(ids)[0, :-1].argmax(-1).tolist() == [1, 2, 3, 4, 5]
    other = ids.clone()
    other[:, 4:] = 9
    torch.testing.assert_close(model(other)[:, :4], model(ids)[:, :4])
