# Trains for ever while it is loaded, and swallows the first interruptions.
# kind: resources
# verdicts: passed
while True:
    try:
        while True:
            pass
    except Exception:
        pass


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
