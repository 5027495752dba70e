# Fills the recording with as many and as large calls as it can.
# kind: resources
# exercise: looking
# verdicts: passed failed
# says: No row of the weights that were computed is printed.
import torch

for size in range(2, 200):
    torch.zeros(1, size, size).softmax(-1)
for size in range(60):
    torch.zeros(1, 900 + size, 1000).softmax(-1)
