from graders import fail, points


@points(1)
def test_attention(student):
    """The program asks a layer for attention."""
    if not student.recording:
        fail(f"{student.recording.text}: one with weights was expected.")
