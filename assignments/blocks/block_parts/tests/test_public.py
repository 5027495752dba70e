"""What a student may run before handing in: whether every part has a letter, not which."""

from graders import fail, points
from graders.named_parts import lines_named, named_part

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
PARTS = {
    "query": ("q", "queries", "q proj", "query projection"),
    "key": ("k", "keys", "k proj", "key projection"),
    "value": ("v", "values", "v proj", "value projection"),
    "mask": ("masking", "masks", "attention mask", "attn mask", "padding mask", "key padding mask"),
    "residual": (
        *("residuals", "residual connection", "residual connections", "skip", "skip connection"),
        *("skip connections", "residual add", "residual addition", "add"),
    ),
    "normalization": (
        *("normalisation", "normalizations", "normalisations", "norm", "norms", "layer norm", "layer norms"),
        *("layer normalization", "layer normalisation", "ln"),
    ),
    "feed_forward": ("ffn", "ff", "mlp", "feed forward network", "feed forward layer"),
}


@points(1, hint="Write a letter from A to L, or a list of letters, for each of the seven parts.")
def test_every_part_has_a_letter(student):
    """BLOCK_PARTS names a line of the block for each of the seven parts."""
    answer = student.value("BLOCK_PARTS")
    if not isinstance(answer, dict):
        fail("BLOCK_PARTS should be a dictionary, from the names of parts to letters.", got=answer)
    if all(str(key).strip().upper() in LINES for key in answer) and len(answer) > 1:
        fail(
            "BLOCK_PARTS goes from letters to parts; turn it round, from the names of parts to letters.",
            got=answer,
        )
    for part, others in PARTS.items():
        there, value = named_part(answer, part, others)
        if not there:
            fail(f"There is no {part!r} in BLOCK_PARTS.", got=answer)
        if not lines_named(value, LINES):
            fail(f"What stands at {part!r} is no letter from A to L, and no list of such letters.", got=value)
