import torch

import reference
from graders import close, fresh_tensor, points, same


SECRET = 2**31  # small seeds could be guessed


def batch(seed):
    return fresh_tensor(2, 3, 4, seed=SECRET + seed), torch.tensor([[False, False, True], [False, False, False]])


@points(5, requires=("test_example",))
def test_hidden(student):
    """The pooled vectors are the means over real tokens only."""
    for seed in range(4):
        hidden, padding = batch(seed)
        close(student.pool(hidden, padding), reference.masked_mean_pool(hidden, padding))


@points(2, requires=("test_example",))
def test_inputs(student):
    """The inputs are left as they are."""
    hidden, padding = batch(11)
    _, after = student.with_inputs("pool", hidden, padding)
    same(after[0], hidden, what="the input after the call")


@points(2, requires=("test_example",))
def test_memory(student):
    """A small batch needs little memory."""
    hidden, padding = batch(12)
    with student.memory_cap(16 * 2**20):
        answer = student.pool(hidden, padding)
    close(answer, reference.masked_mean_pool(hidden, padding))
