# Hands in a notebook of a format that does not exist.
# kind: loading and files
# status: unreadable
# says: pooling.ipynb says nbformat 1e+20, expected 3 or 4; open it in Jupyter or Colab, save it, and hand in the .ipynb file in that format.


def make(folder):
    (folder / "pooling.ipynb").write_text('{"nbformat": 99999999999999999999, "cells": {"length": 1e9}}')
    return folder / "pooling.ipynb"
