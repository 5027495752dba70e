# Hands in files whose names and folders are as long as the disk allows.
# kind: loading and files
# verdicts: passed
# says: pooling.py was graded; what it does not define was looked for in dddddddddddddddddddddddddddddddddddddddd…xxxxxxxxxxxxxxxxxxxxxxxxxxx~83ddd3aa.py.


def make(folder):
    place = folder / "ada"
    deep = place
    for _ in range(12):
        deep = deep / ("d" * 250)
    deep.mkdir(parents=True)
    (deep / ("x" * 250 + ".py")).write_text("x = 1\n")
    (place / "pooling.py").write_text(
        "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"
    )
    return place
