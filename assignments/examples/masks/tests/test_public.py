"""What a student may run before handing in: the handout's own examples."""

import torch

from graders import close, fresh_tensor, points, same, tensor


@points(1, hint="torch.ones(length, length, dtype=torch.bool).triu(diagonal=1) is one way.")
def test_causal_example(student):
    """causal_mask(4) is True above the diagonal and False everywhere else."""
    expected = torch.tensor([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=torch.bool)
    same(student.causal_mask(4), expected, what="causal_mask(4)")


@points(1, hint="A position is padding where it is not smaller than the row's length.")
def test_padding_example(student):
    """padding_mask([2, 4, 1], 4) is True from each row's length on."""
    expected = torch.tensor([[0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 1, 1]], dtype=torch.bool)
    same(student.padding_mask(torch.tensor([2, 4, 1]), 4), expected, what="the mask")


@points(1, hint="Call the layer with x; the masks go to src_mask and src_key_padding_mask.")
def test_layer_with_nothing_blocked(student):
    """Without padding and without causal, run_layer gives what the layer gives."""
    layer = student.torch(
        "TransformerEncoderLayer", d_model=6, nhead=2, dim_feedforward=12, batch_first=True
    ).eval()
    x = fresh_tensor(2, 3, 6, seed=1)
    got = tensor(student.run_layer(layer, x, torch.tensor([3, 3]), False), shape=(2, 3, 6))
    close(got, tensor(layer(x)))
