"""Two letters as one text; right sides in place of lines."""

BLOCK_PARTS = dict(
    query="self.f4(x1)",
    key="self.f2(x1)",
    value="self.f3(x1)",
    mask="x5.masked_fill(b, -math.inf)",
    residual="IL",
    normalization="A J",
    feed_forward="self.f8(torch.relu(self.f7(x10)))",
)
