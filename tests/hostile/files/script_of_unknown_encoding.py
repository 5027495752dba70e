# Hands in a script that declares an encoding that does not exist.
# kind: loading and files
# verdicts: passed
# says: pooling.py was read as UTF-8 (its first lines declare passed-in-full); save it as UTF-8, which Python and Jupyter read.


def make(folder):
    (folder / "pooling.py").write_text(
        "# -*- coding: passed-in-full -*-\n"
        "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"
    )
    return folder / "pooling.py"
