import torch

from graders import close, fail, fresh_tensor, points


@points(3, requires=("test_ones",))
def test_weights(student):
    """The layer multiplies by the weights that it was given."""
    layer = student.build("Scale", 3)
    by = fresh_tensor(3, seed=5).to(student.dtype)
    layer.load_state_dict({"by": by})
    x = fresh_tensor(2, 3, seed=6).to(student.dtype)
    close(layer(x), x * by)
    close(layer.state_dict()["by"], by)


@points(2, requires=("test_ones",))
def test_gradient(student):
    """The gradient reaches the weights."""
    layer = student.build("Scale", 3)
    x = fresh_tensor(2, 3, seed=7).to(student.dtype)
    found = layer.gradients(x, cotangent_seed=8)
    weights = torch.randn(2, 3, generator=torch.Generator().manual_seed(8), dtype=torch.float64)
    if found.parameters.get("by") is None:
        fail("No gradient reaches the weights.")
    close(found.parameters["by"], (weights.to(student.dtype) * x).sum(0))
