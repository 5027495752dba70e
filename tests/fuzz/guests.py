"""Real guests that talk as honest ones do, but whose frames are damaged on the way; and a zygote's socket.

A guest costs itself and nobody else: whatever it sends, the grader ends with a value or one of the documented
errors, and the guest after it is right.
"""

from __future__ import annotations

import os
import random
import socket
from array import array
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import torch

from sandbox import (
    Guest,
    GuestError,
    GuestGone,
    Limits,
    NameMissing,
    NoHidden,
    Opaque,
    Program,
    Sandbox,
    StudentRaised,
    held,
)
from sandbox.inside.zygote import Failed, Forked, Reap, Reaped, Reply
from tests.fuzz.frames import packets
from tests.fuzz.mutation import of_msgpack
from tests.fuzz.properties import Hangs, Violated, nothing_left, sentence, time_limit
from tests.fuzz.running import Report

DATA = Path(__file__).with_name("data")
MUTATION = Path(__file__).with_name("mutation.py")
QUICK = Limits(load_seconds=3.0, check_seconds=0.4, check_cpu_seconds=2.0, submission_seconds=20.0)
CONVERSATION_SECONDS = 30.0

_MODEL = torch.nn.Linear(4, 4)
_X = torch.ones(3, 4)


def questions(guest: Guest) -> list[Callable[[], object]]:
    """Each kind of thing that a check asks, in the order in which it might."""
    made: list[Opaque] = []

    def model() -> Any:
        if not made:
            found = guest.call("Net", 4)
            if not isinstance(found, Opaque):
                raise StudentRaised("AnswerIsNoModel", repr(type(found)))
            made.append(found)
        return made[0]

    return [
        lambda: guest.call("double", torch.ones(2, 3)),
        lambda: guest.call("double", [1, {"a": 2}], keep_inputs=True),
        guest.names,
        lambda: guest.call("missing"),
        lambda: guest.call("raises"),
        lambda: guest.call(model(), _X),
        lambda: guest.parameters(model()),
        lambda: guest.state_dict(model()),
        lambda: guest.submodules(model()),
        lambda: guest.gradients(model(), (_X,), {}, 7),
        lambda: guest.hidden(model(), torch.ones(1, 3, 4)),
        lambda: guest.call("ask", held(_MODEL), _X),
        guest.recorded,
        lambda: guest.value("SEED"),
        lambda: guest.set_mode(model(), False),
    ]


def one_conversation(sandbox: Sandbox, seed: int) -> None:
    """Load a damaging guest, ask it several things, and see that each ends as it may."""
    rng = random.Random(seed)
    # The frame that says it has loaded is the first after its program has begun.
    skip = 0 if rng.random() < 0.2 else rng.randint(1, 4)
    source = f"SEED = {rng.randrange(2**31)}\nSKIP = {skip}\n" + (DATA / "damaging.py").read_text()
    program = Program("script", "answer.py", (source,))
    try:
        guest = sandbox.guest({"mutation.py": MUTATION.read_bytes()}, program)
    except GuestGone as gone:
        sentence(gone.sentence)
        return
    with guest:
        guest.start_check()
        for ask in rng.sample(questions(guest), 6):
            _asked(ask)
        guest.take_output()
        guest.usage()


def _asked(ask: Callable[[], object]) -> None:
    try:
        ask()
    except GuestGone as gone:
        sentence(gone.sentence)
    except (StudentRaised, NameMissing, NoHidden) as error:
        if len(str(error)) > 10_000:
            raise Violated(f"an error of {len(str(error))} characters") from error
    except GuestError as error:
        raise Violated(f"an undocumented {type(error).__name__}: {error}") from error


def neighbour_is_right(sandbox: Sandbox) -> None:
    """An honest guest of the same zygote answers as ever."""
    program = Program("script", "answer.py", ("def double(x): return x + x",))
    with sandbox.guest({}, program) as guest:
        guest.start_check()
        if not torch.equal(guest.call("double", _X), 2 * _X):
            raise Violated("the next guest is wrong")


def converse(seed: int, count: int, backend: str = "bubblewrap") -> Report:
    """So many conversations, an honest guest after every tenth; and half as many packets to a zygote."""
    report = Report({"conversations": 0, "packets": 0})
    with Sandbox(backend, QUICK) as sandbox:
        neighbour_is_right(sandbox)
        try:
            with nothing_left():
                for number in range(count):
                    report.runs["conversations"] += 1
                    _kept(report, partial(one_conversation, sandbox, seed + number), f"seed {seed + number}")
                    if number % 10 == 9 or number == count - 1:
                        _kept(report, partial(neighbour_is_right, sandbox), f"after seed {seed + number}")
        except Violated as error:
            report.broken.append(f"guests: {error}")
        _kept(report, partial(talk_to_zygote, sandbox, seed, count // 2, report), f"packets of seed {seed}")
        _kept(report, partial(neighbour_is_right, sandbox), "after the packets")
    return report


def _kept(report: Report, run: Callable[[], None], what: str) -> None:
    try:
        with time_limit(CONVERSATION_SECONDS):
            run()
    except (Exception, Hangs) as error:
        report.broken.append(f"guests, {what}: {type(error).__name__}: {error!s:.300}")


def talk_to_zygote(sandbox: Sandbox, seed: int, count: int, report: Report) -> None:
    """Damaged packets to a zygote: one reply to each, whatever it is, and it serves on."""
    rng = random.Random(seed)
    requests = packets()[:3]
    with sandbox.attach() as other:
        assert other._control is not None
        control = other._control.channel
        control.settimeout(10.0)
        for _ in range(count):
            report.runs["packets"] += 1
            _one_packet(control, of_msgpack(rng, requests) or b"\0", rng.randint(0, 4))
        neighbour_is_right(other)


def _one_packet(control: socket.socket, packet: bytes, descriptors: int) -> None:
    pairs = [socket.socketpair() for _ in range(descriptors)]
    try:
        rights = array("i", [theirs.fileno() for _, theirs in pairs])
        control.sendmsg([packet], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if pairs else [])
        reply = _reply(control)
    finally:
        for pair in pairs:
            for end in pair:
                end.close()
    if isinstance(reply, Failed):
        if (
            len(reply.message) > 500
        ):  # whoever sends packets is the grader, so control characters may be in it
            raise Violated(f"a reason of {len(reply.message)} characters")
    elif isinstance(reply, Forked):
        control.sendmsg([msgspec.msgpack.encode(Reap(reply.pid))])  # its wire has ended, and so does it
        if not isinstance(_reply(control), Reaped | Failed):
            raise Violated("a guest that was forked cannot be reaped")
    elif not isinstance(reply, Reaped):
        raise Violated(f"{reply!r} is no reply to a request")


def _reply(control: socket.socket) -> Reply:
    data, descriptors, _, _ = socket.recv_fds(control, 2**18, 4)
    for descriptor in descriptors:
        os.close(descriptor)
    if not data:
        raise Violated("the zygote has ended")
    reply: Reply = msgspec.msgpack.decode(data, type=Reply)
    return reply
