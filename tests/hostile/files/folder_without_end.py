# Hands in a folder of more files than are looked at, in folders in folders.
# kind: loading and files
# verdicts: passed
# says: d… was left out: it lies more than 16 folders deep.
# says: 211 more notes like these were left out.


def make(folder):
    place = folder / "ada"
    for number in range(30):
        deep = place / "/".join(f"d{number}" for _ in range(20))
        deep.mkdir(parents=True)
        for other in range(40):
            (deep / f"{other}.txt").write_text("x")
    for number in range(1200):
        (place / f"{number}.txt").write_text("x")
    (place / "pooling.py").write_text(
        "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"
    )
    return place
