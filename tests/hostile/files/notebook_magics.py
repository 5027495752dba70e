# Hands in a notebook of commands for the machine: shells, files, downloads, other notebooks.
# kind: loading and files
# verdicts: passed
# says: !touch was skipped: there is no shell while a submission is graded
# says: %%bash was skipped: it is not available while a submission is graded
# says: %pip was skipped: nothing can be installed while a submission is graded
import json

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    sources = [
        "!touch /tmp/attest-host-canary/shell",
        "%%bash\ntouch /tmp/attest-host-canary/bash",
        "%%writefile /packages/torch/hostile.py\nx = 1",
        "%run /etc/passwd",
        "%pip install hostile",
        "%load_ext autoreload",
        HONEST,
    ]
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    (folder / "pooling.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    return folder / "pooling.ipynb"
