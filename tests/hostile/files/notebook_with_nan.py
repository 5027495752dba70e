# Hands in a notebook with NaN and infinities, where JSON has none, in the places of numbers that are used.
# kind: loading and files
# verdicts: passed
SOURCE = "def pool(h, p):\\n    real = (~p).unsqueeze(-1).to(h.dtype)\\n    return (h * real).sum(1) / real.sum(1)"


def make(folder):
    cell = (
        '{"cell_type": "code", "execution_count": NaN, "metadata": {"x": Infinity}, '
        '"outputs": [{"output_type": "execute_result", "data": {"text/plain": -Infinity}}], "source": "' + SOURCE + '"}'
    )
    (folder / "pooling.ipynb").write_text('{"nbformat": 4, "nbformat_minor": 1e400, "cells": [' + cell + "]}")
    return folder / "pooling.ipynb"
