"""What a student may run before handing in."""

import math
import random

import torch
from hypothesis import strategies as st

from graders import cases, close, fail, fresh_tensor, held, points, tensor


@points(
    2, hint="Encode one row twice, with and without a column of padding, and print what comes in between."
)
def test_one_row_alone_and_padded(student):
    """A row of two tokens is encoded in the same way alone and with two columns of padding behind it."""
    x, w_qkv = fresh_tensor(1, 2, 4, seed=1), fresh_tensor(4, 12, seed=2)
    alone = tensor(student.encode_batch(x, torch.tensor([2]), w_qkv), shape=(1, 4))
    # One row behind the other: with zeros behind it, with other numbers, and the row changed.
    noise = 3 * fresh_tensor(1, 2, 4, seed=3)
    rows = [torch.cat(row, dim=1) for row in ((x, 0 * noise), (x, noise), (1 - x, noise))]
    behind = tensor(student.encode_batch(torch.cat(rows), torch.tensor([2, 2, 2]), w_qkv), shape=(3, 4))
    close(behind[:1], alone, what="the encoding of the row with zeros behind it")
    close(behind[1:2], alone, what="the encoding of the row with other numbers behind it")
    if not float((behind[2] - alone).abs().max()) > 1e-4:
        fail("Both tokens were changed, but the encoding did not move.")


def encoder(masked):
    """Self-attention and the mean, over all tokens or over the real ones.

    It computes in float64, so that padding changes no encoding by its rounding.
    """
    w_qkv = fresh_tensor(8, 24, seed=4, dtype=torch.float64)

    def encode(x, lengths):
        query, key, value = (x.double() @ w_qkv).chunk(3, dim=-1)
        padding = torch.arange(x.shape[1]) >= (lengths if masked else 0 * lengths + x.shape[1]).unsqueeze(1)
        scores = (query @ key.transpose(-2, -1) / 8**0.5).masked_fill(padding.unsqueeze(1), -math.inf)
        context = (scores.softmax(-1) @ value).masked_fill(padding.unsqueeze(-1), 0.0)
        return (context.sum(1) / (~padding).sum(1, keepdim=True)).to(x.dtype)

    return encode


# Whoever tests long sequences or large batches may.
BOUNDS = {"elements": 2**16, "longest": 2**10}


@points(2, hint="Change the padding, add columns of it, leave it out: the encoding must not move.")
@cases(st.integers(1000, 2**32 - 1), n=1)
def test_your_test_on_two_encoders(student, seed):
    """test_padding_is_inert rejects an encoder that knows nothing of padding, and accepts a right one."""
    # One of the two twice, in an order that is drawn: only the answers tell which is which.
    generator = random.Random(seed)
    wrong = generator.sample([True, False, generator.random() < 0.5], 3)
    said = student.rejects_each(
        "test_padding_is_inert", *((held(encoder(not one), **BOUNDS),) for one in wrong)
    )
    if (True, False) in zip(wrong, map(bool, said), strict=True):
        returned = said[wrong.index(True)].instead
        fail(f"Your test let an encoder pass that treats padding like real tokens.{returned}")
    if (False, True) in zip(wrong, map(bool, said), strict=True):
        fail("Your test rejected an encoder that masks padding and takes the mean over the real tokens.")
