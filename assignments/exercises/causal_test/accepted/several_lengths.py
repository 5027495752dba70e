"""Several lengths up to max_len, evaluation mode and seeded training mode."""

import torch


def check_causal(model):
    generator = torch.Generator().manual_seed(0)
    for training in (False, True):
        model.train(training)
        for length in (2, 17, model.max_len):
            ids = torch.randint(0, model.vocab_size, (3, length), generator=generator)
            cut = length // 2
            changed = torch.cat([ids[:, :cut], model.vocab_size - 1 - ids[:, cut:]], dim=1)
            changed[:, -1] = (ids[:, -1] + 1) % model.vocab_size
            torch.manual_seed(1)
            one = model(ids).detach()
            torch.manual_seed(1)
            two = model(changed).detach()
            torch.testing.assert_close(one[:, :cut], two[:, :cut], rtol=1e-4, atol=1e-4)
