# Answers a call as if it had been asked to load a program.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a wrong kind of answer.
import sys

questions = sys.modules["inside.questions"]
sys.modules["inside.serving"].Answered = lambda number, value: questions.Loaded(number, [], [], 0.0)


def pool(hidden, padding):
    return hidden.sum(1)
