# Writes requests of its own for what it was handed: each function is one that no honest proxy sends.
import os
import struct
import sys
import time

import msgspec

questions = sys.modules["inside.questions"]
EMPTY = questions.TupleNode([]), questions.DictNode([], [])


def send(message, body=b""):
    header = msgspec.msgpack.encode(message)
    os.write(3, struct.pack("<IQ", len(header), len(body)) + header + body)


def callback(model, number=0, method=None, args=EMPTY[0], kwargs=EMPTY[1], **more):
    question = more.pop("question", None) or model._line._question
    return questions.Callback(question, number, method, args, kwargs, **more)


def never():
    time.sleep(3600)


def unknown_number(model):
    send(callback(model, number=1))
    never()


def negative_number(model):
    send(callback(model, number=-1))
    never()


def unknown_method(model):
    send(callback(model, method="__class__"))
    never()


def unknown_dtype(model):
    send(callback(model, dtype="complex128"))
    never()


def another_question(model):
    send(callback(model, question=10**6))
    never()


def no_arguments(model):
    send(callback(model, args=None))
    never()


def handle(model):
    send(callback(model, args=questions.TupleNode([questions.OpaqueNode(1, "x", False, "x")])))
    never()


def held_in_held(model):
    send(callback(model, args=questions.TupleNode([model._line.node])))
    never()


def missing_tensor(model):
    send(callback(model, args=questions.TupleNode([questions.TensorNode(0)])))
    never()


def wants_nothing(model):
    send(callback(model, wanted=[0]))
    never()


def body_of_noise(model):
    send(callback(model), b"x" * 64)
    never()


def body_too_large(model):
    send(callback(model), bytes(5 * 2**20))
    never()


def too_deep(model):
    node = None
    for _ in range(60):
        node = questions.TupleNode([node])
    send(callback(model, args=node))
    never()


def two_at_once(model):
    message = msgspec.msgpack.encode(callback(model))
    os.write(3, 2 * (struct.pack("<IQ", len(message), 0) + message))
    never()


def not_handed_over(model):
    """Without a held thing there is nothing to ask (see the test)."""
    send(questions.Callback(2, 0, None, *EMPTY))
    never()


def gradient_of_nothing(model):
    send(questions.Backward(model._line._question, 99, questions.TupleNode([])))
    time.sleep(0.1)
    return "alive"


def answer_in_its_place(model):
    send(questions.Answered(model._line._question, "forged"))
    never()
