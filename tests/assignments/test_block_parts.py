"""The letters of the model solution are right: the printed block, run line by line, says so."""

import math
import re

import torch
from torch import nn

from graders.assignment import find_assignment

from .conftest import load

FOLDER = find_assignment("blocks/block_parts").folder


def printed_lines() -> dict[str, str]:
    handout = (FOLDER / "handout.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^ ([A-L]) +(.+)$", handout, flags=re.MULTILINE))


class Layers:
    """What the handout says of f1 to f8."""

    def __init__(self, d: int) -> None:
        self.f1, self.f6 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.f2, self.f3, self.f4, self.f5 = (nn.Linear(d, d) for _ in range(4))
        self.f7, self.f8 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)


def run(layers: Layers, x0: torch.Tensor, b: torch.Tensor, d: int) -> torch.Tensor:
    names = {"self": layers, "x0": x0, "b": b, "d": d, "math": math, "torch": torch}
    for line in printed_lines().values():
        exec(line.replace("return ", "result = "), names)
    return names["result"]


def test_the_printed_block_is_a_pre_norm_layer_of_pytorch_with_the_parts_that_the_solution_names():
    d = 8
    layers = Layers(d)
    parts = load(FOLDER / "solution" / "block_parts.py").BLOCK_PARTS
    lines = printed_lines()
    assert len(lines) == 12

    def layer_in(part: str) -> nn.Linear:
        return getattr(layers, re.search(r"self\.(f\d)", lines[parts[part]]).group(1))

    layer = nn.TransformerEncoderLayer(d, 1, 4 * d, 0.0, batch_first=True, norm_first=True)
    state = layer.state_dict()
    for kind in ("weight", "bias"):
        packed = [getattr(layer_in(part), kind) for part in ("query", "key", "value")]
        state[f"self_attn.in_proj_{kind}"] = torch.cat(packed)
        state[f"self_attn.out_proj.{kind}"] = getattr(layers.f5, kind)
        for name, own in (("linear1", layers.f7), ("linear2", layers.f8)):
            state[f"{name}.{kind}"] = getattr(own, kind)
    layer.load_state_dict(state)
    x = torch.randn(2, 5, d)
    blocked = torch.arange(5) >= torch.tensor([[5], [3]])
    got, expected = run(layers, x, blocked[:, None], d), layer(x, src_key_padding_mask=blocked)
    torch.testing.assert_close(got[~blocked], expected[~blocked])
    assert {lines[letter] for letter in parts["residual"]} == {"x9 = x0 + x8", "return x9 + x11"}
    assert all(
        "self.f1(" in lines[letter] or "self.f6(" in lines[letter] for letter in parts["normalization"]
    )
    assert "masked_fill(b" in lines[parts["mask"]]
    assert "relu" in lines[parts["feed_forward"]]
