# Prints and raises escape sequences that clear the screen, rename the window, type commands and hide lines.
# kind: documents


def make(cohort):
    text = "\x1b[2J\x1b]0;owned\x07\x1b[8mhidden\x1b[0m\x1bP$q\x1b\\\x9b31m\x1b]52;c;cm0gLXJm\x07\x08\x08\x7f\r"
    (cohort / "terminal\x1b[2J_escapes.py").write_text(f"print({text!r})\n\n\ndef pool(h, p):\n    raise ValueError({text!r})\n")
