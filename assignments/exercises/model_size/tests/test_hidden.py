"""Do the heads share the width? What the two sizes cost is measured and shown beside the student's words."""

import time
from functools import cache

import torch
from torch import nn

from graders import fail, integer, points

USUAL = (64, 4)  # what the step time is compared with
BATCH, TOKENS = 4, 32
LONG = 512  # tokens of a sequence whose weights are counted
FEEDFORWARD = 2048  # what nn.TransformerEncoderLayer takes by itself
WIDEST_MEASURED = 1024  # 17 MB of parameters, and a tenth of a second once in a session
REPEATS = 4


def attention_parameters(d_model):
    """Parameters of nn.MultiheadAttention(d_model, any): four projections with biases."""
    return 4 * (d_model * d_model + d_model)


def layer_parameters(d_model):
    """Parameters of nn.TransformerEncoderLayer(d_model, any): attention, two linear layers, two norms."""
    feedforward = 2 * d_model * FEEDFORWARD + FEEDFORWARD + d_model
    return attention_parameters(d_model) + feedforward + 4 * d_model


@cache
def step_milliseconds(d_model, num_heads):
    """CPU time of one forward and backward pass of nn.MultiheadAttention; the best of a few."""
    with torch.device("meta"):
        attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
    attention.to_empty(device="cpu")
    with torch.no_grad():  # initialising takes longer than a step, and the time does not depend on the values
        for parameter in attention.parameters():
            parameter.fill_(0.01)
    x = torch.ones(BATCH, TOKENS, d_model)
    seconds = []
    for _ in range(REPEATS):
        started = time.thread_time()
        output, _ = attention(x, x, x, need_weights=False)
        output.sum().backward()
        seconds.append(time.thread_time() - started)
    return 1000 * min(seconds)


def step_time(d_model, num_heads):
    """Say how long a step takes, and how that compares."""
    if d_model > WIDEST_MEASURED:
        return f"not measured: wider than {WIDEST_MEASURED:,}"
    own, usual = step_milliseconds(d_model, num_heads), step_milliseconds(*USUAL)
    compared = f"{own / usual:.1f} times as long as with {USUAL[0]} and {USUAL[1]}"
    return f"{own:.2g} ms for a batch of ({BATCH}, {TOKENS}, {d_model}), {compared}"


def head_size(d_model, num_heads):
    """Say how wide a head is, with a note on the two extremes."""
    size = d_model // num_heads
    note = ""
    if num_heads == 1:
        note = "; with a single head each token has one set of weights"
    elif size == 1:
        note = "; with a single number for query and key a head can tell little apart"
    return f"{size} = {d_model} / {num_heads}{note}"


def show_facts(student, d_model, num_heads):
    """Have what these sizes cost shown beside the check."""
    student.fact("width of a head", head_size(d_model, num_heads))
    student.fact(
        "parameters of nn.MultiheadAttention",
        f"{attention_parameters(d_model):,}, and as many with any other number of heads",
    )
    student.fact("parameters of nn.TransformerEncoderLayer", f"{layer_parameters(d_model):,}")
    student.fact(
        f"attention weights for {LONG} tokens",
        f"{num_heads * LONG * LONG:,} ({num_heads} heads × {LONG} × {LONG})",
    )
    student.fact("one training step of nn.MultiheadAttention, on one core", step_time(d_model, num_heads))


@points(
    1,
    requires=["test_positive_integers"],
    hint="The heads share the width: choose D_MODEL as a multiple of NUM_HEADS.",
)
def test_heads_share_the_width(student):
    """nn.MultiheadAttention can be built: D_MODEL is divisible by NUM_HEADS."""
    d_model, num_heads = (integer(student.value(name), f"`{name}`") for name in ("D_MODEL", "NUM_HEADS"))
    if d_model % num_heads:
        swapped = " Have the two changed places?" if num_heads % d_model == 0 else ""
        fail(
            f"D_MODEL = {d_model} is not divisible by NUM_HEADS = {num_heads}: a head would be "
            f"{d_model / num_heads:.4g} wide.{swapped}"
        )
    show_facts(student, d_model, num_heads)
