# Fills the recording with as many and as large calls as it can, of shapes that never come twice.
import torch

for size in range(2, 400):
    torch.zeros(1, size, size).softmax(-1)
for size in range(600):
    torch.zeros(1, 900 + size, 1000).softmax(-1)
