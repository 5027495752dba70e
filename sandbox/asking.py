"""How a guest is asked: a question is sent and waited for, and the answer checked, being a stranger's word.

A guest that breaks the rules of the conversation is stopped; one that is dead says the same again each time.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec

from .ahead import Ahead, Foreseen, numbered
from .errors import (
    GuestCrashed,
    GuestGone,
    GuestMemory,
    HeldMisused,
    NameMissing,
    NoHidden,
    SandboxBroken,
    StudentRaised,
)
from .exchange import Descriptors, Died, Exchange, describe_end, not_an_answer
from .handles import Handles
from .inside.questions import (
    Answer,
    Answered,
    Call,
    Load,
    Missing,
    OpaqueNode,
    Operate,
    Question,
    Raised,
    Refused,
)
from .inside.values import OUT_OF_MEMORY, Decoder, Encoder, Opaque, Value, tensors_of
from .inside.wire import FrameError
from .lending import Lent, Outward
from .limits import Limits

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Answer).decode

_REAPING_SECONDS = 10.0
_SETTLING_SECONDS = 2.0


class Asking:
    """The conversation with one guest, over `ends`; `reap` tells how its first process ended."""

    def __init__(self, ends: Descriptors, limits: Limits, reap: Callable[[], int]) -> None:
        self._ends = ends
        self._limits = limits
        self._reap = reap
        self._ids = itertools.count(1)
        self._reaped = self._lending = False
        self._ahead = Ahead()
        self._modes: dict[int, bool] = {}  # by handle: to be set with the next question
        self.handles = Handles()
        self.exchange = Exchange(ends, limits)

    def greet(self, seconds: float) -> None:
        """Wait for the guest's first word. Raises GuestGone."""
        self._checked(0, *self.exchange.greeting(seconds))

    def number(self) -> int:
        """That of the next question."""
        return next(self._ids)

    def operate(
        self, operation: str, kind: Any, /, *args: Value, draws: int | None = None, **kwargs: Value
    ) -> Value:
        """Have an operation done; what comes of it is built as `kind` says.

        `draws` seeds torch, numpy and random in the guest just before.
        """
        encoder = Encoder(_cannot_send)
        nodes = encoder.encode(args), encoder.encode(kwargs)
        self.handles.check(encoder.handles)
        value = self.value(Operate(self.number(), operation, *nodes, seed=draws), encoder.body())
        return self.shaped(value, kind)

    def value(
        self,
        question: Call | Operate,
        body: list[bytes | memoryview],
        repeatable: bool = False,
        lent: Lent | None = None,
    ) -> Value:
        """The value that a question asks for; `repeatable` is one that any submission can be asked."""
        if self._lending:
            raise HeldMisused("what is held asks the guest while the guest waits for it")
        self._ahead.note(question if repeatable and isinstance(question, Call) else None, body)
        limits = self._limits
        number = self._ahead.take(question, body) if isinstance(question, Call) else None
        if number is None:
            if self._modes:
                question = msgspec.structs.replace(question, modes=self._modes)
                self._modes = {}
            self._give_up_ahead(limits.check_seconds, limits.check_cpu_seconds)
            answer, tensors = self.ask(question, body, limits.check_seconds, limits.check_cpu_seconds, lent)
        else:
            answer, tensors = self._take(number, limits.check_seconds, limits.check_cpu_seconds)
        if not isinstance(answer, Answered):
            self.refuse("a wrong kind of answer")
        try:
            return Decoder(tensors_of(tensors), self._opaque).decode(answer.value)
        except FrameError as error:
            self.refuse(str(error))
        except RecursionError:
            self.refuse("a value that is too deep")

    def set_mode(self, handle: int, training: bool) -> None:
        """Set a module's mode with the next question."""
        self.handles.check([handle])
        self._modes.pop(handle, None)  # the last word counts, in its place
        self._modes[handle] = training

    def send_ahead(self, ahead: tuple[Foreseen, ...]) -> None:
        """Have the guest work on calls that have not been asked yet."""
        sent = [(self.number(), one) for one in ahead]
        self._ahead = Ahead(sent)
        self.exchange.send_ahead([(_encode(numbered(one.call, n)), [one.body]) for n, one in sent])

    def asked(self) -> tuple[Foreseen, ...]:
        """The calls that this check began with, as far as any submission can be asked the same."""
        return self._ahead.asked()

    def asks_by_answers(self) -> None:
        """Note that what is asked from here on is this submission's own."""
        self._ahead.note_no_more()

    def settle(self) -> None:
        """Take the answers that nobody asked for; a guest that does not give them soon is ended."""
        if self._ahead.waiting:
            used = self.exchange.seconds, self.exchange.cpu_seconds()
            self._give_up_ahead(used[0] + _SETTLING_SECONDS, used[1] + _SETTLING_SECONDS)

    def ask(
        self,
        question: Question,
        body: list[bytes | memoryview],
        seconds: float,
        cpu: float,
        lent: Lent | None = None,
    ) -> tuple[Answer, bytearray]:
        """Ask, and take the answer with its tensors as they came."""

        def ask(frame: Outward) -> tuple[bytes, bytearray]:
            return self._frame(lambda: self.exchange.ask(*frame, seconds, cpu))

        frame = ask((_encode(question), body))
        if lent:
            self._lending = True
            try:
                frame = lent.serve(question.id, frame, self.exchange, ask, (seconds, cpu))
            finally:
                self._lending = False
        return self._checked(question.id, *frame, question)

    def _take(self, number: int, seconds: float, cpu: float) -> tuple[Answer, bytearray]:
        return self._checked(number, *self._frame(lambda: self.exchange.take_ahead(seconds, cpu)))

    def _frame(self, wait: Callable[[], tuple[bytes, bytearray]]) -> tuple[bytes, bytearray]:
        """What `wait` returns; where the guest died meanwhile, how it ended is found out and raised."""
        try:
            return wait()
        except Died:
            self.find_end()
            assert self.exchange.end is not None
            raise self.exchange.end from None

    def _give_up_ahead(self, seconds: float, cpu: float) -> None:
        """Take the answers to what was sent ahead and will not be asked for, and look at none.

        `seconds` and `cpu` are for all of them together, counted as in every question of the check.
        """
        try:
            while self._ahead.waiting:
                self._ahead.drop()
                self.exchange.take_ahead(seconds, cpu)
        except Died:
            self.find_end()
        except GuestGone:
            pass  # what is asked next raises it

    def _checked(
        self, number: int, header: bytes, tensors: bytearray, question: Question | None = None
    ) -> tuple[Answer, bytearray]:
        try:
            answer = _decode(header)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError) as error:
            self.refuse(str(error)[:200])
        if answer.id != number:
            self.refuse("an answer to another question")
        if isinstance(answer, Raised):
            raise _raised(answer)
        if isinstance(answer, Missing):
            if not _is_name(answer.name):
                self.refuse("a name that is none")
            raise NameMissing(answer.name[:200], tuple(filter(_is_name, answer.nearest[:3])))
        if isinstance(answer, Refused):
            self._refused(answer, question)
        return answer, tensors

    def _opaque(self, node: OpaqueNode) -> Opaque:
        return self.handles.given(Opaque(node.id, node.type_name[:200], node.is_module, node.text[:300]))

    def _refused(self, answer: Refused, question: Question | None) -> NoReturn:
        """A refusal is the guest's word: it stands only where the question could be refused so."""
        reason = answer.reason[:300]
        if answer.kind == "no_device" and isinstance(question, Load):  # before it has run any student code
            raise SandboxBroken(f"CUDA does not work in a guest: {reason}; run: attest doctor")
        if answer.kind == "no_hidden" and isinstance(question, Operate) and "hidden" in question.operation:
            raise NoHidden(reason)
        if answer.kind == "too_large":
            raise StudentRaised("AnswerTooLarge", f"the answer cannot be sent: {reason}")
        self.refuse(f"a refusal ({reason})")

    def shaped(self, value: Value, kind: Any) -> Any:
        """The value, if it is built as `kind` says: a guest may send anything."""
        try:
            return msgspec.convert(value, kind)
        except (msgspec.ValidationError, RecursionError):
            self.refuse("an answer of another kind than was asked for")

    def refuse(self, what: str) -> NoReturn:
        """Stop a guest that has sent what is no answer."""
        raise self.exchange.stop(not_an_answer(what))

    def find_end(self) -> None:
        """Wait until nothing of the guest is left, and learn how it ended."""
        if not self._ends.process.ended(_REAPING_SECONDS):
            raise SandboxBroken(
                f"a guest was still there {_REAPING_SECONDS:g} s after it was killed; restart the run"
            )
        if self._reaped:
            return
        self._reaped = True
        status = self._reap()
        if isinstance(self.exchange.end, Died):
            group = self.exchange.group
            killed = group is not None and group.killed()
            out_of_memory = killed or os.waitstatus_to_exitcode(status) == OUT_OF_MEMORY
            self.exchange.end = (
                GuestMemory(self.exchange.memory_cap) if out_of_memory else GuestCrashed(describe_end(status))
            )


def _cannot_send(value: object) -> OpaqueNode:
    raise TypeError(f"a {type(value).__name__} cannot be sent to a guest")


def error_fields(raised: Raised) -> tuple[str, str, tuple[str, ...], bool]:
    """What an exception of the student's code says, cut to what is kept."""
    lines = tuple(line[:300] for line in raised.traceback[:40])
    return raised.type_name[:200], raised.message[:4000], lines, raised.memory


def _raised(raised: Raised) -> StudentRaised:
    bases = tuple(name[:200] for name in raised.bases[:20])
    return StudentRaised(*error_fields(raised), assertion=raised.assertion, bases=bases)


def _is_name(text: str) -> bool:
    """Whether it can be a name, or one in another; anything else would be a guest's own words."""
    return len(text) <= 200 and all(part.isidentifier() for part in text.split("."))
