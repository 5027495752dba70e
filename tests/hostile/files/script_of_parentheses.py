# Hands in a script of a million nested parentheses, which overflow a parser's stack.
# kind: loading and files
# verdicts: error
# says: pooling.py cannot be run: SyntaxError: too many nested parentheses (line 1).


def make(folder):
    (folder / "pooling.py").write_text("x = " + "(" * 10**6 + ")" * 10**6 + "\ndef pool(h, p):\n    return h.mean(1)\n")
    return folder / "pooling.py"
