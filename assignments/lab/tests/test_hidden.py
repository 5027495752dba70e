"""Steps 3 to 6 and the verification, by what the program did and printed."""

import re

import torch

from graders import attention_map, fail, points, printed_row

NOTHING = 1e-6  # a weight that is none
SOMETHING = 1e-4
# What may well differ from run to run though all is seeded: addresses, clocks and how long something took.
PASSING = re.compile(
    r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:e-?\d+)?\s*(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|it/s)\b"
    r"|\d{4}-\d\d-\d\d|\d\d?:\d\d(?::\d\d(?:\.\d+)?)?"
)
LACKS = re.compile(r"average_attn_weights[^\n]*\d+\.\d+|\d+\.\d+[^\n]*average_attn_weights")


def whole(student):
    return f"{student.recording.text}".capitalize()


@points(
    1,
    hint="Ask for the averaged weights and for those of each head of the same batch, and compare with .mean(dim=1).",
    requires=("test_heads_apart",),
)
def test_mean_over_heads(student):
    """Of one batch there are averaged weights and weights of each head, whose mean over the heads they are."""
    apart = [call for call in student.recording if call.per_head]
    if not apart or any(call.kind == "softmax" for call in apart):
        return  # said to be lacking, or averaged by hand
    averaged = [call for call in student.recording if call.returned is not None and call.returned.dim() == 3]
    for one in apart:
        for other in averaged:
            if one.averaged.shape == other.averaged.shape and torch.allclose(
                one.averaged, other.averaged, atol=1e-5
            ):
                return
    fail(
        f"{whole(student)}: {len(apart)} with weights of each head, {len(averaged)} with averaged weights, and none of "
        "these is the mean over the heads of one of those. The same batch was expected in both."
    )


def padded(call):
    """What is wrong with a call's padding; "" if nothing is."""
    blocked = call.padding
    if not blocked.any():
        return None
    for row, own in enumerate(blocked):
        if own.all():
            return f"every source of sequence {row} is blocked, so that nothing is left to attend to (nan)"
        if own.any() and not (own.long().diff() >= 0).all():
            first = own.long().tolist()
            return (
                f"sequence {row} has the mask {first} (1 = blocked): its first tokens are blocked and later ones "
                "are not. True means blocked, and the padding stands on the right"
            )
    columns = blocked[:, None, None, :].expand(call.weights.shape)
    if not call.weights[columns].abs().le(NOTHING).all():
        return "blocked sources still have weight"
    return ""


@points(3, hint="key_padding_mask is (batch, source), bool: True at the sources that are padding, here on the right.")
def test_padding(student):
    """With a padding mask the blocked sources, some but not all of a sequence, have weight 0."""
    found = {}
    for call in student.recording:
        problem = padded(call)
        if problem is not None:
            found.setdefault(problem, call)
    if "" in found:
        call = found[""]
        row = int(call.padding.any(1).nonzero()[0])
        title = f"Your weights with padding, sequence {row}"
        student.show(attention_map(call.averaged[row], title=title))
        return
    for problem, call in found.items():
        row = int(call.padding.any(1).nonzero()[0])
        pictures = [] if call.averaged[row].isnan().any() else [attention_map(call.averaged[row])]
        fail(f"{whole(student)}, {len(found)} kind of them with blocked sources: {problem}.", pictures=pictures)
    fail(f"{whole(student)}; in none of them a source was blocked for all targets of a sequence.")


def causal(call):
    """What is wrong with a call's causal mask; "" if nothing is, None if it has none."""
    weights, length = call.weights, call.weights.shape[-1]
    if weights.shape[-2] != length or length < 2:
        return None
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    if weights[..., future].abs().le(NOTHING).all() and weights[..., future.T].gt(SOMETHING).any():
        return ""
    blocked = call.blocked.flatten(0, 1).all(0)
    if blocked.all(0).any() and not blocked.any(1).all():
        blocked = blocked & ~blocked.all(0)  # padding, which is another step
    if blocked[0].all():
        return "row 0 has nothing left to attend to (nan): the mask blocks the token itself, so begin above the diagonal"
    if blocked.diagonal().any():
        return "a token may not attend to itself: begin above the diagonal"
    if blocked[future.T].any() and not blocked[future].any():
        return "it blocks the past and leaves the future: transposed (True belongs above the diagonal)"
    if blocked[future].any():
        return "a part of the future can be seen still"
    return None


@points(3, hint="attn_mask=torch.ones(4, 4, dtype=torch.bool).triu(1): True above the diagonal means blocked.")
def test_causal(student):
    """With a causal mask row 0 is [1, 0, 0, 0] and nothing is left above the diagonal."""
    found = {}
    for call in student.recording:
        problem = causal(call)
        if problem is not None:
            found.setdefault(problem, call)
    if "" in found:
        student.show(attention_map(found[""].averaged[0], title="Your weights with the causal mask, sequence 0"))
        return
    for problem, call in found.items():
        weights = call.averaged[0]
        future = torch.ones(weights.shape, dtype=torch.bool).triu(1)
        pictures = [] if weights.isnan().any() else [attention_map(weights, blocked=future)]
        fail(f"{whole(student)}; of one with a mask: {problem}.", pictures=pictures)
    fail(f"{whole(student)}; none had a causal mask.")


def sequences(call, chosen):
    """The rows of weights of some sequences of a call."""
    given = [call.weights[chosen], call.averaged[chosen]]
    if call.returned is not None and len(call.returned) == len(chosen):
        given.append(call.returned[chosen])
    return torch.cat([weights.flatten(0, -2) for weights in given])


@points(2, hint="print(weights[0]) prints the rows of the first sequence, with four decimals.")
def test_prints_rows(student):
    """Rows of weights are printed, without a mask, with padding and with the causal mask, and are those computed."""
    wanted = {"without a mask": [], "with padding": [], "with the causal mask": []}
    for call in student.recording:
        if padded(call) == "":
            wanted["with padding"].append(sequences(call, call.padding.any(1)))
        if causal(call) == "":
            wanted["with the causal mask"].append(call.rows())
        if not call.blocked.any():
            wanted["without a mask"].append(call.rows())
    kinds = {kind: rows for kind, rows in wanted.items() if rows}
    if not kinds:
        fail(f"{whole(student)}, so there is no row of weights to print.")
    missing = []
    for kind, calls in kinds.items():
        widths = {rows.shape[-1] for rows in calls}
        by_width = [torch.cat([rows for rows in calls if rows.shape[-1] == width]) for width in widths]
        if not any(printed_row(student.printed, rows) is not None for rows in by_width):
            missing.append(kind)
    if missing:
        example = ", ".join(f"{value:.4f}" for value in kinds[missing[0]][0][0].tolist()[:8])
        fail(
            f"No row of the weights {' or '.join(missing)} was found among the numbers that were printed. One of them is "
            f"[{example}].",
            earned=(len(kinds) - len(missing)) / 3,
        )


@points(1, hint="Call torch.manual_seed before the layer is built and before anything random is drawn.")
def test_same_again(student):
    """Run a second time, the program prints the same."""
    first = student.printed
    if not re.search(r"\d", first):
        fail("No number was printed, so there is nothing to compare.")
    again = student.printed_again
    one, other = (PASSING.sub("…", text).splitlines() for text in (first, again))
    for number, (left, right) in enumerate(zip(one, other, strict=False), start=1):
        if left != right:
            fail(f"Line {number} of what is printed differs: {left.strip()[:120]!r} first, {right.strip()[:120]!r} the second time.")
    if len(one) != len(other):
        fail(f"{len(one)} lines were printed first, {len(other)} the second time.")
