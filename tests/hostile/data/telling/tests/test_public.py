from graders import judge_test, points


@points(1)
def test_one_of_each(student):
    """The test accepts x + 1 and rejects x."""
    judge_test(student, "check_shift", {"x + 1": lambda x: x + 1}, {"x": lambda x: x}, seed=3)
