"""A remark beside each letter, in one text."""

BLOCK_PARTS = {
    "query (Q)": "D (x4)",
    "key (K)": "B: x2 = self.f2(x1), transposed in line E",
    "value (V)": "C because it is averaged with the weights",
    "mask": "`F`",
    "residual": "I (x9) and L",
    "normalization": "both A and J",
    "feed_forward": "letter K",
}
