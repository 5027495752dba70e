# Writes into everything that it gets of a held model, and into the model itself, and leaves it in another mode.
import copy

import torch


def attempt(model, x):
    model.train()
    first = model(x)
    with torch.no_grad():
        for value in (first, model.weights(), *model.parameters(), *model.state_dict().values()):
            value.zero_()
        model.double()
        model(x.double())
    model.vocab_size = 99
    model.forward = lambda x: 0
    model.train(True)
    return first


def reaches(model):
    """What can be found behind the proxy: nothing but the wire."""
    found = []
    names = ("linear", "weight", "target", "held", "__dict__")
    for name in names:
        found.append(str(getattr(model, name, None)))
    found += [str(vars(model._line)), str(copy.deepcopy(model).state_dict())]
    return " ".join(found)
