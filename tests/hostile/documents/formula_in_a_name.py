# Is handed in under a name that a spreadsheet takes for a formula.
# kind: documents


def make(cohort):
    (cohort / "=HYPERLINK(\"http:,,127.0.0.1\",\"Grade\").py").write_text("def pool(h, p):\n    return h.sum(1)\n")
