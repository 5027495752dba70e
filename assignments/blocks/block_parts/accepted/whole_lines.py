"""The whole lines in place of letters."""

BLOCK_PARTS = {
    "query": "x4 = self.f4(x1)",
    "key": "x2 = self.f2(x1)",
    "value": "x3 = self.f3(x1)",
    "mask": "x6 = x5.masked_fill(b, -math.inf)",
    "residual": "x9 = x0 + x8",
    "normalization": "x1 = self.f1(x0)",
    "feed_forward": "x11 = self.f8(torch.relu(self.f7(x10)))",
}
