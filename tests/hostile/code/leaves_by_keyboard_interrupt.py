# Raises KeyboardInterrupt in the call, as if a person had stopped the grader.
# kind: forging the result
# verdicts: error
# says: KeyboardInterrupt


def pool(hidden, padding):
    raise KeyboardInterrupt
