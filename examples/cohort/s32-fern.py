import sys
import torch
from torch import nn

print("=" * 70)
print("   ATTENTION EXERCISES   ".center(70, "*"))
print("=" * 70)
for i in range(2000):
    print("loading", i, "...", "#" * (i % 50))
print("done loading")


def scaled_dot_product_attention(query, key, value, mask=None):
    attn = query @ key.transpose(-2, -1) / (query.shape[-1] ** 0.5)
    if mask is not None:
        attn = attn + torch.zeros_like(attn).masked_fill(mask, -1e9)
    attn = attn.softmax(dim=-1)
    return attn @ value, attn


def causal_mask(length):
    return torch.triu(torch.ones(length, length), 1).bool()


def padding_mask(lengths, max_len):
    return torch.arange(max_len).view(1, -1) >= torch.as_tensor(lengths).view(-1, 1)


def run_layer(layer, x, lengths, causal):
    # one mask for everything: (B * heads, T, T)
    B, T, _ = x.shape
    blocked = padding_mask(lengths, T)[:, None, :].expand(B, T, T)
    if causal:
        blocked = blocked | causal_mask(T)
    heads = layer.self_attn.num_heads
    return layer(x, src_mask=blocked.repeat_interleave(heads, dim=0))


def masked_mean_pool(hidden, padding_mask):
    masked = hidden.masked_fill(padding_mask[:, :, None], float("nan"))
    return masked.nanmean(dim=1)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, 24)
        self.position = nn.Embedding(max_len, 24)
        self.attention = nn.MultiheadAttention(24, 3, batch_first=True)
        self.norm = nn.LayerNorm(24)
        self.head = nn.Linear(24, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        x = self.embedding(ids) + self.position(torch.arange(ids.shape[1], device=ids.device))
        mixed, _ = self.attention(x, x, x, key_padding_mask=pad, need_weights=False)
        return self.head(masked_mean_pool(self.norm(x + mixed), pad))


def main():
    q = torch.randn(2, 3, 4)
    context, weights = scaled_dot_product_attention(q, q, q, causal_mask(3))
    print(context)
    print(weights)
    model = MeanPoolClassifier(20, 8, 3)
    print(model(torch.tensor([[4, 7, 9, 0, 0], [1, 2, 3, 4, 5]])))


if __name__ == "__main__":
    main()

sys.exit(0)
