# Is handed in under a name that is a formula behind a tab, a line end or a plus sign.
# kind: documents


def make(cohort):
    for name in ("\t=1+1", "\r=1+1", "+1+1", "-2+3", "@SUM(A1)", "\uff1d1+1", "%0A=1+1"):
        (cohort / f"{name}.py").write_text("def pool(h, p):\n    return h.sum(1)\n")
