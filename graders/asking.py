"""The calls of one check: each draws from its own random stream, is recorded, and its answer is wrapped.

What the student's code raises, and what ends a guest, passes through as the sandbox's own exceptions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from graders.calls import Call, Record, copied
from graders.capping import MemoryCap
from graders.remote_module import RemoteModule, modules, sent
from sandbox.errors import StudentRaised
from sandbox.inside.values import Opaque

if TYPE_CHECKING:
    from sandbox import Gradients, Guest

FindGuest = Callable[[str | None], "Guest"]  # the guest in which this name (None: the main program) is found
_Ask = Callable[[tuple[Any, ...], dict[str, Any]], Any]  # with the arguments as they are sent


class Asker:
    """Asks a submission's guests for one check, in the grading dtype."""

    def __init__(
        self, find_guest: FindGuest, dtype: torch.dtype, seed: int, record: Record, asked: str | None
    ) -> None:
        self.find_guest = find_guest
        self.dtype = dtype
        self.seed = seed  # of the last call
        self.record = record
        self.asked = asked  # a name that the exercise asks for: torch's modules are made beside it
        self.cap: MemoryCap | None = None
        self._same_draws = False

    def guest_of(self, name: str) -> Guest:
        """Return the guest in which a class is: one of the student's, or torch's, as "nn.Linear"."""
        return self.find_guest(self.asked if name.startswith("nn.") else name)

    def draw_as(self, seed: int) -> None:
        """Let the next call draw the same random numbers as the one that had this seed."""
        self.seed, self._same_draws = seed, True

    def repeat_draws(self) -> None:
        """Let the next call draw the same random numbers as the last one."""
        self.draw_as(self.seed)

    def next_seed(self) -> int:
        """Return the seed of the next call."""
        if self._same_draws:
            self._same_draws = False
            return self.seed
        # Each call has its own stream, or dropout would draw the same mask in every call.
        self.seed = (self.seed * 6364136223846793005 + 1442695040888963407) % 2**63
        return self.seed

    def note(self, answer: Any, cast: torch.dtype | None = None) -> None:
        """Note whether an answer is less exact than `cast`, what a check cast to, or the grading dtype."""
        self.record.note(answer, cast or self.dtype)

    def ask(self, guest: Guest, call: Call, ask: _Ask) -> Any:
        """Make a call, record it, and return its answer with handles of modules wrapped."""
        args, kwargs = sent(call.args), sent(call.kwargs)
        call.seed = self.next_seed()
        call.modes = {id(module): module._training for module in modules(call)}
        call.states = {id(module): module._loaded for module in modules(call)}
        self.record.begin(call)
        if len(self.record.current) > 1:
            # An earlier answer to the same case may be in it, and no submission meets another's answers.
            guest.asks_by_answers()
        try:
            cap = self.cap
            answer = ask(args, kwargs) if cap is None else cap.hold(guest, lambda: ask(args, kwargs))
        except StudentRaised as raised:
            call.raised = (raised.type_name, raised.message)
            self.record.answers += 1
            raise
        for module in modules(call):
            if module is not call.module:
                module._loaded = None  # the student's function may have changed it
        # A check may have cast the module to float32 itself: then such an answer is what was asked for.
        cast = call.module._cast if isinstance(call.module, RemoteModule) else None
        self.note(answer, cast)
        # Not the module itself: the call that made it and the module would keep each other alive.
        self.record.end(call, answer)
        return self._wrapped(answer, guest, call)

    def _wrapped(self, value: Any, guest: Guest, made_by: Call) -> Any:
        if isinstance(value, Opaque) and value.is_module:
            return RemoteModule(self, guest, value, made_by)
        if type(value) in (list, tuple):
            return type(value)(self._wrapped(item, guest, made_by) for item in value)
        return value

    def with_inputs(self, guest: Guest, target: str | Opaque, call: Call) -> tuple[Any, tuple[Any, ...]]:
        """Make a call; return the answer, and the positional arguments as they are after it."""
        after: list[tuple[Any, ...]] = []

        def ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            kept = guest.ask(target, args, kwargs, seed=call.seed, keep_inputs=True)
            after.append(tuple(kept.args))
            call.after = copied(after[0])
            return kept.value

        answer = self.ask(guest, call, ask)
        return answer, after[0]

    def gradients(self, guest: Guest, target: str | Opaque, call: Call, cotangent_seed: int) -> Gradients:
        """Make a call, and return the gradients of sum(output · N(cotangent_seed))."""
        found: list[Gradients] = []

        def ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            found.append(guest.gradients(target, args, kwargs, cotangent_seed, seed=call.seed))
            call.cotangent_seed, call.gradients = cotangent_seed, found[0].inputs
            call.parameter_gradients = found[0].parameters
            return found[0].output

        self.ask(guest, call, ask)
        return found[0]
