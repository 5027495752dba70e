"""Which line is which part. The block is the same for everybody, so nothing here is drawn."""

from graders import fail, points
from graders.named_parts import lines_named, named_part

SECTION = "Reading a transformer block"

# What else stands for a line: the tensor that it makes, the layers called in it, the line itself.
LINES = {
    "A": ("x1", "f1", "self.f1", "x1 = self.f1(x0)"),
    "B": ("x2", "f2", "self.f2", "x2 = self.f2(x1)"),
    "C": ("x3", "f3", "self.f3", "x3 = self.f3(x1)"),
    "D": ("x4", "f4", "self.f4", "x4 = self.f4(x1)"),
    "E": ("x5", "x5 = x4 @ x2.transpose(-2, -1) / math.sqrt(d)"),
    "F": ("x6", "x6 = x5.masked_fill(b, -math.inf)", "masked_fill"),
    "G": ("x7", "x7 = x6.softmax(dim=-1)", "softmax"),
    "H": ("x8", "f5", "self.f5", "x8 = self.f5(x7 @ x3)"),
    "I": ("x9", "x9 = x0 + x8", "x0 + x8"),
    "J": ("x10", "f6", "self.f6", "x10 = self.f6(x9)"),
    "K": ("x11", "f7", "f8", "self.f7", "self.f8", "x11 = self.f8(torch.relu(self.f7(x10)))"),
    "L": ("return x9 + x11", "x9 + x11"),
}
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
PARTS = {
    "query": ("q", "queries"),
    "key": ("k", "keys"),
    "value": ("v", "values"),
    "mask": ("masking", "attention mask", "attn mask", "masks"),
    "residual": ("residuals", "residual connection", "residual connections", "skip", "skip connection"),
    "normalization": ("normalisation", "norm", "norms", "layer norm", "layer normalization"),
    "feed_forward": ("ffn", "mlp", "feed forward network"),
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
