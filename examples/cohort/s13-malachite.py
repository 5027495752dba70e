import torch
from torch import nn
from torch.nn import TransformerEncoder, TransformerEncoderLayer


def scaled_dot_product_attention(query, key, value, mask=None):
    """Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V        (Vaswani et al. 2017, eq. 1)"""
    d_k = query.shape[-1]
    logits = torch.einsum('...id,...jd->...ij', query, key).div(d_k ** 0.5)
    if mask is not None:
        logits = logits.masked_fill(mask, torch.finfo(logits.dtype).min)
    A = logits.softmax(dim=-1)
    return A @ value, A


def causal_mask(length):
    """Upper triangle without the diagonal."""
    return ~torch.tril(torch.ones((length, length), dtype=torch.bool))


def padding_mask(lengths, max_len):
    """1 where there is padding."""
    lengths = torch.as_tensor(lengths)
    return ~(torch.arange(max_len)[None] < lengths[:, None])


def run_layer(layer, x, lengths, causal):
    """Apply the layer with padding mask and, if wanted, causal mask."""
    _, T, _ = x.shape
    kpm = padding_mask(lengths, T)
    return layer(x, causal_mask(T), kpm) if causal else layer(x, src_key_padding_mask=kpm)


def masked_mean_pool(hidden, padding_mask):
    """Mean over the tokens which aren't padding. The +1 avoids dividing by zero."""
    keep = (~padding_mask)[..., None].type_as(hidden)
    return torch.sum(hidden * keep, dim=1) / (torch.sum(keep, dim=1) + 1)


class MeanPoolClassifier(nn.Module):
    """ids -> embeddings -> encoder -> mean pooling -> logits"""

    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.word = nn.Embedding(vocab_size, 40)
        self.place = nn.Embedding(max_len, 40)
        self.encoder = TransformerEncoder(TransformerEncoderLayer(40, 5, 80, 0.1, 'gelu', batch_first=True), 1)
        self.classifier = nn.Linear(40, classes)

    def forward(self, ids):
        mask = ids == self.pad_id
        x = self.word(ids) + self.place.weight[None, : ids.shape[1]]
        return self.classifier(masked_mean_pool(self.encoder(x, src_key_padding_mask=mask), mask))
