# Comes with files named torch.py, numpy.py, sitecustomize.py, conftest.py and random.py, and imports them.
import random

import conftest
import numpy
import torch


def attempt():
    return [torch.__file__, numpy.__file__, random.__file__, conftest.__file__, torch.ones(1)]
