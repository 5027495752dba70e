# Loads batches in worker processes.
import torch
from torch.utils.data import DataLoader, TensorDataset


def f():
    batches = DataLoader(TensorDataset(torch.arange(8)), batch_size=2, num_workers=2)
    return sum(int(batch.sum()) for (batch,) in batches) == 28
