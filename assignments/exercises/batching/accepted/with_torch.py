"""torch.argsort and a torch.Generator; each batch is a tensor of indices."""
import torch


def make_batches(lengths, max_tokens, seed=0):
    generator = torch.Generator().manual_seed(seed)
    sizes = torch.tensor(lengths, dtype=torch.long)
    order = torch.randperm(len(lengths), generator=generator)
    order = order[sizes[order].sort(stable=True).indices]
    batches, start = [], 0
    for end in range(1, len(lengths) + 1):
        if end == len(lengths) or int(sizes[order[end]]) * (end - start + 1) > max_tokens:
            batches.append(order[start:end])
            start = end
    shuffled = torch.randperm(len(batches), generator=generator)
    return [batches[i] for i in shuffled]
