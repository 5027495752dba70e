"""Shapes and rows are found in whatever way students print them, and made-up ones are not."""

from __future__ import annotations

import pytest
import torch

from graders import printed_row, printed_shape

ROW = torch.tensor([[0.30412, 0.10088, 0.19503, 0.39997]], dtype=torch.float64)


@pytest.mark.parametrize(
    "text",
    [
        "torch.Size([3, 4, 8])",
        "(3, 4, 8)",
        "out: [3,4,8]",
        "3 x 4 x 8",
        "3×4×8",
        "3*4*8",
        "B=3, T=4, d=8",
        "batch 3, length 4, width 8",
        "shape is (3, 4, 8).",
        "x\n(3, 4, 8)\ny",
        "batch size: 3, sequence length: 4, embedding dim: 8",
        "\x1b[1m3\x1b[0m, \x1b[1m4\x1b[0m, \x1b[1m8\x1b[0m",
    ],
)
def test_a_shape_is_found(text: str) -> None:
    assert printed_shape(text, (3, 4, 8))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(3, 2, 4, 8)",
        "(3, 4, 8, 1)",
        "(13, 4, 8)",
        "(3, 4, 80)",
        "(3, 4, 8.5)",
        "(4, 3, 8)",
        "(2, 3, 4, 8)",
        "0.3, 4, 8",
    ],
)
def test_another_shape_is_not(text: str) -> None:
    assert not printed_shape(text, (3, 4, 8))


@pytest.mark.parametrize(
    "text",
    [
        "tensor([0.3041, 0.1009, 0.1950, 0.4000], grad_fn=<SelectBackward0>)",
        "tensor([[9.9999, 0.0000],\n        [0.3041, 0.1009, 0.1950, 0.4000]])",
        "[0.30412, 0.10088, 0.19503, 0.39997]",
        "[0.304 0.101 0.195 0.4  ]",
        "[0.3, 0.1009, 0.195, 0.4]".replace("0.3,", "0.3041,"),
        "0.30 0.10 0.20 0.40",
        "0.304 | 0.101 | 0.195 | 0.400",
        "30.41% 10.09 % 19.50% 40.00%",
        "tensor([3.0412e-01, 1.0088e-01, 1.9503e-01, 3.9997e-01])",
        "source 0: 0.3041\nsource 1: 0.1009\nsource 2: 0.1950\nsource 3: 0.4000",
        "0.3041, 0.1008, 0.1950, 0.3999",  # cut off, not rounded
        ".3041 .1009 .1950 .4000",
        "0 -> 0: 0.3041\n0 -> 1: 0.1009\n0 -> 2: 0.1950\n0 -> 3: 0.4000",
        "weights[1,0,0] = 0.3041\nweights[1,0,1] = 0.1009\nweights[1,0,2] = 0.1950\nweights[1,0,3] = 0.4000",
        "\x1b[31m0.3041\x1b[0m \x1b[1;32m0.1009\x1b[0m \x1b[m0.1950 0.4000",
        "step 1 loss 2.5 row [+0.3041, 0.1009, 0.1950, 0.4000] end 7",
    ],
)
def test_a_row_is_found(text: str) -> None:
    assert printed_row(text, ROW) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "none",
        "0.3041, 0.1009, 0.1950",
        "0.3041, 0.1009, 0.1950, 0.4100",
        "0.3 0.1 0.2 0.4",  # as good as any row
        "0.4000, 0.1950, 0.1009, 0.3041",
        "w0.3041 w0.1009 w0.1950 w0.4000",
        "0.3041 0.1009 nan 0.1950",
    ],
)
def test_another_row_is_not(text: str) -> None:
    assert printed_row(text, ROW) is None


def test_zeros_and_ones_are_found_as_they_are_printed() -> None:
    rows = torch.eye(4, dtype=torch.float64)
    assert printed_row("tensor([0., 0., 1., 0.])", rows) == 2
    assert printed_row("tensor([1.0000e+00, 0.0000e+00, 0.0000e+00, 0.0000e+00])", rows) == 0


def test_much_that_is_printed_is_read_within_bounds() -> None:
    text = " ".join(f"{number / 1000:.3f}" for number in range(60_000)) + " 0.3041 0.1009 0.1950 0.4000"
    assert printed_row(text, ROW.expand(200, 4)) is None
