"""A TransformerEncoder of one layer that shares the given one."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    encoder = torch.nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False)
    encoder.layers[0] = layer
    mask = causal_mask(x.shape[1]) if causal else None
    return encoder(x, mask=mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))
