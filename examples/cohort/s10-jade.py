import torch, math
import torch.nn as nn

# ---------- Aufgabe 1 ----------
def scaled_dot_product_attention(query, key, value, mask=None):
    d = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d)   # (…, Tq, Tk)
    if mask is not None:
        scores = scores.masked_fill(mask, -float('inf'))
    attn = torch.softmax(scores, dim=-1)
    return torch.matmul(attn, value), attn

# ---------- Aufgabe 2 ----------
def causal_mask(length):
    # oberes Dreieck = Zukunft
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=0)

def padding_mask(lengths, max_len):
    laengen = torch.as_tensor(lengths)
    return torch.arange(max_len)[None, :] >= laengen[:, None]

def run_layer(layer, x, lengths, causal):
    maske = causal_mask(x.size(1)) if causal else None
    return layer(x, src_mask=maske, src_key_padding_mask=padding_mask(lengths, x.size(1)))

# ---------- Aufgabe 3 ----------
def masked_mean_pool(hidden, padding_mask):
    gewicht = (~padding_mask).to(hidden.dtype).unsqueeze(-1)   # 1 = echtes Token
    return (hidden * gewicht).sum(dim=1) / gewicht.sum(dim=1)

class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.emb = nn.Embedding(vocab_size, 48, padding_idx=pad_id)
        self.pos = nn.Embedding(max_len, 48)
        schicht = nn.TransformerEncoderLayer(d_model=48, nhead=4, dim_feedforward=96, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(schicht, num_layers=2, enable_nested_tensor=False)
        self.aus = nn.Linear(48, classes)

    def forward(self, ids):
        pad = ids.eq(self.pad_id)
        x = self.emb(ids) * math.sqrt(48) + self.pos.weight[:ids.size(1)]
        x = self.encoder(x, src_key_padding_mask=pad)
        return self.aus(masked_mean_pool(x, pad))
