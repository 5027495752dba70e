# Asks for input that nobody can give.
# kind: resources
# verdicts: error
# says: EOFError: input() has nobody to ask while the submission is graded; use a constant instead


def pool(hidden, padding):
    return input("name? ")
