"""A dictionary made from keywords, later completed."""

BLOCK_PARTS = dict(query="D", key="B", value="C", mask="F", feed_forward="K")
BLOCK_PARTS["residual"] = list("IL")
BLOCK_PARTS |= {"normalization": ["J"]}
