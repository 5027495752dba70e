"""With the assertions of unittest."""

import unittest

import torch


def check_causal(model):
    case = unittest.TestCase()
    model.eval()
    ids = torch.randint(0, model.vocab_size, (1, 8))
    other = ids.clone()
    other[:, -2:] = (other[:, -2:] + 5) % model.vocab_size
    with torch.no_grad():
        one, two = model(ids), model(other)
    case.assertEqual(one.shape, (1, 8, model.vocab_size))
    case.assertLess((one - two)[:, :6].abs().max().item(), 1e-4)
