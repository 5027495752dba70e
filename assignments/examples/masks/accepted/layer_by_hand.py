"""The layer is taken apart: attention, residuals, norms and feed-forward by hand."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    padded = padding_mask(lengths, x.shape[1])
    mask = causal_mask(x.shape[1]) if causal else None

    def attend(h):
        return layer.dropout1(
            layer.self_attn(h, h, h, attn_mask=mask, key_padding_mask=padded, need_weights=False)[0]
        )

    def feed_forward(h):
        return layer.dropout2(layer.linear2(layer.dropout(layer.activation(layer.linear1(h)))))

    if layer.norm_first:
        x = x + attend(layer.norm1(x))
        return x + feed_forward(layer.norm2(x))
    x = layer.norm1(x + attend(x))
    return layer.norm2(x + feed_forward(x))
