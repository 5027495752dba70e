# Ends the script and the style of the cohort's page, and its JSON, by its name and message.
# kind: documents


def make(cohort):
    text = "</script></style>]]>--><!-- \\u003cscript\\u003e \u2028\u2029 __proto__ constructor"
    (cohort / "__proto__.py").write_text(f"print({text!r})\n\n\ndef pool(h, p):\n    raise ValueError({text!r})\n", "utf-8")
