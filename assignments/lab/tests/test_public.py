"""Steps 1 to 3, and that the program runs: what a student may try before handing in."""

import re

from graders import fail, points, printed_shape

LACKS = re.compile(r"average_attn_weights[^\n]*\d+\.\d+|\d+\.\d+[^\n]*average_attn_weights")
NEGATION = re.compile(r"\b(no|not|none|without|lacks?|missing|unsupported|unknown|unavailable|cannot)\b|n't", re.I)


def text(shape):
    return f"({', '.join(map(str, shape))})"


def seen(student):
    """The calls that were recorded, in words, and what kept the program from making more."""
    words = student.recording.text
    for cell in student.load.cells:
        if cell.status == "raised" and cell.error is not None:
            where = "line" if student.load.kind == "script" else "cell"
            message = f"{cell.error.type_name}: {cell.error.message}"
            return f"{words}. ({where} {cell.number} raised {message[:200].rstrip('.')}.)"
    return f"{words}."


def asked_for(call):
    """Whether a call is that of step 2, with weights."""
    batch, heads, *square = call.weights.shape
    if square != [4, 4]:
        return False
    if call.kind == "softmax":  # by hand: all heads at once, or one head after another
        return (batch, heads) in ((3, 2), (3, 1), (6, 1))
    if call.kind == "dot_product":
        return (batch, heads) == (3, 2) and call.output.shape[-1] == 4
    right = call.output.shape == (3, 4, 8) and call.weights.shape == (3, 2, 4, 4)
    return right and call.returned is not None


def described(call):
    if call.kind == "softmax":
        return f"softmax over scores {text(call.inputs[0].shape)}"
    given = "no weights" if call.kind == "dot_product" else "no weights (need_weights=False)"
    if call.returned is not None:
        given = f"weights {text(call.returned.shape)}"
    size = f"d_model {call.d_model}, " if call.d_model else ""
    return f"{size}{call.num_heads} heads, out {text(call.output.shape)}, {given}"


@points(2, hint="nn.MultiheadAttention(8, 2, batch_first=True), then layer(x, x, x) with x = torch.randn(3, 4, 8).")
def test_self_attention(student):
    """Two heads attend over 3 sequences of 4 tokens of width 8: out (3, 4, 8), weights (3, 4, 4)."""
    if any(asked_for(call) for call in student.recording):
        return
    found = list(dict.fromkeys(described(call) for call in student.recording))[:3]
    came = f" What came first: {'; '.join(found)}." if found else ""
    fail(
        f"{seen(student).capitalize()}{came} d_model 8, 2 heads, out (3, 4, 8) and weights (3, 4, 4), all batch first, "
        "were expected."
    )


@points(1, hint="print(out.shape, weights.shape)")
def test_prints_shapes(student):
    """The shapes of the output and of the weights are printed: (3, 4, 8) and (3, 4, 4)."""
    missing = [shape for shape in ((3, 4, 8), (3, 4, 4)) if not printed_shape(student.printed, shape)]
    if missing:
        printed = "Nothing was printed" if not student.printed.strip() else "It was not found in what was printed"
        wanted = " and ".join(map(text, missing))
        fail(f"{printed}: {wanted}.", earned=0.5 if len(missing) == 1 else 0)


@points(2, hint="Call the layer once more with average_attn_weights=False.")
def test_heads_apart(student):
    """The weights of each head were asked for, and their shape (batch, heads, target, source) is printed."""
    printed = student.printed
    if any(NEGATION.search(line) for line in printed.splitlines() if LACKS.search(line)):
        return
    apart = [call for call in student.recording if call.per_head and call.returned.shape[1] > 1]
    if not apart:
        averaged = sum(call.returned is not None for call in student.recording)
        ended = f" In {averaged} of them the weights came averaged over the heads." if averaged else ""
        fail(f"{seen(student).capitalize()}{ended} None has weights of each head: (3, 2, 4, 4) was expected.")
    if not any(printed_shape(printed, call.returned.shape) for call in apart):
        fail(f"The weights of each head came, but their shape {text(apart[0].returned.shape)} was not printed.", earned=0.5)


@points(
    1,
    hint="Mend what the message names, and run the program from top to bottom.",
    requires=("test_self_attention",),
)
def test_runs_to_the_end(student):
    """The program runs to its end."""
    if student.load.kind == "notebook":
        return  # another cell's fault is no fault of the lab's
    for cell in student.load.cells:
        if cell.status == "stopped":
            fail(f"Line {cell.number} ran for too long and was stopped.")
        if cell.status != "ok" and cell.error is not None:
            fail(f"Line {cell.number} raised {cell.error.type_name}: {cell.error.message[:300]}")
