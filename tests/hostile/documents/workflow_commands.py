# Prints, raises and is named like commands that CI services obey.
# kind: documents


def make(cohort):
    text = "::set-output name=grade::100\n::add-mask::x\n::error file=x::y\n##[error]x\n##vso[task.setvariable variable=x]y\n"
    (cohort / "::set-output name=grade::100.py").write_text(f"print({text!r})\n\n\ndef pool(h, p):\n    raise ValueError({text!r})\n")
