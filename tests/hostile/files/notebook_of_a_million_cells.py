# Hands in a notebook of a hundred thousand cells.
# kind: loading and files
# status: unreadable
# says: pooling.ipynb has more than 10,000 cells, more than can be graded; hand in the notebook that you worked in.
import json


def make(folder):
    cell = json.dumps({"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": []})
    (folder / "pooling.ipynb").write_text('{"nbformat": 4, "cells": [' + ",".join([cell] * 100_000) + "]}")
    return folder / "pooling.ipynb"
