# Hands what was lent something that is small on the wire and fills the grader's memory when it is used.
# kind: resources
# exercise: telling
# verdicts: error
# says: AnswerTooLarge: the answer cannot be sent: a tensor of 4194304 MiB
import sys

import torch


def check_shift(shift):
    sys.modules["inside.held"].check_size = lambda *_: 0
    shift(torch.ones(1).expand(2**40))
