# Hands in a script that is a comment for one encoding and a program for the one that it declares.
# kind: loading and files
# verdicts: missing
# says: `pool` was not found in pooling.py.
# says: pooling.py was read as UTF-8 (its first lines declare utf-7); save it as UTF-8, which Python and Jupyter read.


def make(folder):
    (folder / "pooling.py").write_text("# coding: utf-7\n# +AAo-def pool(h, p): return h.mean(1)\n")
    return folder / "pooling.py"
