# Replaces the loop that answers by one of its own, with the modules that the loop is made of.
# kind: forging the result
# verdicts: failed
# says: Wrong values in the output: the largest difference is 0.5 at [0, 0]; 2.5 came, 2 was expected.
import os
import socket
import sys

import msgspec
import torch

questions, wire, values = (sys.modules[f"inside.{name}"] for name in ("questions", "wire", "values"))
inside_serving = sys.modules["inside.serving"]


def send(connection, header, body):
    outgoing = wire.Outgoing(header, body)
    while not outgoing.done:
        outgoing.send(connection)


def serve(connection, reader):
    send(connection, msgspec.msgpack.encode(questions.Loaded(1, [], [], 0.0)), [])
    decode = msgspec.msgpack.Decoder(questions.Question).decode
    while (arrived := wire.read_frame(connection, reader)) is not None:
        question = decode(arrived[0])
        encoder = values.Encoder(lambda value: None)
        node = encoder.encode(torch.tensor([[2.5]], dtype=torch.float64))
        send(connection, msgspec.msgpack.encode(questions.Answered(question.id, node)), encoder.body())
    os._exit(0)


serve(socket.socket(fileno=3), wire.FrameReader(wire.MAX_QUESTION_HEADER))
