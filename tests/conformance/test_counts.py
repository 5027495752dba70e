"""What the kernel counts by user, whatever the namespaces, is each guest's own."""

from __future__ import annotations

from sandbox import Program
from tests.conformance.ground import Ground, on
from tests.sandbox.conftest import QUICK

SPENDER = """
import ctypes, os, signal, socket, struct

libc = ctypes.CDLL(None, use_errno=True)
pairs, timers = [], []

def spend():
    "As many descriptors on their way as there may be, some of them in circles, and as many timers."
    while libc.timer_create(1, None, ctypes.byref(timer := ctypes.c_void_p())) == 0:
        timers.append(timer)
    sent = 0
    try:
        while len(pairs) < 20:
            ours, theirs = socket.socketpair()
            pairs.append((ours, theirs))
            ours.setblocking(False)
            rights = [ours.fileno(), theirs.fileno()] * 100
            while True:
                ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("200i", *rights))])
                sent += len(rights)
    except OSError as error:
        return sent, len(timers), os.strerror(error.errno)

def lacks():
    found = []
    ours, theirs = socket.socketpair()
    try:
        socket.send_fds(ours, [b"x"], [0])
    except OSError as error:
        found.append(f"sending a descriptor: {error}")
    if libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())) != 0:
        found.append("a timer")
    return found
"""


@on("counts")
def test_what_the_kernel_counts_by_user_is_not_taken_from_a_neighbour(ground: Ground) -> None:
    spender = ground.load(SPENDER)
    with (
        ground.family.attach(QUICK) as beside,
        beside.guest({}, Program("script", "beside.py", (SPENDER,))) as neighbour,
    ):
        sent, timers, error = spender.call("spend")
        assert sent >= QUICK.open_files
        assert timers > 100
        assert error == "Too many references: cannot splice"
        assert spender.call("lacks") == [f"sending a descriptor: [Errno 109] {error}", "a timer"]
        neighbour.start_check()
        assert neighbour.call("lacks") == []


@on()
def test_what_a_guest_had_on_its_way_is_there_for_the_next_one(ground: Ground) -> None:
    for _ in range(3):
        ground.load(SPENDER).call("spend")
        for guest in ground.guests:
            guest.close()
        assert ground.load(SPENDER).call("lacks") == []
        ground.guests.pop().close()
