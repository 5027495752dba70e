from torch import *
from torch import nn
from torch.nn import functional as f

def scaled_dot_product_attention(query, key, value, mask=None):
    print("query", query.shape)
    print("key", key.shape)
    print("value", value.shape)
    scores = query @ key.transpose(-1, -2)
    scores = scores / query.shape[-1]**0.5
    print("scores", scores.shape)
    if mask is not None:
        print("using a mask of", mask.shape)
        scores = scores.masked_fill(mask, -1e9)
    attn = softmax(scores, -2)   # rows have to sum to 1... i think rows are -2?
    print("sums:", attn.sum(-2))
    out = attn @ value
    print("out", out.shape)
    return out, attn

def causal_mask(length):
    print("causal mask for", length)
    return triu(ones(length, length), 1) > 0

def padding_mask(lengths, max_len):
    print("padding mask for", lengths, max_len)
    rows = []
    for n in lengths:
        n = n.item() if is_tensor(n) else n
        rows.append([False]*n + [True]*(max_len-n))
    return tensor(rows)

def run_layer(layer, x, lengths, causal):
    T = x.shape[1]
    print("T =", T)
    if causal:
        out = layer(x, causal_mask(T), padding_mask(lengths, T))
    else:
        out = layer(x, None, padding_mask(lengths, T))
    print(out)
    return out

def masked_mean_pool(hidden, padding_mask):
    out = []
    for h, p in zip(hidden, padding_mask):
        out.append(h[~p].mean(0))
        print("mean over", (~p).sum().item(), "tokens")
    return stack(out)

class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.e = nn.Embedding(vocab_size, 20)
        self.p = nn.Embedding(max_len, 20)
        self.t = nn.TransformerEncoderLayer(20, 2, 40, batch_first=True)
        self.l = nn.Linear(20, classes)
    def forward(self, ids):
        print("ids", ids)
        pad = ids == self.pad_id
        x = self.e(ids) + self.p(arange(ids.shape[1]))
        x = self.t(x, src_key_padding_mask=pad)
        print("after the layer", x)
        x = masked_mean_pool(x, pad)
        print("pooled", x)
        return self.l(x)
