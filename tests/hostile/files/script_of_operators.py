# Hands in a script of a hundred thousand chained operators and attributes, deep without a parenthesis.
# kind: loading and files
# verdicts: missing
# says: `pool` was not found in pooling.py.


def make(folder):
    (folder / "pooling.py").write_text("x = " + "-" * 10**5 + "1\ny = a" + ".a" * 10**5 + "\ndef pool(h, p):\n    return h.mean(1)\n")
    return folder / "pooling.py"
