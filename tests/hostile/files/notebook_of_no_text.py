# Hands in a notebook whose cells are numbers, lists of lists and nothing, in the place of text.
# kind: loading and files
# verdicts: passed
# says: pooling.ipynb: code cell 1 has no readable source and was left out.
# says: pooling.ipynb: code cell 3 has no readable source and was left out.
# says: pooling.ipynb: code cell 4 has no readable source and was left out.
# says: pooling.ipynb: code cell 5 has no readable source and was left out.
# says: pooling.ipynb: code cell 6 has no readable source and was left out.
# says: pooling.ipynb: cell 7 is no notebook cell and was left out.
# says: pooling.ipynb: cell 8 is no notebook cell and was left out.
# says: pooling.ipynb: cell 9 is no notebook cell and was left out.
import json

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    sources = [7, None, [[["x"]]], {"a": 1}, [1, "x = 1"], True]
    cells = [{"cell_type": "code", "source": source, "metadata": None, "outputs": 5} for source in sources]
    cells += [{"cell_type": ["code"]}, 5, None, {"cell_type": "code", "source": HONEST}]
    (folder / "pooling.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    return folder / "pooling.ipynb"
