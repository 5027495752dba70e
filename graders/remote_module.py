"""A module of the student's that lives in the guest, as a check sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import torch

from graders.calls import Call
from graders.comparing import CheckFailure
from sandbox.errors import NoHidden

if TYPE_CHECKING:
    from graders.asking import Asker
    from graders.student import Student
    from sandbox import Gradients, Guest, Opaque, ParameterInfo, SubmoduleInfo

# By guest and handle: the names of a module's parameters when they were last asked for; None: not to be had.
trained_names: WeakKeyDictionary[Guest, dict[int, frozenset[str] | None]] = WeakKeyDictionary()


class RemoteModule:
    """A module that lives in the guest."""

    def __init__(self, asker: Asker, guest: Guest, handle: Opaque, made_by: Call) -> None:
        self._asker = asker
        self._guest = guest
        self._handle = handle
        self._made_by = made_by
        self._training = True
        self._loaded: Mapping[str, torch.Tensor] | None = None  # its state, where the check has set it
        self._cast: torch.dtype | None = None  # the dtype that a check has cast it to itself
        guest.handles.hold(handle)

    def __del__(self) -> None:
        self._guest.handles.drop(self._handle)

    def asked_by(self, student: Student) -> RemoteModule | None:
        """Return this module as another check of the same submission asks it; None if it is gone.

        So checks may share what takes long to build: in a fixture of their file with scope="module".
        """
        asker = student._asker
        guest = asker.guest_of(self._made_by.name)
        if guest is not self._guest:
            return None  # a new guest has replaced its own, or it is another submission's
        shared = RemoteModule(asker, guest, self._handle, self._made_by)
        shared._training, shared._loaded, shared._cast = self._training, self._loaded, self._cast
        return shared

    def made_again(self, student: Student) -> RemoteModule:
        """Return what the same call makes, drawing the same random numbers, where `student` asks it."""
        made_by = self._made_by
        student._asker.draw_as(made_by.seed)
        return student.build(made_by.name, *made_by.args, **made_by.kwargs)

    @property
    def text(self) -> str:
        """A few words for what it is."""
        return self._handle.text

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(args, kwargs)

    def no_grad(self, *args: Any, **kwargs: Any) -> Any:
        """Call under torch.no_grad()."""
        return self._call(args, kwargs, grad=False)

    def method(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call one of its methods."""
        return self._call(args, kwargs, method=name)

    def with_inputs(self, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Call it; return the answer, and the positional arguments as they are after the call."""
        return self._asker.with_inputs(self._guest, self._handle, self._call_of(args, kwargs))

    def eval(self) -> Self:
        """Put it into evaluation mode."""
        return self._mode(False)

    def train(self) -> Self:
        """Put it into training mode."""
        return self._mode(True)

    def double(self) -> Self:
        """Cast its floating-point parameters and buffers to the grading dtype."""
        self._guest.cast(self._handle, self._asker.dtype)
        self._loaded = self._cast = None
        return self

    def to(self, dtype: torch.dtype) -> Self:
        """Cast its floating-point parameters and buffers to `dtype`."""
        self._guest.cast(self._handle, dtype)
        self._loaded, self._cast = None, dtype
        return self

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Return copies of its parameters and buffers."""
        return self._guest.state_dict(self._handle)

    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Set its parameters and buffers; keys and shapes must match."""
        self._guest.load_state_dict(self._handle, state)
        self._loaded = state

    def parameters(self) -> tuple[ParameterInfo, ...]:
        """Return name, shape, dtype and requires_grad of every parameter."""
        found = self._guest.parameters(self._handle)
        known = trained_names.setdefault(self._guest, {})
        known[self._handle.id] = frozenset(parameter.name for parameter in found)
        return found

    def parameter_count(self) -> int:
        """Return the number of elements of all its parameters."""
        return sum(torch.Size(parameter.shape).numel() for parameter in self.parameters())

    def submodules(self) -> tuple[SubmoduleInfo, ...]:
        """Return the qualified name and type name of everything it is built of."""
        return self._guest.submodules(self._handle)

    def gradients(self, *args: Any, cotangent_seed: int = 0, **kwargs: Any) -> Gradients:
        """Call, and return the gradients of sum(output · N(cotangent_seed)) for parameters and inputs."""
        call = self._call_of(args, kwargs)
        return self._asker.gradients(self._guest, self._handle, call, cotangent_seed)

    def hidden(self, *args: Any) -> torch.Tensor | None:
        """Return the last (batch, tokens, width) output inside it; None if there is none."""
        answer = self._guest.hidden(self._handle, *sent(args), seed=self._asker.next_seed())
        self._asker.note(answer)
        return answer

    def call_with_hidden(self, *args: Any, hidden: torch.Tensor, grad: bool = False) -> Any:
        """Call it with the last (batch, tokens, width) output inside it replaced by `hidden`.

        Fails the check where nothing inside it has such an output.
        """
        try:
            answer = self._guest.call_with_hidden(
                self._handle, *sent(args), hidden=hidden, grad=grad, seed=self._asker.next_seed()
            )
        except NoHidden:
            raise CheckFailure(
                f"Nothing inside {self._made_by.name} has an output of shape (batch, tokens, width), "
                "so what happens after the attention could not be looked at."
            ) from None
        self._asker.note(answer)
        self._asker.record.answers += 1
        return answer

    def _call(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: str | None = None, grad: bool = True
    ) -> Any:
        call = self._call_of(args, kwargs, method=method, grad=grad)
        return self._asker.ask(
            self._guest,
            call,
            lambda a, k: self._guest.ask(self._handle, a, k, method=method, grad=grad, seed=call.seed),
        )

    def _call_of(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: str | None = None, grad: bool = True
    ) -> Call:
        made_by = self._made_by
        return Call(made_by.name, args, kwargs, made_by=made_by, module=self, method=method, grad=grad)

    def _mode(self, training: bool) -> Self:
        self._guest.set_mode(self._handle, training)
        self._training = training
        return self

    def __repr__(self) -> str:
        return f"<{self._made_by.name} in the guest>"


def modules(call: Call) -> list[RemoteModule]:
    """Return the modules of the guest that a call has to do with."""
    values = (*call.args, *call.kwargs.values(), call.module)
    return [value for value in values if isinstance(value, RemoteModule)]


def sent(value: Any) -> Any:
    """Return a value as it is sent: modules in the guest as their handles."""
    if isinstance(value, RemoteModule):
        return value._handle
    if type(value) in (list, tuple):
        return type(value)(sent(item) for item in value)
    if isinstance(value, dict):
        return {key: sent(item) for key, item in value.items()}
    return value
