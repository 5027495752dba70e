# Stacks thousands of marks on one letter, and writes one word without an end, to cover the page.
# kind: documents


def make(cohort):
    text = "Z" + "\u0300\u0316" * 2000 + "W" * 20_000
    (cohort / "stacked_letters.py").write_text(f"print({text!r})\n\n\ndef pool(h, p):\n    raise ValueError({text!r})\n", "utf-8")
