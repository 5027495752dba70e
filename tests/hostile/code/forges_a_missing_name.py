# Says that the name is missing, with a name in its place that is markup, and near ones without end.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a name that is none.
import sys

questions = sys.modules["inside.questions"]
sys.modules["inside.serving"].Answered = lambda number, value: questions.Missing(
    number, "<img src=x onerror=alert(1)>\x1b[31m", ["passed\u202e"] * 10**4
)


def pool(hidden, padding):
    return hidden.sum(1)
