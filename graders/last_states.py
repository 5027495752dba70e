"""Whether a model's last hidden states show that its tokens do not see those after them.

A model that pools its tokens can be asked about the pool alone. Where its logits are made of the mean of its
last hidden states and of nothing else, these states are what the tokens have become: no attention follows.
"""

from __future__ import annotations

import torch
from torch import Tensor

from graders.fresh import fresh_tensor
from graders.remote_module import RemoteModule

_SAME = 1e-5  # of logits, next to values of size one


def first_sees_nothing_later(module: RemoteModule, ids: Tensor, logits: Tensor) -> bool:
    """Return whether the first token does not see the last one, as with a causal mask, for sure.

    `ids` are three rows without padding, and `logits` what the module gives for them: the second row has
    another first token than the first row, the third has another last one. False where nothing can be told.
    """
    hidden = module.hidden(ids)
    if hidden is None or hidden.dim() != 3 or hidden.shape[:2] != ids.shape:
        return False
    step = torch.zeros_like(hidden[:1])
    step[:, 0] = fresh_tensor(hidden.shape[-1], seed=5).to(hidden.dtype)
    step[:, -1] = -step[:, 0]
    # The states of all three rows; and two batches of states with the mean of those of the first.
    states = torch.cat([hidden, hidden[:1] + step, hidden[:1].flip(1)])
    got = module.call_with_hidden(ids[:1].expand(len(states), -1), hidden=states)
    if not isinstance(got, Tensor) or got.shape != (len(states), *logits.shape[1:]):
        return False
    expected = torch.cat([logits, logits[:1], logits[:1]])
    size = max(1.0, float(expected.abs().max()))
    if not float((got - expected).abs().max()) <= _SAME * size:
        return False
    still = 1e-9 if hidden.dtype == torch.float64 else 1e-6
    of_first, of_last = ((hidden[row, at] - hidden[0, at]).abs().max() for row, at in ((2, 0), (1, -1)))
    return bool(of_first <= still) and bool(of_last > 1e-4)
