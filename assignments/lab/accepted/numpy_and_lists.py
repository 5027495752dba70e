"""Rows printed as lists, as numpy arrays and rounded."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(42)
np.set_printoptions(precision=3, suppress=True)
mha = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True)
x = torch.rand(3, 4, 8)
with torch.no_grad():
    mha.eval()
    out, w = mha(query=x, key=x, value=x, need_weights=True)
    print("out:", list(out.shape), "weights:", list(w.shape))
    _, wh = mha(x, x, x, need_weights=True, average_attn_weights=False)
    print("per head:", list(wh.shape), np.abs(wh.mean(1).numpy() - w.numpy()).max() < 1e-6)
    mask = torch.tensor([[False, False, True, True], [False, False, False, False], [False, False, False, True]])
    _, wp = mha(x, x, x, key_padding_mask=mask)
    print("padded row:", [round(v, 3) for v in wp[0, 0].tolist()])
    _, wc = mha(x, x, x, attn_mask=torch.tril(torch.ones(4, 4)) == 0)
    print("causal:", wc[1].numpy(), sep="\n")
    print("row:", w[0, 1].numpy().round(2))
