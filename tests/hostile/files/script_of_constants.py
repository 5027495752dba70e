# Hands in a script whose constants a compiler would work out: powers and products without end.
# kind: loading and files
# verdicts: passed


def make(folder):
    (folder / "pooling.py").write_text(
        "def never():\n    return 10**10**10, 'x' * 10**12, (1,) * 10**12, 2**2**40, [0] * 10**12\n\n\n"
        "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"
    )
    return folder / "pooling.py"
