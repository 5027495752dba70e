# Answers with texts, dicts and objects whose shown form is markup.
# kind: documents


def make(cohort):
    (cohort / "script_in_answer.py").write_text(
        "def pool(h, p):\n    return {'<script>window.ran=1</script>': '<img src=x onerror=window.ran=1>', 'x': '\\\"onfocus=window.ran=1 autofocus'}\n"
    )
