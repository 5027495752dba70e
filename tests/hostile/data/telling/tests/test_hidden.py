from graders import judge_test, points

RIGHT = {"x + 1": lambda x: x + 1, "1 + x": lambda x: 1 + x}
WRONG = {"x + 2": lambda x: x + 2, "x - 1": lambda x: x - 1, "1": lambda x: x * 0 + 1}


@points(3, requires=("test_one_of_each",))
def test_many(student):
    """The test tells right from wrong shifts by what they answer."""
    judge_test(student, "check_shift", RIGHT, WRONG, seed=4)
