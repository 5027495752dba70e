"""I cut the padding off and join the real tokens: the shape is gone."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    rows = []
    for row, n in zip(x, lengths.tolist()):
        mask = causal_mask(n) if causal else None
        rows.append(layer(row[None, :n], src_mask=mask)[0])
    return torch.cat(rows)
