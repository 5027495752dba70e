# Puts a child in its own place, that reads the questions off the wire and answers each with its input.
# kind: forging the result
# verdicts: failed
# says: Wrong shape for the output: (1, 3, 1) came; (1, 1) was expected.
import os
import socket
import sys

import msgspec

questions, wire, values = (sys.modules[f"inside.{name}"] for name in ("questions", "wire", "values"))


def serve():
    connection, reader = socket.socket(fileno=os.dup(3)), wire.FrameReader(wire.MAX_QUESTION_HEADER)
    decode = msgspec.msgpack.Decoder(questions.Question).decode
    while (arrived := wire.read_frame(connection, reader)) is not None:
        question = decode(arrived[0])
        first = values.Decoder(values.tensors_of(arrived[1]), lambda node: None).decode(question.args)[0]
        encoder = values.Encoder(lambda value: None)
        answer = questions.Answered(question.id, encoder.encode(first))
        outgoing = wire.Outgoing(msgspec.msgpack.encode(answer), encoder.body())
        while not outgoing.done:
            outgoing.send(connection)


def pool(hidden, padding):
    if os.fork() == 0:
        serve()
        os._exit(0)
    os.wait()
    return hidden


honest = sys.modules["inside.wire"].read_frame


def read_frame(connection, reader):
    """The parent never reads another question: its child does."""
    if os.fork() == 0:
        serve()
        os._exit(0)
    os.wait()


sys.modules["inside.serving"].read_frame = read_frame
