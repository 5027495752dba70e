# Is handed in under a name that is markup.
# kind: documents


def make(cohort):
    (cohort / "<img src=x onerror=window.ran=1>.py").write_text("def pool(h, p):\n    return h.sum(1)\n")
