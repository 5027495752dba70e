"""What shape a text gives as its answer: phrasings as students write them."""

# ruff: noqa: E501 - phrasings stay as they were written

import time

import pytest
import torch

from graders.stated import stated_shape

INPUT = (8, 32, 128)
RIGHT = (8, 32, 32)

SAY_RIGHT = [
    "(8, 32, 32)",
    "(8,32,32)",
    "[8, 32, 32]",
    "[8,32,32].",
    "{8, 32, 32}",
    "<8, 32, 32>",
    "⟨8, 32, 32⟩",
    "（8，32，32）",
    "(8 32 32)",
    "8 x 32 x 32",
    "8x32x32",
    "8X32X32",
    "8×32×32",
    "8 × 32 × 32",
    "8 * 32 * 32",
    "8*32*32",
    "8 by 32 by 32",
    "8, 32, 32",
    "8, 32 and 32",
    "eight by thirty-two by thirty-two",
    "[8][32][32]",
    "torch.Size([8, 32, 32])",
    "`torch.Size([8, 32, 32])`",
    "**(8, 32, 32)**",
    "The answer is **(8, 32, 32)**.",
    "__(8, 32, 32)__",
    "$8 \\times 32 \\times 32$",
    "$(8, 32, 32)$",
    "\\((8,\\ 32,\\ 32)\\)",
    "$$\\left(8, 32, 32\\right)$$",
    "$A \\in \\mathbb{R}^{8 \\times 32 \\times 32}$",
    "The weights live in R^{8x32x32}.",
    "$\\boxed{(8, 32, 32)}$",
    "B=8, T=32, S=32",
    "(B=8, T=32, S=32)",
    "(batch=8, target=32, source=32)",
    "batch 8, target 32, source 32",
    "(8 batch, 32 target, 32 source)",
    "8 (batch) × 32 (target) × 32 (source)",
    "(8 [batch], 32 [target], 32 [source])",
    "batch size 8, target length 32 and source length 32",
    "(batch, target, source) = (8, 32, 32)",
    "(B, T, S) with B = 8, T = 32, S = 32",
    "The shape is (B, T, T), where B is 8 and T = 32.",
    "(B, T, T) = (8, 32, 32).",
    "<b>(8, 32, 32)</b>",
    "8<sub> </sub>× 32 × 32",
    "(8, 32, 32), because each of the 32 tokens has one weight for each of the 32 tokens.",
    "The averaged attention weights have shape (8, 32, 32).",
    "The input has shape (8, 32, 128). The averaged attention weights have shape (8, 32, 32).",
    "For an input of shape (8, 32, 128) the averaged weights have shape (8, 32, 32).",
    "The averaged attention weights for the input (8, 32, 128) have the shape (8, 32, 32).",
    "Input (8, 32, 128) → weights (8, 32, 32)",
    "(8, 32, 128) -> (8, 32, 32)",
    "Q: Input (8, 32, 128) into multi-head self-attention: what is the shape of the averaged attention weights, "
    "and why?\n\nA: (8, 32, 32). One row per target.",
    "It is (8, 32, 32), not (8, 32, 128): the width is summed away.",
    "Not (8, 32, 128) but (8, 32, 32).",
    "The shape isn't (8, 32, 128); it is (8, 32, 32).",
    "(8, 32, 32) rather than (8, 32, 128)",
    "(8, 32, 32) instead of (8, H, 32, 32), since the heads are averaged.",
    "At first I thought it would be (8, 32, 128), but it is (8, 32, 32).",
    "One might expect (8, 32, 128). The weights are (8, 32, 32).",
    "Per head the weights are (8, H, 32, 32); averaged over the heads they are (8, 32, 32).",
    "The weights of all heads are (8, H, 32, 32), and the averaged ones are (8, 32, 32).",
    "Before averaging: (8, 4, 32, 32). After averaging: (8, 32, 32).",
    "Each head gives (8, 32, 32), and averaging the heads keeps that shape.",
    "The attention scores are (8, h, 32, 32). Averaging over h removes that axis, so we get (8, 32, 32).",
    "(8, h, 32, 32) averaged over h gives (8, 32, 32).",
    "Averaging from (8, 4, 32, 32) to (8, 32, 32).",
    "Q is (8, 32, 128) and K^T is (8, 128, 32), so QK^T is (8, 32, 32).",
    "(8, 32, 128) times (8, 128, 32) gives (8, 32, 32).",
    "The output stays (8, 32, 128), while the weights are (8, 32, 32).",
    "The output of the layer is (8, 32, 128); its averaged weights are (8, 32, 32).",
    "The weights are (8, 32, 32) and the output is (8, 32, 128).",
    "With average_attn_weights=False it would be (8, H, 32, 32). The averaged shape is (8, 32, 32).",
    "Answer: (8, 32, 32)\n\nWhy: query and key are both (8, 32, 128); their product has no width.",
    "The shape should be (8, 32, 32) as 128 is contracted.",
    "8 matrices of 32 × 32",
    "8 matrices of size 32x32, one for each sequence.",
    "There are 8 attention matrices, each 32 × 32.",
    "A 32×32 matrix for each of the 8 sequences.",
    "One 32 x 32 matrix per sequence in the batch of 8.",
    "eight 32×32 matrices",
    "weights.shape == (8, 32, 32)",
    "```python\nout, weights = attn(x, x, x)\nprint(weights.shape)  # torch.Size([8, 32, 32])\n```",
    "x = torch.randn(8, 32, 128)\nThe printed shape is torch.Size([8, 32, 32])",
    "I get (8, 32, 32): 8 sequences, 32 queries, 32 keys.",
    "I ran `nn.MultiheadAttention(128, 4, batch_first=True)` and got (8, 32, 32).",
    "The attention weights are (8, 32, 32). Each row sums to 1. 128 = 4 × 32 is split among heads of size 32.",
    "(8, 32, 32) (batch, target, source)",
    "- Shape: (8, 32, 32)\n- Why: softmax over the sources",
    "| what | shape |\n| --- | --- |\n| input | (8, 32, 128) |\n| averaged weights | (8, 32, 32) |",
    "The averaged attention weights would be 8 x 32 x 32. We have 8 sequences in the batch and for each of the 32 target tokens a distribution over 32 source tokens.",
    "Since multi-head attention computes QK^T per head, with Q of shape (8, h, 32, 128/h) and K^T of shape (8, h, 128/h, 32), the scores are (8, h, 32, 32). Averaged over the heads this is (8, 32, 32).",
    "The shape of the averaged weights is (batch_size, seq_len, seq_len) = (8, 32, 32).",
    "Shape = (N, L, S) = (8, 32, 32)",
    "(8, 32, 32). The 128 dimension is gone because the dot product sums over it and the head dimension is gone because we average.",
    "attention weights averaged over heads → `(8, 32, 32)`",
    "We get a tensor with shape [8, 32, 32], where 8 is the batch size, and each 32x32 matrix tells how much each token attends to each other token.",
    "The result is an (8, 32, 32) tensor. Every head has its own 32x32 map, nn.MultiheadAttention averages them by default.",
    "Because every token attends to every token there are 32*32 weights per example. The batch has 8 examples, hence 8*32*32.",
    "The averaged attn_weights have the size (8,32,32): batch, query, key. Rows sum to 1. The embedding size 128 only shows up in the output (8, 32, 128).",
    "Per batch element a 32×32 matrix, so (8, 32, 32).",
    "The dimension is 8 × 32 × 32 as d_model = 128 is contracted in Q·K^T.",
    "With batch_first=True, weights: (8, 32, 32), output: (8, 32, 128).",
    "Output: (8, 32, 128). Averaged weights: (8, 32, 32).",
    "out.shape = (8, 32, 128), weights.shape = (8, 32, 32)",
    "After Q K^T / sqrt(d_k) we have (8, H, 32, 32); mean(dim=1) → (8, 32, 32).",
    "The shape of the averaged attention weights is B x T x T = 8 x 32 x 32.",
    "Their shape is (8,32,32) because B=8 and T=32, and neither H nor d_model=128 matter.",
    "(8, 32, 32), regardless of the number of heads; (8, H, 32, 32) if you do not average.",
    "If we didn't average we'd have (8, num_heads, 32, 32). We do, so it's (8, 32, 32).",
    "The heads dimension of (8, H, 32, 32) is averaged out, leaving (8, 32, 32).",
    "The input shape (8, 32, 128) means batch=8, seq=32, d_model=128. The attention weights shape is (batch, seq, seq) so (8, 32, 32).",
    "x: (8, 32, 128)\nQ, K, V: (8, 32, 128) each\nheads: (8, 4, 32, 32)\nmean over heads: (8, 32, 32)",
    "(B, T_target, T_source) = (8, 32, 32)",
    "The weights matrix has shape (8, 32, 32) – that is, batch × target × source.",
    "I think it's 8x32x32.",
    "averaged weights shape: 8,32,32",
    "The shape of averaged attention weights is `[batch, target, source]`, that is `[8, 32, 32]`.",
    "A shape of (8, 32, 32) results, since each row is a softmax over 32 sources and sums to one.",
    "(8, 32, 32) and not (8, 32, 128)",
    "It's (8, 32, 32): for multi-head attention with 4 heads each head works on (8, 32, 32) slices, so the weights per head are (8, 32, 32) and so is their mean.",
    "The resulting shape is (8, 32, 32) -- you might expect the 128 to show up, i.e. (8, 32, 128), but it doesn't.",
    "The attention weights are a square 32×32 matrix for every one of the 8 examples, i.e. (8, 32, 32).",
    "Form: (8, 32, 32)",
    "Self-attention on (8, 32, 128) yields averaged weights (8, 32, 32)",
    "(8, 32, 32) because (8, 32, 128) @ (8, 128, 32) = (8, 32, 32).",
    "When the input (8, 32, 128) goes into self-attention, queries and keys are (8, 32, 128), the product is (8, 32, 32), and the output is (8, 32, 128).",
    "The shape of the averaged attention weights will be `(8, 32, 32)`. This is because attention weights represent the relationship between every pair of tokens in the sequence, so we have seq_len × seq_len = 32 × 32 for every one of the 8 batch items.",
    "Shape: `[8, 32, 32]`. For each item in the batch (8), each of the 32 query positions gets a distribution over 32 key positions.",
    "The averaged weights have shape `(batch_size, tgt_len, src_len)`, i.e. `(8, 32, 32)`.",
    "By default nn.MultiheadAttention averages over heads, so instead of (8, num_heads, 32, 32) we get (8, 32, 32).",
    "it is 8,32,32 because batch is 8 and sequence is 32",
    "(8, 32, 32). d_model=128 is only used to compute scores, it doesn't appear in the weights. With 8 heads head_dim would be 16.",
    "We'd have (8, 32, 32) as the averaged weights shape. Without averaging, it'd be (8, n_heads, 32, 32).",
    "averaged attention weights: torch.Size([8, 32, 32])\nunaveraged attention weights: torch.Size([8, 4, 32, 32])",
    "attn output shape (8, 32, 128)\nattn weights shape (8, 32, 32)",
    "The weights are (8, 32, 32) because in self attention both the query and key come from the same input with shape (8, 32, 128).",
    "The embedding dimension (128) is contracted when computing QKᵀ: (8, h, 32, d) · (8, h, d, 32) → (8, h, 32, 32). Averaging over h yields (8, 32, 32).",
    "(8, h, 32, 32) → mean over h → (8, 32, 32)",
    "Answer: 8 × 32 × 32 (batch × target × source)",
    "My answer is that the shape is [8, 32, 32].",
    "Each batch element has a 32 by 32 attention matrix; there are 8 of them so the total shape is 8 by 32 by 32.",
    "The final shape is (8,32,32)! Rows sum to 1!",
    "Because each of the 32 tokens attends to all 32 tokens in its own sequence, and there are 8 sequences: (8, 32, 32).",
    "Given (B, T, C) = (8, 32, 128), the averaged weights are (B, T, T) = (8, 32, 32).",
    "Input is B x T x C with B = 8, T = 32, C = 128. Weights are B x T x T.",
    "Attention weights: (N, L, S), where N=8, L=32, S=32.",
    "The shape would be (8, 32, 32): N = 8 is the batch size, L = 32 the target length, S = 32 the source length.",
    "For input shape `(8, 32, 128)` = `(batch, seq, d_model)`, the averaged attention weights have shape `(8, 32, 32)` = `(batch, query, key)`.",
    "The output has shape (8, 32, 128) like the input. The averaged attention weights however have shape (8, 32, 32).",
    "The 128 features do not show up, the shape is therefore 8x32x32, not 8x32x128.",
    "(8, 32, 32), because attention is computed between tokens, not features; a (8, 128, 128) shape would mean feature-to-feature attention.",
    "If batch_first=False, PyTorch would still return (8, 32, 32) for an input of (32, 8, 128).",
    "8 batches, 32 queries, 32 keys -> (8, 32, 32)",
    "Averaging removes the heads: `(8, heads, 32, 32).mean(1)` is `(8, 32, 32)`",
    "Shape = (8, 32, 32)\n\nReason:\n1. Scores: (8, h, 32, 32)\n2. softmax keeps the shape (8, h, 32, 32)\n3. mean over h removes dim 1",
    "$\\text{weights} \\in \\mathbb{R}^{B \\times T \\times T} = \\mathbb{R}^{8 \\times 32 \\times 32}$",
    "shape\\((A) = (8, 32, 32)\\)",
    "The average attention matrix for one sequence is (32, 32). For the whole batch it's (8, 32, 32).",
    "We have 8 examples with each a (32, 32) matrix, thus (8, 32, 32).",
    "**Shape:** (8, 32, 32)\n\n**Why:** The input (8, 32, 128) is projected to Q, K, V with the same shape (8, 32, 128).",
    "> (8, 32, 32)\n\nEvery row is a probability distribution",
    "the attention weights shape is : ( 8 , 32 , 32 )",
    "Shape of the averaged attention weights → 8·32·32",
    "So the averaged weights tensor is of size 8-by-32-by-32.",
    "A tensor of 8 × 32 × 32: for every sequence, target token and source token one number.",
    "(8 , 32 , 32 ) since T=32 and we average over H heads",
    "The averaged weights have shape [8, 32, 32] (not (8, 32, 128)).",
    "The averaged weights have shape [8, 32, 32] (not (8, 32, 128), and not (8, 4, 32, 32) as per-head weights would).",
    "(8, 32, 128) -> (8, h, 32, 32) -> (8, 32, 32)",
    "(8, 32, 128) → (8, 4, 32, 32) → (8, 32, 32)",
    "(8, 32, 128) => (8, h, 32, 32) => (8, 32, 32)\n\nOne weight says how much.",
    "B x T x T = 8 x 32 x 32",
    "B x T x T = 8 x 32 x 32, since the mean over the heads axis of B x H x T x T removes H.\n\nOne weight says",
    "(8, H, 32, 32), and the mean over H leaves (8, 32, 32)",
    "Since the input is (8, 32, 128), Q and K are (8, H, 32, 128/H). Multiplying gives (8, H, 32, 32), and the mean over H leaves\n\n    (8, 32, 32)\n\nOne weight says how much a target",
    "The answer is (8, 32, 32). Also the output has shape (8, 32, 128).",
    "The shape is (8, 32, 32), also written (B, T, T).",
    "The shape is (8, 32, 32) or, in letters, (B, T, T).",
    "Is it (8, 32, 128)? No: it is (8, 32, 32).",
    "Could it be (8, 32, 128)? No, (8, 32, 32).",
    "The averaged weights would be (8, 32, 32).",
    "The shape would be (8, 32, 32).",
    "For one head it would be (8, 32, 32), and averaging gives (8, 32, 32).",
    "For one head they would be (8, 32, 32) as well, and the average over the heads is (8, 32, 32).",
    "(8, 32, 32), or 8 × 32 × 32",
    "8 matrices of 32 × 32, or (8, 32, 32)",
    "What is the shape? (8, 32, 32)",
    "Without averaging they would be (8, 4, 32, 32). With averaging (8, 32, 32).",
    "For one head the weights would be (8, 32, 32), for H heads (8, H, 32, 32), and averaged (8, 32, 32).",
    "(8, 32, 32). For a single sequence it would be (32, 32) or (1, 32, 32).",
    "The averaged weights have shape (8, 32, 32). Per head: (8, 4, 32, 32) or (8, 8, 32, 32), depending on the number of heads.",
    "The weights per head are (8, 4, 32, 32), or (8, H, 32, 32) in general, and averaged they are (8, 32, 32).",
    "Also the averaged weights are (8, 32, 32).",
]

SAY_ANOTHER = [
    ("(8, 32, 128)", (8, 32, 128)),
    ("The averaged weights have shape (8, 32, 128).", (8, 32, 128)),
    ("The averaged attention weights have the same shape as the input, (8, 32, 128).", (8, 32, 128)),
    ("The shape is (8, 32, 128), because attention keeps the shape.", (8, 32, 128)),
    ("(8, H, 32, 32)", (8, "h", 32, 32)),
    ("The averaged weights are (8, H, 32, 32).", (8, "h", 32, 32)),
    ("The weights have shape (8, num_heads, 32, 32).", (8, "num_heads", 32, 32)),
    ("8 x 4 x 32 x 32", (8, 4, 32, 32)),
    ("(32, 8, 8)", (32, 8, 8)),
    ("The answer is (32, 8, 8).", (32, 8, 8)),
    ("[32, 8, 8], since batch_first is False", (32, 8, 8)),
    ("(32, 32)", (32, 32)),
    ("The averaged weights are 32×32.", (32, 32)),
    ("(8, 128, 128)", (8, 128, 128)),
    ("It should be (8, 128, 128) rather than (8, 32, 32).", (8, 128, 128)),
    ("It is not (8, 32, 32) but (8, 32, 128).", (8, 32, 128)),
    ("(8, 32, 32) is wrong. The averaged weights have shape (8, 4, 32, 32).", (8, 4, 32, 32)),
    ("Each head has (8, 32, 32), so the averaged weights are (8, H, 32, 32).", (8, "h", 32, 32)),
    ("The scores are (8, 32, 32), and the answer is (8, 32, 128).", (8, 32, 128)),
    ("(8, 1, 32, 32): the head axis is averaged", (8, 1, 32, 32)),
    ("(8, 32)", (8, 32)),
    ("(32, 8, 32)", (32, 8, 32)),
    ("(8, 32, 1)", (8, 32, 1)),
    ("(B, T, T)", ("b", "t", "t")),
    ("(batch, target, source)", ("batch", "target", "source")),
    ("It has the shape (B, H, T, T).", ("b", "h", "t", "t")),
    ("8.32.32 is a version, the shape is (8, 64, 64)", (8, 64, 64)),
    ("8 × 32 × 32 × 128", (8, 32, 32, 128)),
    (
        "The averaged weights have the shape of the input, (8, 32, 128). For one head they would be (8, 32, 32).",
        (8, 32, 128),
    ),
    ("The shape is (8, 4, 32, 32); if one did not average one would have (8, 32, 32).", (8, 4, 32, 32)),
]

SAY_NONE = [
    "",
    "I do not know.",
    "The rows sum to one.",
    "It depends on the number of heads (see above, and the docs).",
    "TODO",
    "The answer is (8, 32, 32). The answer is (8, 32, 128).",
    "The averaged weights are (8, 32, 32), or the averaged weights are (8, H, 32, 32).",
    "3, 4",
    "In 2017 (Vaswani et al., section 3) there were 8 heads.",
    "(8, 32, 32) or (8, 32, 128)",
    "It is (8, 32, 32) or (8, 32, 128).",
    "It is (8, 32, 32) or (8, 32, 128), depending.",
    "I am not sure: (8, 32, 32) or (32, 32)?",
    "Possible: (8, 32, 32). Also (8, 8, 32, 32). I answer with the second.",
    "Either (8, 32, 32) or (8, 4, 32, 32).",
    "(8, 32, 128) or (8, 32, 32)",
    "Maybe (8, 32, 32), maybe (8, 32, 128)?",
    "(8, 32, 32) / (8, 32, 128)",
    "It could be (8, 32, 32) or it could be (8, 32, 128).",
]


# A guess, or what is taken back, is no answer where the text commits itself to another.
COMMIT_TO_ANOTHER = [
    "Perhaps (8, 32, 32), but I think (8, 32, 128)",
    "Perhaps (8, 32, 32), but I think it is (8, 32, 128).",
    "Maybe (8, 32, 32), but I'd say (8, 32, 128).",
    "I think (8, 32, 128), though perhaps (8, 32, 32).",
    "I think (8, 32, 128), although it could be (8, 32, 32).",
    "It might be (8, 32, 32), but I'll go with (8, 32, 128).",
    "It could be (8, 32, 32); I go with (8, 32, 128).",
    "(8, 32, 32), no wait, (8, 32, 128).",
    "(8, 32, 32). No, wait: it is (8, 32, 128).",
    "The answer is (8, 32, 32). Scratch that, it is (8, 32, 128).",
    "The answer is (8, 32, 32). On second thought, (8, 32, 128).",
    "(8, 32, 32), actually (8, 32, 128)",
    "(8, 32, 32) or rather (8, 32, 128)",
    "It is (8, 32, 32), sorry, I mean (8, 32, 128).",
    "Perhaps (8, 32, 32). But (8, 32, 128) seems more likely.",
    "Possibly (8, 32, 32), but more likely (8, 32, 128).",
    "My first guess was (8, 32, 32), but my answer is (8, 32, 128).",
    "I guess (8, 32, 32) is possible, but I believe the shape is (8, 32, 128).",
    "Perhaps (8, 32, 32). Perhaps (8, 32, 128).",
    "Maybe (8, 32, 32), but I think (8, 4, 32, 32).",
    "Maybe (8, 32, 32); I am fairly sure it's (32, 8, 8).",
    "The averaged weights are perhaps (8, 32, 32), but I think they are (8, 32, 128).",
    "The averaged weights are (8, 32, 32). I take that back: they are (8, 32, 128).",
    "I first thought (8, 32, 32), but it must be (8, 32, 128).",
    "(8, 32, 32)? No, (8, 32, 128).",
    "Correction: (8, 32, 128), not (8, 32, 32).",
    "(8, 32, 32)\n\nCorrection: (8, 32, 128)",
    "I would have said (8, 32, 32), but I think (8, 32, 128).",
    "(8, 32, 32) perhaps, but I think (8, 32, 128).",
    "(8, 32, 32), maybe; I'd go with (8, 32, 128) though.",
]
COMMIT_TO_THE_RIGHT_ONE = [
    "Perhaps (8, 32, 128), but I think (8, 32, 32).",
    "Maybe (8, 32, 128)? But I think it is (8, 32, 32).",
    "I think (8, 32, 32), though perhaps (8, 32, 128).",
    "It might look like (8, 32, 128), but I think (8, 32, 32).",
    "(8, 32, 128), no wait, (8, 32, 32).",
    "(8, 32, 128). No, wait: it is (8, 32, 32).",
    "The answer is (8, 32, 128). Scratch that, it is (8, 32, 32).",
    "The answer is (8, 4, 32, 32). On second thought, averaged it is (8, 32, 32).",
    "(8, 4, 32, 32), or rather (8, 32, 32) once averaged",
    "Perhaps (8, 32, 32).",
    "Maybe (8, 32, 32)",
    "I think (8, 32, 32). The input is (8, 32, 128).",
    "I think (8, 32, 32), since for the input (8, 32, 128) each head gives (8, 32, 32).",
    "I guess it is (8, 32, 32).",
    "I guess (8, 32, 32), because the input (8, 32, 128) loses its width.",
    "The input is (8, 32, 128). The weights are actually (8, 32, 32).",
    "(8, 32, 32). The output is actually (8, 32, 128) again.",
    "(8, 32, 32). Actually, per head it would be (8, 4, 32, 32).",
    "I believe the averaged weights have shape (8, 32, 32), while I think the output keeps (8, 32, 128).",
    "Possibly one would say (8, 32, 128), but my answer is (8, 32, 32).",
    "I'd say (8, 32, 32). With average_attn_weights=False it could be (8, 4, 32, 32).",
    "I think it is (8, 32, 32). Without averaging it might be (8, H, 32, 32).",
    "I am sure it's (8, 32, 32); for heads it could be (8, 8, 32, 32).",
    "My first guess was (8, 32, 128), but it is (8, 32, 32).",
    "My first guess was (8, 32, 128), the right answer is (8, 32, 32).",
    "I was not sure whether (8, 32, 128) or (8, 32, 32), but I think (8, 32, 32).",
    "I wondered about (8, 32, 128), but it is (8, 32, 32).",
    "I take the input (8, 32, 128) and get (8, 32, 32).",
    "I take x = (8, 32, 128), and the averaged weights are (8, 32, 32).",
    "For (8, 32, 128) I think the weights are (8, 32, 32).",
    "I think that with an input of (8, 32, 128) the weights are (8, 32, 32).",
    "Maybe more precisely: (8, 32, 32).",
    "The weights could be (8, H, 32, 32) per head; I conclude (8, 32, 32).",
    "Averaged: (8, 32, 32). No, the heads do not matter. No (8, H, 32, 32) here.",
    "Wait, the input is (8, 32, 128), so (8, 32, 32).",
    "Sorry for the short answer: (8, 32, 32)",
    "(8, 32, 32) and no, not (8, 32, 128).",
    "The result may be (8, 32, 32) only, as the width is gone.",
    "It must be (8, 32, 32); it can't be (8, 32, 128).",
    "It could not be (8, 32, 128), so (8, 32, 32).",
    "I would go with (8, 32, 32).",
    "In the end (8, 32, 32).",
    "I start from (8, 32, 128) and in the end get (8, 32, 32).",
    "(8, 32, 32) is more likely than (8, 32, 128).",
    "(8, 32, 32) seems right, since (8, 32, 128) is the output.",
    "Maybe it's confusing, but the answer is (8, 32, 32), and I think (8, 32, 128) is just the output.",
]


@pytest.mark.parametrize("text", COMMIT_TO_ANOTHER)
def test_the_right_shape_that_is_only_guessed_or_taken_back_is_no_answer(text):
    assert stated_shape(text, INPUT).sizes != RIGHT


@pytest.mark.parametrize("text", COMMIT_TO_THE_RIGHT_ONE)
def test_the_shape_that_a_text_commits_itself_to_in_the_end_is_its_answer(text):
    assert stated_shape(text, INPUT).sizes == RIGHT


@pytest.mark.parametrize("text", SAY_RIGHT)
def test_the_right_shape_is_read_however_it_is_written(text):
    assert stated_shape(text, INPUT).sizes == RIGHT


@pytest.mark.parametrize(("text", "sizes"), SAY_ANOTHER)
def test_another_shape_that_is_claimed_is_read_as_it_is(text, sizes):
    assert stated_shape(text, INPUT).sizes == sizes


@pytest.mark.parametrize("text", SAY_NONE)
def test_a_text_that_claims_no_shape_or_two_gives_none(text):
    assert stated_shape(text, INPUT).sizes is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It's 8x32x32.", "8  ×  32  ×  32"),
        ("B x T x T = 8 x 32 x 32", "8 × 32 × 32"),
        ("the sizes 8 by 32 by 32", "8 by 32 by 32"),
        ("batch 8, target 32, source 32", "batch 8, target 32, source 32"),
    ],
)
def test_what_is_quoted_is_no_cut_fragment(text, shown):
    assert " ".join(stated_shape(text, INPUT).text.split()) == " ".join(shown.split())


@pytest.mark.parametrize(
    "value", [(8, 32, 32), [8, 32, 32], torch.Size([8, 32, 32]), torch.tensor([8, 32, 32]), ("8", "32", "32")]
)
def test_a_value_is_read_as_well(value):
    assert stated_shape(value).sizes == RIGHT


@pytest.mark.parametrize("value", [None, 8, 8.0, True, {}, (), [8, None], (True, 32), torch.ones(2, 2), b"8"])
def test_a_value_that_is_no_shape_gives_none(value):
    assert stated_shape(value).sizes is None


@pytest.mark.parametrize(
    "text", ["(" * 20_000, "8 x " * 5_000, "[8]" * 6_000, "(8, 32, 32) " * 1_500, "not " * 5_000]
)
def test_odd_texts_are_read_in_bounded_time(text):
    started = time.process_time()
    stated_shape(text, INPUT)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text",
    [
        "(8, 32, 128) because the output of attention has the same shape as the input.",
        "The averaged attention weights should be of shape (8, 32, 128) as each token gets a new vector of 128.",
        "The shape is (8, 8, 32, 32): batch, heads, tokens, tokens.",
        "The heads are concatenated, so it stays (8, 32, 128).",
        "Shape: (32, 32). Each token attends to each token. The batch dimension is averaged too.",
        "(8, 128, 32)",
        "It is 32x32x8",
        "The shape is [8, 32, 16] as the head size is 16.",
        "The averaged attention weights have shape (8, H, 32, 32), where H is the number of heads. Each head produces (8, 32, 32).",
        "We average over the tokens, so (8, 128).",
        "(8, 32, 32, 128)",
        "batch x heads x 32 x 32 = (8, 4, 32, 32)",
        "The scores are (8, 32, 32) but after multiplying with the values the averaged weights are (8, 32, 128).",
        "(32, 8, 8): 32 batches with 8 tokens",
        "The answer is 8, 32 and 128.",
        "shape=(8,32,64)",
        "I believe (8, 32, 32) is incorrect; the weights are (8, 32, 128).",
    ],
)
def test_what_means_another_shape_is_never_read_as_the_right_one(text):
    assert stated_shape(text, INPUT).sizes not in (RIGHT, None)
