"""The reference's decoder: prefixes stay, pasts matter, and what is too long or unknown is refused."""

import pytest
import torch

from reference import CausalDecoder

VOCAB, MAX_LEN = 11, 6


@pytest.fixture
def decoder():
    torch.manual_seed(0)
    return CausalDecoder(VOCAB, 8, 2, 2, MAX_LEN).double().eval()


def test_a_token_moves_its_own_logits_and_later_ones(decoder):
    ids = torch.arange(MAX_LEN).unsqueeze(0)
    for source in range(MAX_LEN):
        other = ids.clone()
        other[0, source] = 10
        moved = (decoder(other) - decoder(ids)).abs().amax(-1)[0]
        assert moved[:source].sum() < 1e-12
        assert moved[source:].min() > 1e-6


def test_a_prefix_gives_the_same_alone(decoder):
    ids = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])
    torch.testing.assert_close(decoder(ids[:, :3]), decoder(ids)[:, :3])


def test_each_layer_has_parameters_of_its_own():
    counts = [sum(p.numel() for p in CausalDecoder(VOCAB, 8, 2, n, MAX_LEN).parameters()) for n in (1, 2, 3)]
    assert counts[2] - counts[1] == counts[1] - counts[0] > 4 * 8 * 8


@pytest.mark.parametrize("ids", [[[0] * (MAX_LEN + 1)], [[1, VOCAB]], [[-1, 2]]])
def test_what_it_cannot_read_is_refused(decoder, ids):
    with pytest.raises(ValueError, match=r"max_len|outside"):
        decoder(torch.tensor(ids))


def test_it_learns_to_count(decoder):
    ids = torch.arange(MAX_LEN).repeat(2, 1)
    optimizer = torch.optim.Adam(decoder.parameters(), lr=0.02)
    for _ in range(40):
        loss = torch.nn.functional.cross_entropy(decoder(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert decoder(ids)[0, :-1].argmax(-1).tolist() == ids[0, 1:].tolist()
