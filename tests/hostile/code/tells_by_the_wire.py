# Reads the question off the wire's buffers and its nodes, to learn what was lent.
# kind: reading what is hidden
# exercise: telling
# verdicts: failed
# says: Your test let pass: x.
import sys


def check_shift(shift):
    frame, seen = sys._getframe(), []
    while frame is not None:
        seen += [repr(value)[:2000] for value in frame.f_locals.values()]
        frame = frame.f_back
    seen.append(repr(getattr(shift, "_line", None).node) if hasattr(shift, "_line") else "")
    text = " ".join(seen)
    assert "x + 1" not in text, "found"
    assert "WRONG" not in text, "found"
