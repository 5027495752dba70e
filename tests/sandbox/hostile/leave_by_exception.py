# Ends by SystemExit in a call, KeyboardInterrupt and GeneratorExit.
def attempt(kind="SystemExit"):
    raise {"SystemExit": SystemExit, "KeyboardInterrupt": KeyboardInterrupt, "GeneratorExit": GeneratorExit}[
        kind
    ](0)
