from graders import fail, points, printed_row


@points(2, requires=("test_attention",))
def test_printed(student):
    """The weights that are printed are those that were computed."""
    if not any(printed_row(student.printed, call.rows()) is not None for call in student.recording):
        fail("No row of the weights that were computed is printed.")
