# Raises an exception whose message, type and lines are markup.
# kind: documents
MARKUP = "</pre></details></main><script>window.ran=1</script><svg onload=window.ran=1>"


def make(cohort):
    (cohort / "script_in_exception.py").write_text(
        f"def pool(h, p):\n    raise type({MARKUP!r}, (Exception,), {{}})({MARKUP!r})  # {MARKUP}\n"
    )
