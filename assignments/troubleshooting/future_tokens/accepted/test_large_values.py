"""A test that overwrites the future with large values."""


import torch, math
def decoder_attention(x, w_qkv, w_out, num_heads, verbose=False):
    batch, length, d_model = x.shape
    head_dim = d_model // num_heads
    query, key, value = (p.reshape(batch, length, num_heads, head_dim).transpose(1, 2) for p in (x @ w_qkv).chunk(3, dim=-1))
    scores = torch.matmul(query, key.mT) / math.sqrt(head_dim)
    scores = scores + torch.full((length, length), float("-inf")).triu(1)
    weights = torch.softmax(scores, dim=-1)
    if verbose: print(weights)
    return (weights @ value).transpose(1, 2).reshape(batch, length, d_model) @ w_out

def test_no_future(attention):
    x = torch.randn(2, 24, 8)
    want = attention(x)
    for t in range(1, 24):
        y = x.clone(); y[:, t:] = (10 if t % 2 else -1e4) * torch.randn(2, 24 - t, 8)
        assert torch.allclose(attention(y)[:, :t], want[:, :t], atol=1e-5)
