"""I block the rows of the padded targets, not the columns of the padded sources."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    batch, length, _ = x.shape
    padded = padding_mask(lengths, length)
    blocked = padded[:, :, None].expand(batch, length, length).clone()
    blocked[:, :, 0] = False
    if causal:
        blocked = blocked | causal_mask(length)
    blocked = blocked.repeat_interleave(layer.self_attn.num_heads, dim=0)
    return layer(x, src_mask=blocked)
