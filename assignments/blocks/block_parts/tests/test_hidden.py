"""Which line is which part. The block is the same for everybody, so nothing here is drawn."""

import runpy
from pathlib import Path

from graders import fail, points
from graders.named_parts import lines_named, named_part

PUBLIC = runpy.run_path(str(Path(__file__).with_name("test_public.py")))
LINES, PARTS = PUBLIC["LINES"], PUBLIC["PARTS"]  # what else lines and parts may be called
SECTION = "Reading a transformer block"

# What a line does, for who took it for something else.
DOES = {
    "A": "scales each token's features to mean 0 and variance 1 before the attention",
    "B": "makes a tensor that is transposed in line E, so that its rows become the sources of the scores",
    "C": "makes a tensor that takes no part in the scores and is averaged in line H",
    "D": "makes the left factor of line E, so its rows become the targets of the scores",
    "E": "compares each target with each source: these are the scores",
    "F": "overwrites scores with minus infinity, so that these sources get no weight",
    "G": "turns each target's scores into weights that sum to one: the softmax of the attention",
    "H": "averages with the weights and mixes the features of the average: the output projection",
    "I": "adds what came into the attention to what came out of it",
    "J": "scales each token's features to mean 0 and variance 1 before the two last linear layers",
    "K": "widens each token's features to 4 * d, cuts off negative ones and narrows them again",
    "L": "adds what came into the two last linear layers to what came out of them",
}


def judge(student, right: dict[str, str]) -> None:
    """Fail unless each part is named by one or more of its `right` lines, and by no other line."""
    answer = student.value("BLOCK_PARTS")
    if not isinstance(answer, dict):
        fail("BLOCK_PARTS should be a dictionary, from the names of parts to letters.", got=answer)
    problems = []
    for part, letters in right.items():
        there, value = named_part(answer, part, PARTS[part])
        named = lines_named(value, LINES) if there else None
        wrong = sorted((named or set()) - set(letters))
        if not named:
            problems.append(f"For {part!r}, {'no letter from A to L' if there else 'nothing'} came.")
        elif wrong:
            problems.append(f"For {part!r}, line {wrong[0]} came. Line {wrong[0]} {DOES[wrong[0]]}.")
    if problems:
        fail(" ".join(problems), got=answer, earned=1 - len(problems) / len(right))


@points(
    4,
    section=SECTION,
    hint="Scores are query · keyᵀ, targets × sources. Blocking comes before the softmax, averaging after it.",
)
def test_parts_of_the_attention(student):
    """Query, key, value and mask are the lines that do their work, whatever order they stand in."""
    judge(student, {"query": "D", "key": "B", "value": "C", "mask": "F"})


@points(
    3,
    section=SECTION,
    hint="A residual is a sum. A feed-forward network works on each token alone, with a nonlinear function.",
)
def test_parts_around_it(student):
    """Residual, normalization and feed-forward network are the lines that do their work."""
    judge(student, {"residual": "IL", "normalization": "AJ", "feed_forward": "K"})
