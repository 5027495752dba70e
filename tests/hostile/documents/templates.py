# Prints and raises what template engines and format strings would work out.
# kind: documents


def make(cohort):
    text = "{{ 7 * 191 }} {% for x in y %} {# {0.__class__} {self.__init__.__globals__} %s %(x)s ${HOME} $(id) `id` <%= 7 %>"
    (cohort / "templates.py").write_text(f"print({text!r})\n\n\ndef pool(h, p):\n    raise ValueError({text!r})\n")
