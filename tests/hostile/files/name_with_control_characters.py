# Hands in a file whose name holds escape sequences, line ends and marks that turn the line round.
# kind: loading and files
# verdicts: passed


def make(folder):
    path = folder / "pool\x1b]0;owned\x07\u202e\n::error::ing.py"
    path.write_text("def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n")
    return path
