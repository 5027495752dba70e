import torch as t
from torch import nn, Tensor
from typing import Optional, Tuple


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    d: int = value.shape[-1]
    scores: Tensor = query @ key.transpose(-2, -1) / d ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -t.inf)
    weights: Tensor = scores.softmax(dim=-1)
    return weights @ value, weights


def causal_mask(length: int) -> Tensor:
    return t.ones(length, length, dtype=t.bool).tril().logical_not()


def padding_mask(lengths, max_len: int) -> Tensor:
    return t.arange(max_len).unsqueeze(0).ge(t.as_tensor(lengths).unsqueeze(1))


def run_layer(layer: nn.Module, x: Tensor, lengths, causal: bool) -> Tensor:
    src_mask: Optional[Tensor] = causal_mask(x.shape[1]) if causal else None
    return layer(x, src_mask=src_mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))


def masked_mean_pool(hidden: Tensor, padding_mask: Tensor) -> Tensor:
    kept: Tensor = padding_mask.logical_not().unsqueeze(-1).to(hidden)
    return (hidden * kept).sum(1) / kept.sum(1)


class MeanPoolClassifier(nn.Module):
    pad_id: int

    def __init__(self, vocab_size: int, max_len: int, classes: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.token_embedding = nn.Embedding(vocab_size, 32)
        self.position_embedding = nn.Embedding(max_len, 32)
        self.encoder = nn.TransformerEncoder(
            encoder_layer=nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), num_layers=2
        )
        self.classifier = nn.Linear(32, classes)

    def forward(self, ids: Tensor) -> Tensor:
        padding: Tensor = ids == self.pad_id
        hidden: Tensor = self.token_embedding(ids) + self.position_embedding(t.arange(ids.shape[1], device=ids.device))
        hidden = self.encoder(hidden, src_key_padding_mask=padding)
        return self.classifier(masked_mean_pool(hidden, padding))
