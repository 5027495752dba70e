"""What a student may run before handing in: the handout's own example."""

import torch

from graders import CheckFailure, close, fail, points, tensor


@points(1, hint="One row for each position, one column for each feature, and no batch axis.")
def test_shape(student):
    """The table has the shape (max_len, d_model), its numbers are floats, and no two rows are the same."""
    table = tensor(student.sinusoidal_positions(5, 8), shape=(5, 8), what="the table")
    if table.dtype not in (torch.float32, torch.float64):
        fail(f"The table has the dtype {str(table.dtype)[6:]}; float32 was expected.", got=table)
    if len(table.unique(dim=0)) < 5:
        fail("Two positions have the same row, so they could not be told apart.", got=table)


@points(
    2,
    hint="Position 0 has sines of 0 and cosines of 1. Position 1 begins with sin(1) and cos(1), in radians.",
)
def test_handouts_example(student):
    """The handout's example, three positions of four features, gives the handout's numbers."""
    table = tensor(student.sinusoidal_positions(3, 4), shape=(3, 4), what="the table").double()
    expected = torch.tensor(
        [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 1.0000], [0.9093, -0.4161, 0.0200, 0.9998]],
        dtype=torch.float64,
    )
    try:
        close(table, expected, what="the table", atol=1e-4)
    except CheckFailure:
        # First all sines, then all cosines.
        if not torch.allclose(table, expected[:, [0, 2, 1, 3]], atol=1e-4):
            raise
