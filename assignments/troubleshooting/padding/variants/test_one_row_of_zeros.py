"""A test with one row and one column of zeros."""


import math, torch
def encode_batch(x, lengths, w_qkv):
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])
    padding = torch.arange(x.shape[1]) >= lengths.unsqueeze(1)
    scores = scores.masked_fill(padding.unsqueeze(1), -math.inf)
    context = scores.softmax(dim=-1) @ value
    real = (~padding).unsqueeze(-1)
    return (context * real).sum(1) / lengths.unsqueeze(1)


def test_padding_is_inert(encode):
    x = torch.randn(1, 2, 8)
    a = encode(x, torch.tensor([2])); b = encode(torch.cat([x, torch.zeros(1, 1, 8)], 1), torch.tensor([2]))
    assert torch.allclose(a, b, atol=1e-5)
