# Is a notebook with SVG, HTML and JavaScript in its outputs and Markdown.
# kind: documents
import json

SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload='window.ran=1'><script>window.ran=1</script></svg>"


def make(cohort):
    output = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"text/html": SVG, "image/svg+xml": SVG, "application/javascript": "window.ran=1", "text/markdown": SVG},
    }
    cells = [
        {"cell_type": "markdown", "source": f"# Answer\n{SVG}\n[x](javascript:window.ran=1) ![x](http://127.0.0.1:47123/x.png)", "metadata": {}},
        {
            "cell_type": "code",
            "source": f"from IPython.display import HTML, display\ndisplay(HTML({SVG!r}))\ndef pool(h, p):\n    return h.sum(1)",
            "metadata": {},
            "outputs": [output],
        },
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"title": SVG}, "cells": cells}
    (cohort / "svg_in_a_notebook.ipynb").write_text(json.dumps(notebook))
