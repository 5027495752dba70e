# Hands in a notebook with a hundred megabytes of outputs.
# kind: loading and files
# status: unreadable
# says: pooling.ipynb holds 100.0 MB, more than the 20.0 MB that one file may hold; clear all outputs, save it and hand it in again.
import json


def make(folder):
    output = json.dumps({"output_type": "stream", "name": "stdout", "text": "x" * 2**20})
    cell = '{"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": [' + ",".join([output] * 100) + "]}"
    (folder / "pooling.ipynb").write_text('{"nbformat": 4, "cells": [' + cell + "]}")
    return folder / "pooling.ipynb"
