# Prints without end in a child, while its parent answers well.
# kind: resources
# verdicts: output|crashed|passed output|crashed|passed|skipped output|crashed|passed|skipped output|crashed|passed|skipped
# says: …
import os

if os.fork() == 0:
    while True:
        os.write(2, b"x" * 60_000)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
