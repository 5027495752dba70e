# Comes with files whose names are markup and break out of attributes.
# kind: documents


def make(cohort):
    place = cohort / "script_in_a_files_name"
    place.mkdir()
    (place / "pooling.py").write_text("def pool(h, p):\n    return h.sum(1)\n")
    for name in ("\"><script>window.ran=1<", "x' onmouseover=window.ran=1 '.py", "javascript:window.ran=1.py", "a&lt;b.py"):
        (place / name).write_text("x = 1\n")
