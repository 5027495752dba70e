# Uses marks that turn a line round and letters without a width, so that the page reads otherwise than it is.
# kind: documents


def make(cohort):
    text = "0 of 10 points \u202e\u2066 stniop 01 fo 01\u2069 \u200b\u200d\ufeff \U000e0041"
    (cohort / "turned\u202eround.py").write_text(f"print({text!r})\n\n\ndef pool(h, p):\n    raise ValueError({text!r})\n", "utf-8")
