"""A change at every position, one after another."""

import torch


def check_causal(model):
    was_training = model.training
    model.eval()
    try:
        ids = torch.randint(model.vocab_size, (1, 7))
        with torch.inference_mode():
            before = model(ids)
            for position in range(1, 7):
                changed = ids.clone()
                changed[0, position] = (ids[0, position] + 3) % model.vocab_size
                moved = (model(changed) - before)[0, :position].abs().amax()
                if moved > 1e-4:
                    raise AssertionError(f"token {position} moves an earlier position by {moved:.3g}")
    finally:
        model.train(was_training)
