# Writes Markdown, LaTeX and mentions, which the text report and a comment would render.
# kind: documents


def make(cohort):
    text = "```\n# 10/10\n![x](http://127.0.0.1:47123/x.png) [x](javascript:alert(1)) @everyone #1 $\\input{/etc/passwd}$ \\write18{id}\n<details open>"
    (cohort / "markdown_and_latex.py").write_text(f"print({text!r})\n\n\ndef pool(h, p):\n    raise ValueError({text!r})\n")
