import torch
import torch.nn as nn

def scaled_dot_product_attention(query, key, value, mask=None):
    # TODO ask in the forum
    # scores = query @ key ???
    # RuntimeError: mat1 and mat2 shapes cannot be multiplied
    raise NotImplementedError("did not get this one to run, sorry")

def causal_mask(length):
    # from the pytorch docs
    return nn.Transformer.generate_square_subsequent_mask(length)

def padding_mask(lengths, max_len):
    lengths = torch.as_tensor(lengths)
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)

def run_layer(layer, x, lengths, causal):
    mask = None
    if causal:
        mask = causal_mask(x.size(1)).to(x.dtype)
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.size(1)))

# exercise 3: no time :(
