# Raises where the harness calls it, and reads the traceback for the lines of the test.
# kind: reading what is hidden
# verdicts: error
# says: ValueError: nothing was found
import traceback


def pool(hidden, padding):
    try:
        raise RuntimeError
    except RuntimeError:
        text = "".join(traceback.format_stack()) + traceback.format_exc()
    assert "test_hidden" not in text, "the test"
    assert "reference" not in text, "the reference"
    raise ValueError("nothing was found")
