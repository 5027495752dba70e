# Defines names that are no names: with null bytes, control characters and markup, and thousands of them.
# kind: loading and files
# verdicts: passed
for number in range(20_000):
    globals()[f"<b>{number}</b>\x00\x1b[31m\u202e"] = number


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
