"""Both masks are filled by loops; the layer runs row by row on unpadded rows, which are padded again."""
import torch

def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for target in range(length):
        for source in range(target + 1, length):
            mask[target, source] = True
    return mask


def padding_mask(lengths, max_len):
    return torch.tensor([[i >= n for i in range(max_len)] for n in lengths.tolist()])


def run_layer(layer, x, lengths, causal):
    rows = []
    for row, n in zip(x, lengths):
        row = row[:n].unsqueeze(0)
        out = layer(row, src_mask=causal_mask(int(n))) if causal else layer(row)
        rows.append(torch.nn.functional.pad(out[0], (0, 0, 0, x.shape[1] - int(n))))
    return torch.stack(rows)
