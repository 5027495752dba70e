# Saves and loads models and arrays, also mapped into memory.
import numpy as np
import torch


def f():
    torch.save({"a": torch.ones(3)}, "model.pt")
    array = np.memmap("array", dtype="f4", mode="w+", shape=(10,))
    array[:] = 1
    array.flush()
    loaded = torch.load("model.pt", mmap=True)["a"]
    return float(loaded.sum()) == 3.0 and float(np.memmap("array", dtype="f4", mode="r").sum()) == 10.0
