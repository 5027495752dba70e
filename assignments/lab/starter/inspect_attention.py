"""Lab: inspect attention. Hand in this file; see handout.md for what counts.

Masks are boolean and True means blocked.
"""

import torch
from torch import nn

torch.manual_seed(0)

# TODO 1: build an attention layer with embed_dim 8, 2 heads, batch first

# TODO 2: a random batch of 3 sequences of 4 tokens; attend; print both shapes

# TODO 3: the weights of each head; print their shape, and show that their mean is the average

# TODO 4: a key_padding_mask that blocks some sources on the right; print a row of weights

# TODO 5: a causal mask; print the weights

# TODO 6: print a row of weights without a mask; write two sentences in answers.md under the
#         heading "Lab: inspect attention": what do the numbers show?
