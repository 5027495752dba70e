"""Steps 3 to 6 and the verification, by what the program did and printed."""

import re

import torch

from graders import attention_map, fail, points, printed_row

NOTHING = 1e-6  # a weight that is none
SOMETHING = 1e-4
# What may well differ from run to run though all is seeded: addresses, clocks and how long something took.
# Each pattern begins where no digit stands before and has no part without a bound: students print anything.
NUMBER = r"(?<![\d.])(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:e-?\d{1,3})?"
CLOCK = r"(?<![\d.])\d\d?:\d\d(?::\d\d(?:\.\d{1,9})?)?"
UNIT = r"(?:ns|µs|us|ms|s|secs?|mins?|(?:nano|micro|milli)?seconds?|minutes?|it/s)\b"
WORD = r"\b(?:elapsed|took|duration|runtime|time|seconds|secs)\b"
PASSING = re.compile(
    rf"0x[0-9a-f]{{1,16}}|(?<!\d)\d{{4}}-\d\d-\d\d|{CLOCK}|{NUMBER} ?{UNIT}"
    rf"|{WORD}[^\d\n]{{0,20}}(?:{CLOCK}|{NUMBER})",
    re.IGNORECASE,
)


@points(
    1,
    hint="Ask for both kinds of weights of the same batch, and compare the average with .mean(dim=1).",
    requires=("test_heads_apart",),
)
def test_mean_over_heads(student):
    """The mean over the heads of the weights of each head is the average that the layer gives."""
    calls = student.recording
    apart = [call for call in calls if call.per_head]
    if not apart or any(call.kind == "softmax" for call in apart):
        return  # said to be lacking, or averaged by hand
    averaged = [call for call in calls if call.returned is not None and call.returned.dim() == 3]
    for one in apart:
        for other in averaged:
            if one.averaged.shape == other.averaged.shape and torch.allclose(
                one.averaged, other.averaged, atol=1e-5
            ):
                return
    fail(
        f"{calls.text}: {len(apart)} with weights of each head, {len(averaged)} with averaged weights, "
        "and none of the latter is the mean of the former. The same batch was expected in both."
    )


def padding_problem(call):
    """Return what is wrong with a call's padding: "" if nothing is, None if it has none."""
    blocked = call.padding
    if not blocked.any():
        return None
    for row, own in enumerate(blocked):
        if own.all():
            return f"every source of sequence {row} is blocked, so that nothing is left to attend to (nan)"
        if (own.long().diff() < 0).any():
            return (
                f"sequence {row} has the mask {own.tolist()}, which blocks its first tokens and not the "
                "last. True means blocked, and the padding stands on the right"
            )
    columns = blocked[:, None, None, :].expand(call.weights.shape)
    return "" if call.weights[columns].abs().le(NOTHING).all() else "blocked sources still have weight"


def causal_problem(call):
    """Return what is wrong with a call's causal mask: "" if nothing is, None if it has none."""
    weights, length = call.weights, call.weights.shape[-1]
    if weights.shape[-2] != length or length < 2:
        return None
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    if weights[..., future].abs().le(NOTHING).all() and weights[..., future.T].gt(SOMETHING).any():
        return ""
    blocked = (call.blocked & ~call.padding[:, None, None, :]).flatten(0, 1).any(0)
    whole = call.blocked.flatten(0, 1).all(-1).all(0)  # targets that have nothing left
    if whole.any():
        return f"row {int(whole.nonzero()[0])} has nothing left to attend to (nan): begin above the diagonal"
    if blocked.diagonal().any():
        return "a token may not attend to itself: begin above the diagonal"
    if blocked[future.T].any() and not blocked[future].any():
        return "it blocks the past and leaves the future; True belongs above the diagonal (targets are rows)"
    return "a part of the future can still be seen" if blocked[future].any() else None


def first_of_each(student, problem_of):
    """Return the first call for each problem found, in their order."""
    found = {}
    for call in student.recording:
        problem = problem_of(call)
        if problem is not None:
            found.setdefault(problem, call)
    return found


def without(student, what):
    """Return the sentence that none of the calls has what was looked for, or that there was no call."""
    if not student.recording:
        return f"{student.recording.text}."
    said = f"{student.recording.text}; {what}."
    shifted = sum(call.shifted for call in student.recording)
    if shifted:
        said += (
            f" In {shifted} of them a float mask was added to the scores: it blocks only where it is -inf."
        )
    return said


def drawn(weights, **more):
    return [] if weights.isnan().any() else [attention_map(weights, **more)]


@points(
    3, hint="key_padding_mask is (batch, source), bool: True at the sources that are padding, on the right."
)
def test_padding(student):
    """With a padding mask the blocked sources, some but not all of a sequence, have weight 0."""
    found = first_of_each(student, padding_problem)
    for problem, call in found.items():
        row = int(call.padding.any(1).nonzero()[0])
        if "" in found:
            row = int(found[""].padding.any(1).nonzero()[0])
            title = f"Your weights with padding: sequence {row}"
            student.show(attention_map(found[""].averaged[row], title=title))
            return
        fail(f"{student.recording.text}; of one with padding: {problem}.", pictures=drawn(call.averaged[row]))
    fail(without(student, "in none of them a padding mask blocked a source"))


@points(
    3, hint="attn_mask=torch.ones(4, 4, dtype=torch.bool).triu(1): True above the diagonal means blocked."
)
def test_causal(student):
    """With a causal mask row 0 is [1, 0, 0, 0] and nothing is left above the diagonal."""
    found = first_of_each(student, causal_problem)
    if "" in found:
        title = "Your weights with the causal mask: sequence 0"
        student.show(attention_map(found[""].averaged[0], title=title))
        return
    for problem, call in found.items():
        weights = call.averaged[0]
        future = torch.ones(weights.shape, dtype=torch.bool).triu(1)
        pictures = drawn(weights, blocked=future)
        fail(f"{student.recording.text}; of one with a mask: {problem}.", pictures=pictures)
    fail(without(student, "none had a causal mask"))


def rows_with_padding(call):
    """Return the rows of weights of the sequences that have padding."""
    chosen = call.padding.any(1)
    given = [call.weights, call.averaged, *([] if call.returned is None else [call.returned])]
    return torch.cat([weights[chosen].flatten(0, -2) for weights in given if len(weights) == len(chosen)])


def rows_with_future(call):
    """Return the rows of weights of all targets but the last, whose row is the same without a mask."""
    given = [call.weights, call.averaged, *([] if call.returned is None else [call.returned])]
    return torch.cat([weights[..., :-1, :].flatten(0, -2) for weights in given])


@points(2, hint="print(weights[0]) prints the rows of the first sequence, with four decimals.")
def test_prints_rows(student):
    """Rows of weights that the layer computed are printed: without a mask, with padding, and causal."""
    wanted = {"without a mask": [], "with padding": [], "with the causal mask": []}
    for call in student.recording:
        if padding_problem(call) == "":
            wanted["with padding"].append(rows_with_padding(call))
        if causal_problem(call) == "":
            wanted["with the causal mask"].append(rows_with_future(call))
        if not call.blocked.any():
            wanted["without a mask"].append(call.rows())
    kinds = {kind: rows for kind, rows in wanted.items() if rows}
    if not kinds:
        fail(f"{student.recording.text}, so there is no row of weights to print.")
    missing = []
    printed = "\n".join(lasting(student.printed))  # a number that passes for a time is no weight
    for kind, calls in kinds.items():
        widths = {rows.shape[-1] for rows in calls}
        by_width = [torch.cat([rows for rows in calls if rows.shape[-1] == width]) for width in widths]
        if not any(printed_row(printed, rows) is not None for rows in by_width):
            missing.append(kind)
    if missing:
        example = ", ".join(f"{value:.4f}" for value in kinds[missing[0]][0][0].tolist()[:8])
        fail(
            f"No row of the weights {' or '.join(missing)} is among the numbers that were printed. "
            f"One of them is [{example}].",
            earned=(len(kinds) - len(missing)) / 3,
        )


def lasting(printed):
    """Return the lines that were printed, without what may differ from run to run."""
    return [PASSING.sub("…", " ".join(line.split())) for line in printed.splitlines()]


@points(1, hint="Call torch.manual_seed before the layer is built and before anything random is drawn.")
def test_same_again(student):
    """Run a second time, the program prints the same."""
    one = lasting(student.printed)
    if not re.search(r"\d", "".join(one)):
        fail("No number was printed, so there is nothing to compare.")
    if not student.recording:
        fail(f"{student.recording.text}, so there is nothing to compare.")
    other = lasting(student.printed_again)
    for number, (left, right) in enumerate(zip(one, other, strict=False), start=1):
        if left != right:
            then, now = left.strip()[:120], right.strip()[:120]
            fail(f"Line {number} of what is printed was {then!r} first and {now!r} the second time.")
    if len(one) != len(other):
        fail(f"{len(one)} lines were printed first, {len(other)} the second time.")
