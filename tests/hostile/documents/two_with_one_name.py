# Comes twice: two students whose names differ in capitals, dots and Unicode's forms alone.
# kind: documents


def make(cohort):
    for name in ("Jos\u00e9 One", "jose\u0301 one", "JOS\u00c9 ONE"):
        (cohort / name).mkdir()
        (cohort / name / "pooling.py").write_text("def pool(h, p):\n    return h.sum(1)\n")
