# Finds the wire and writes frames of its own: each function is one kind of frame that no honest guest sends.
import os
import struct
import threading
import time

WIRE = 3


def send(header, body=b"", header_size=None, body_size=None):
    prefix = struct.pack(
        "<IQ",
        len(header) if header_size is None else header_size,
        len(body) if body_size is None else body_size,
    )
    os.write(WIRE, prefix + header + body)


def answer(number, value=True):
    import msgspec

    return msgspec.msgpack.encode({"type": "answered", "id": number, "value": value})


def never():
    time.sleep(3600)


def twice():
    """The right answer to the question, before the real one: two answers to one question."""
    for number in range(1, 6):
        send(answer(number))


def early():
    """The answer to the next question, before it is asked."""
    threading.Timer(0.15, lambda: send(answer(10**6))).start()


def wrong_id():
    send(answer(999))
    never()


def wrong_type():
    import msgspec

    send(msgspec.msgpack.encode({"type": "loaded", "id": 2, "cells": [], "notes": [], "seconds": 0.0}))
    never()


def unknown_type():
    import msgspec

    send(msgspec.msgpack.encode({"type": "verdict", "id": 2, "value": "passed"}))
    never()


def garbage():
    os.write(WIRE, os.urandom(4096))
    never()


def text():
    os.write(WIRE, b'{"verdict": "passed", "points": 100}\n' * 20)
    never()


def long_header():
    send(b"", header_size=2**32 - 1)
    never()


def long_body():
    send(answer(2), body_size=2**60)
    never()


def cut_short():
    send(answer(2), body=b"x" * 100, body_size=10_000)
    os.close(WIRE)
    never()


def cut_short_and_wait():
    send(answer(2), body_size=10_000)
    never()


def closes():
    os.close(WIRE)
    never()


def deep():
    """A value nested 100,000 deep, in msgpack by hand: tuples of one."""
    inner = b"\x92\xa1t\x91" * 100_000 + b"\xc0"
    send(b"\x83\xa4type\xa8answered\xa2id\x02\xa5value" + inner)
    never()


def wide():

    send(answer(2, ["l", [None] * 3_000_000]))
    never()


def million_keys():

    send(answer(2, ["d", [str(n) for n in range(300_000)], [None] * 300_000]))
    never()


def keys_disagree():
    send(answer(2, ["d", ["a", "b"], [1]]))
    never()


def no_such_tensor():
    send(answer(2, ["x", 7]))
    never()


def negative_tensor():
    send(answer(2, ["x", -1]))
    never()


def table(text, data=b"", value=("x", 0)):
    text += b" " * (-len(text) % 8)
    send(answer(2, list(value)), len(text).to_bytes(8, "little") + text + data)
    never()


def terabytes():
    table(b'{"0":{"dtype":"F32","shape":[1000000,1000000],"data_offsets":[0,4000000000000]}}')


def negative_shape():
    table(b'{"0":{"dtype":"F32","shape":[-1,-4],"data_offsets":[0,16]}}', bytes(16))


def zero_overflow():
    table(b'{"0":{"dtype":"F32","shape":[0,9000000000000000000,9000000000000000000],"data_offsets":[0,0]}}')


def shape_disagrees():
    table(b'{"0":{"dtype":"F32","shape":[3],"data_offsets":[0,16]}}', bytes(16))


def overlapping():
    table(
        b'{"0":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"1":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}',
        bytes(16),
    )


def out_of_range():
    table(b'{"0":{"dtype":"F32","shape":[4],"data_offsets":[1000,1016]}}', bytes(16))


def unknown_name():
    table(b'{"weights":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}', bytes(16))


def unknown_dtype():
    table(b'{"0":{"dtype":"F31","shape":[4],"data_offsets":[0,16]}}', bytes(16))


def left_over():
    table(b'{"0":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', bytes(4000))


def table_too_long():
    send(answer(2, ["x", 0]), (2**63).to_bytes(8, "little") + bytes(64))
    never()


def table_is_pickle():
    import pickle

    send(answer(2, ["x", 0]), pickle.dumps(print))
    never()


def unknown_dtype_value():
    send(answer(2, ["y", "float63"]))
    never()


def not_text():
    send(b"\x83\xa4type\xa8answered\xa2id\x02\xa5value\xa4\xff\xfe\xfd\xfc")
    never()


def negative_id():
    send(answer(-1))
    never()


def large_tensor_of_nothing():
    table(b'{"0":{"dtype":"F32","shape":[0,1000000000000],"data_offsets":[0,0]}}', value=("x", 0))
