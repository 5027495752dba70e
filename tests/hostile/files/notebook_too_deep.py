# Hands in a notebook whose metadata is nested a hundred thousand deep.
# kind: loading and files
# status: unreadable
# says: pooling.ipynb is JSON nested more deeply than any notebook; open it in Jupyter or Colab, save it, and hand in the .ipynb file.


def make(folder):
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    (folder / "pooling.ipynb").write_text('{"nbformat": 4, "cells": [], "metadata": ' + deep + "}")
    return folder / "pooling.ipynb"
