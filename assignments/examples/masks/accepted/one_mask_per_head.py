"""Both masks combined into one of shape (batch · heads, length, length)."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    batch, length, _ = x.shape
    blocked = padding_mask(lengths, length)[:, None, :].expand(batch, length, length)
    if causal:
        blocked = blocked | causal_mask(length)
    return layer(x, src_mask=blocked.repeat_interleave(layer.self_attn.num_heads, dim=0))
