"""Steps 1 to 3, and that the program runs: what a student may try before handing in."""

import inspect
import re

from torch import nn

from graders import fail, points, printed_shape

VERSION = re.compile(r"\d\.\d")
LACKING = re.compile(
    r"\b(no|not|none|without|lacks?|missing|unsupported|unknown|unavailable|cannot)\b|n't", re.I
)


def known_to_be_lacking(printed):
    """Return whether a line says that PyTorch lacks average_attn_weights, and it does where this runs."""
    if "average_attn_weights" in inspect.signature(nn.MultiheadAttention.forward).parameters:
        return False
    return any(
        "average_attn_weights" in line and VERSION.search(line) and LACKING.search(line)
        for line in printed.splitlines()
    )


def text(shape):
    return f"({', '.join(map(str, shape))})"


def recorded(student):
    """Say how many calls were recorded, and what kept the program from making more."""
    words = f"{student.recording.text}."
    for cell in student.load.cells:
        if cell.status == "raised" and cell.error is not None:
            where = "Line" if student.load.kind == "script" else "Cell"
            message = cell.error.message[:200].rstrip(".")
            return f"{words} ({where} {cell.number} raised {cell.error.type_name}: {message}.)"
    return words


def asked_for(call):
    """Return whether a call is that of step 2, with weights."""
    batch, heads, *square = call.weights.shape
    if square != [4, 4] or call.blocked.any():
        return False
    if call.kind == "softmax":  # by hand: all heads at once, or one head after another
        return (batch, heads) in {(3, 2), (3, 1), (6, 1)}
    if call.kind == "dot_product":
        return (batch, heads) == (3, 2) and call.output.shape[-1] == 4
    return call.output.shape == (3, 4, 8) and heads == 2 and call.returned is not None and to_itself(call)


def to_itself(call):
    """Return whether query and key of a layer's call are the same."""
    query, key = call.inputs[:2]
    return query.shape == key.shape and bool((query == key).all())


def described(call):
    if call.kind == "softmax":
        return f"softmax over scores {text(call.inputs[0].shape)}"
    given = "no weights" if call.kind == "dot_product" else "no weights (need_weights=False)"
    if call.returned is not None:
        given = f"weights {text(call.returned.shape)}"
    size = f"d_model {call.d_model}, " if call.d_model else ""
    came = f"{size}{call.num_heads} heads, out {text(call.output.shape)}, {given}"
    if call.inputs[0].shape == (3, 4, 8) != call.output.shape:
        came += " (its input (3, 4, 8) was taken for (length, batch, d_model): batch_first=True is missing)"
    if call.kind == "multi_head" and not to_itself(call):
        came += " (its query is not its key: pass the same batch as query, key and value)"
    return came


@points(
    2,
    hint="nn.MultiheadAttention(8, 2, batch_first=True), then layer(x, x, x) with x = torch.randn(3, 4, 8).",
)
def test_self_attention(student):
    """Two heads attend over 3 sequences of 4 tokens of width 8: out (3, 4, 8), weights (3, 4, 4)."""
    calls = student.recording
    if any(asked_for(call) for call in calls):
        return
    found = list(dict.fromkeys(described(call) for call in calls))[:3]
    came = f" Among them, batch first: {'; '.join(found)}." if found else ""
    fail(
        f"{recorded(student)}{came} d_model 8, 2 heads, out (3, 4, 8) and weights (3, 4, 4) were expected, "
        "without a mask and with batch, length and d_model in this order."
    )


@points(1, hint="print(out.shape, weights.shape)")
def test_prints_shapes(student):
    """The shapes of the output and of the weights are printed: (3, 4, 8) and (3, 4, 4)."""
    printed = student.printed
    outputs, weights = {(3, 4, 8)}, {(3, 4, 4)}
    for call in student.recording:
        # Whatever was computed, in whatever layout, its shape is what should be printed.
        if call.kind == "multi_head":
            outputs |= {tuple(call.output.shape), tuple(call.inputs[0].shape)}
            weights |= {tuple(call.averaged.shape)}
    missing = [
        name
        for name, shapes in (("the output", outputs), ("the weights", weights))
        if not any(printed_shape(printed, shape) for shape in shapes)
    ]
    if missing or not student.recording:
        fail(
            f"The shape of {' and of '.join(missing)} is not in what was printed."
            if printed.strip() and missing
            else f"{recorded(student)} Nothing that was printed can be its shape.",
            earned=0.5 if len(missing) == 1 and student.recording else 0,
        )


@points(2, hint="Call the layer once more with average_attn_weights=False.")
def test_heads_apart(student):
    """The weights of each head were asked for, and their shape (batch, heads, target, source) is printed."""
    printed = student.printed
    if known_to_be_lacking(printed):
        return
    apart = [call for call in student.recording if call.per_head and call.returned.shape[1] > 1]
    if not apart:
        averaged = sum(call.returned is not None for call in student.recording)
        ended = f" In {averaged} of them the weights came averaged over the heads." if averaged else ""
        fail(f"{recorded(student)}{ended} Weights of each head, (3, 2, 4, 4), were expected.")
    if not any(printed_shape(printed, call.returned.shape) for call in apart):
        shape = text(apart[0].returned.shape)
        fail(
            f"The weights of each head came, but their shape {shape} is not in what was printed.", earned=0.5
        )


@points(
    1,
    hint="Mend what the message names, and run the program from top to bottom.",
    requires=("test_self_attention",),
)
def test_runs_to_the_end(student):
    """The program runs to its end."""
    if student.load.kind == "notebook":
        return  # a slip in another exercise's cell is no fault of the lab's
    for cell in student.load.cells:
        if cell.status == "stopped":
            fail(f"Line {cell.number} ran for too long and was stopped.")
        if cell.status == "raised" and cell.error is not None:
            fail(f"Line {cell.number} raised {cell.error.type_name}: {cell.error.message[:300]}")
