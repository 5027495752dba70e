# Prints scripts, images and frames, which a page might run.
# kind: documents
MARKUP = "<script>window.ran=1</script><img src=x onerror='window.ran=1'><iframe srcdoc='<script>parent.ran=1</script>'></iframe>"


def make(cohort):
    (cohort / "script_in_output.py").write_text(
        f"print({MARKUP!r})\n\n\ndef pool(h, p):\n    print({MARKUP!r})\n    return h.sum(1)\n"
    )
