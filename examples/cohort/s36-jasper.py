import torch
import torch.nn as nn

def scaled_dot_product_attention(query, key, value, mask=None):
    s = torch.matmul(query, key.transpose(-2, -1)) / query.shape[-1] ** 0.5
    if mask is not None:
        s = s + mask      # "the mask is added to the scores" (slide 9)
    s = torch.softmax(s, dim=-1)
    return torch.matmul(s, value), s

def causal_mask(length):
    return torch.triu(torch.ones(length, length), diagonal=1).type(torch.bool)

def padding_mask(lengths, max_len):
    out = torch.full((len(lengths), max_len), True)
    for i in range(len(lengths)):
        out[i, 0:int(lengths[i])] = False
    return out

def run_layer(layer, x, lengths, causal):
    if causal:
        return layer(x, src_mask=causal_mask(x.shape[1]), src_key_padding_mask=padding_mask(lengths, x.shape[1]))
    return layer(x, src_key_padding_mask=padding_mask(lengths, x.shape[1]))

def masked_mean_pool(hidden, padding_mask):
    hidden = hidden * (~padding_mask).unsqueeze(-1)    # padding is zero now
    return hidden.mean(dim=1)                          # so the mean ignores it

class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.emb = nn.Embedding(vocab_size, 32)
        self.pos = nn.Embedding(max_len, 32)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, batch_first=True), num_layers=1)
        self.fc = nn.Linear(32, classes)

    def forward(self, ids):
        pad = (ids == self.pad_id)
        x = self.emb(ids) + self.pos(torch.arange(ids.shape[1]))
        x = self.enc(x, src_key_padding_mask=pad)
        x = masked_mean_pool(x, pad)
        return self.fc(x)
