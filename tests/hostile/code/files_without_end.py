# Makes files and deep folders without end.
# kind: resources
# verdicts: passed
# user says: …stopped: it wrote more files than it may…
import os
import tempfile
import time

path = tempfile.gettempdir()
made = 0
try:
    while made < 40_000:
        open(f"file{made}", "w").close()
        made += 1
except OSError:
    pass
try:
    for _ in range(2_000):
        path = os.path.join(path, "d")
        os.mkdir(path)
        made += 1
except OSError:
    pass
if made >= 20_000:  # where a watch ends what makes too many, it has to see it
    time.sleep(5)


def pool(hidden, padding):
    assert globals().get("made", 0) < 20_000, made
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
