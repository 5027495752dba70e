"""What a guest is told of a call that failed: what it gave, and nothing of what it called.

What is held is told apart by its answers alone. The words of an exception would tell it apart by its making:
a TypeError names the function, and the words of a shape that does not fit are those of the operation that
met it. So what is raised travels as it is only where the held thing's own code says so with `raise`.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import FunctionType, MethodType, TracebackType
from typing import Any

import torch

_MOST_WORDS = 1000
_MOST_ARGUMENTS = 8
_RAISE = dis.opmap["RAISE_VARARGS"]


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The arguments that it takes; None where they cannot be told."""
    if isinstance(function, torch.nn.Module):
        function = function.forward
    plain = getattr(function, "__func__", function)
    if isinstance(plain, FunctionType):
        return _signature(plain, plain is not function)
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


@lru_cache(256)
def _signature(function: FunctionType, bound: bool) -> inspect.Signature | None:
    """Of a function, or of a method made of it: the same is lent to every submission."""
    try:
        return inspect.signature(MethodType(function, object()) if bound else function)
    except (TypeError, ValueError):
        return None


def misfit(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> str | None:
    """Say how a call does not fit; nothing is said that the call did not bring. None where it fits."""
    if signature is None:
        return None
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        pass
    else:
        return None
    kinds = {one.kind for one in signature.parameters.values()}
    named = [
        name
        for name, one in signature.parameters.items()
        if one.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    ]
    if inspect.Parameter.VAR_KEYWORD not in kinds and (
        unknown := [name for name in kwargs if name not in named]
    ):
        return f"it takes no argument that is called {unknown[0][:100]!r}"
    try:
        signature.bind_partial(*args, **kwargs)
    except TypeError:
        return f"it takes fewer arguments than {_given(args, kwargs)}, or one was given twice"
    return f"it takes more arguments than {_given(args, kwargs)}"


def failure(error: Exception, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[str, str]:
    """The built-in type and the words of what a held thing raised, as the guest is told.

    An AssertionError would pass for one of the student's test.
    """
    if not _says_so(error.__traceback__):
        return "RuntimeError", f"it cannot be called with {_given(args, kwargs)}"
    name = _builtin(error)
    return "RuntimeError" if name == "AssertionError" else name, words(error)


def words(error: Exception) -> str:
    """The message, as text that can be sent."""
    text = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else str(error)
    return text[:_MOST_WORDS].encode("utf-8", "replace").decode()


def _says_so(traceback: TracebackType | None) -> bool:
    """Whether a `raise` of an author's raised it: not Python, not torch."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    if package == "torch" or package in sys.stdlib_module_names:
        return False
    return frame.f_code.co_code[traceback.tb_lasti] == _RAISE


def _builtin(error: Exception) -> str:
    """The name of the built-in exception that this one is made from."""
    kinds: list[str] = [
        kind.__name__ for kind in type(error).__mro__ if vars(builtins).get(kind.__name__) is kind
    ]
    return kinds[0]


def _given(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    given = [_described(value) for value in args]
    given += [f"{name[:100]}={_described(value)}" for name, value in kwargs.items()]
    shown = given[:_MOST_ARGUMENTS] + ["…"] * (len(given) > _MOST_ARGUMENTS)
    return f"({', '.join(shown)})".encode("utf-8", "replace").decode()[:_MOST_WORDS]


def _described(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')} of shape {tuple(value.shape)}"
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    return f"a {type(value).__name__}"
