import torch
import torch.nn as nn
import numpy as np

def scaled_dot_product_attention(query, key, value, mask=None):
    attn_scores = torch.matmul(query, key.transpose(-2, -1)) / np.sqrt(query.size(-1))
    if mask is not None:
        attn_scores = attn_scores.masked_fill(mask == True, -1e9)
    attn_probs = torch.softmax(attn_scores, dim=-1)
    output = torch.matmul(attn_probs, value)
    return output, attn_probs

def causal_mask(length):
    mask = np.triu(np.ones((length, length)), k=1).astype('bool')
    return torch.from_numpy(mask)

def padding_mask(lengths, max_len):
    mask = torch.ones(len(lengths), max_len, dtype=torch.bool)
    for i, l in enumerate(lengths):
        mask[i, :l] = False
    return mask

def run_layer(layer, x, lengths, causal):
    seq_len = x.size(1)
    pm = padding_mask(lengths, seq_len)
    cm = causal_mask(seq_len) if causal else None
    return layer(src=x, src_mask=cm, src_key_padding_mask=pm)

def masked_mean_pool(hidden, padding_mask):
    return hidden.mean(dim=1)

class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super(MeanPoolClassifier, self).__init__()
        # padding_idx makes the pads zero so they don't change the mean
        self.embedding = nn.Embedding(vocab_size, 64, padding_idx=pad_id)
        self.pos_embedding = nn.Embedding(max_len, 64)
        encoder_layer = nn.TransformerEncoderLayer(d_model=64, nhead=4, batch_first=True)
        self.transformer = nn.TransformerEncoder(encoder_layer, num_layers=2)
        self.fc = nn.Linear(64, classes)

    def forward(self, ids):
        positions = torch.arange(0, ids.size(1)).unsqueeze(0)
        x = self.embedding(ids) + self.pos_embedding(positions)
        x = self.transformer(x)
        x = masked_mean_pool(x, None)
        return self.fc(x)
