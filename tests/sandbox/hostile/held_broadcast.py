# Has the grader compute what is far larger than what it hands over: by broadcasting, by answers, by graphs.
import sys

import torch


def dimensions(function):
    return said(function, ones(64, 64, 1, 1, 1, 1, 1, 1), ones(1, 1, 64, 64, 1, 1, 1, 1), ones(32, 1, 1, 1))


def sizes(function):
    return said(function, ones(64, 64, 1, 1), ones(64, 64, 1, 1, 1), ones(1, 1, 1))


def nested(function):
    return said(function, [ones(64, 64, 1, 1)], {"key": (ones(64, 64, 1, 1, 1),)}, 1)


def past_the_proxy(function):
    sys.modules["inside.held"].check_size = lambda *_: 0
    return [dimensions(function), sizes(function)]


def answer(function):
    return said(function, ones(64, 64))


def graphs(function):
    query, key, value = ones(64, 1, 16, 1), ones(1, 64, 16, 1), ones(1, 1, 16, 1).requires_grad_()
    for _ in range(12):
        function(query, key, value)
    return "made"


def ones(*shape):
    return torch.ones(shape)


def said(function, *args):
    try:
        return function(*args).shape
    except ValueError as error:
        return str(error)
