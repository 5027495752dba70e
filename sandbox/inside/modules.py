"""Operations on modules and functions of a submission: what a check asks beyond a plain call.

Each is one function; `OPERATIONS` at the end names those that the grader may ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import nn

from .memory import limit_memory, settle_memory
from .values import plain_tensor

# Of the parameters and buffers of one module: what an answer can hold.
MOST_NAMES = 10_000
MOST_LETTERS = 2**20


class NoHidden(LookupError):
    """No submodule of the model puts out a hidden state of shape (B, T, d)."""


def _module(value: object) -> nn.Module:
    if not isinstance(value, nn.Module):
        raise TypeError(f"{type(value).__name__} is not a torch.nn.Module")
    return value


def make(name: str, /, *args: Any, **kwargs: Any) -> nn.Module:
    """A module of torch.nn itself, made in the guest."""
    return _module(getattr(nn, name)(*args, **kwargs))


def set_mode(handle: object, training: bool) -> None:
    _module(handle).train(training)


def cast(handle: object, dtype: torch.dtype) -> None:
    _module(handle).to(dtype=dtype)


def state_dict(handle: object) -> dict[str, torch.Tensor]:
    module = _module(handle)
    trained = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    state = {name: value for name, value in module.state_dict().items() if isinstance(value, torch.Tensor)}
    _few_enough(state)
    return {
        name: looked_at(value, f"the {'parameter' if name in trained else 'buffer'} `{_short(name)}`")
        for name, value in state.items()
    }


def looked_at(value: torch.Tensor, what: str) -> torch.Tensor:
    """The tensor as a plain one. Raises TypeError with a sentence that names it where there is none."""
    plain = plain_tensor(value)
    if plain is None:
        raise TypeError(f"{what} {_oddity(value)}, which cannot be looked at")
    return plain


def _oddity(value: torch.Tensor) -> str:
    """What keeps a tensor from being a plain one, as a clause."""
    try:
        if value.is_nested:
            return "is a nested tensor"
        if value.layout is not torch.strided:
            return "is sparse"
        if value.is_meta:
            return "is on the meta device, where it has no values"
        if value.is_quantized:
            return "is quantized"
        return f"has the dtype {str(value.dtype).removeprefix('torch.')}"
    except Exception:  # a subclass of the student's may answer anything
        return f"is a {type(value).__name__[:100]}"


def _few_enough(named: Mapping[str, object]) -> None:
    if len(named) > MOST_NAMES:
        raise ValueError(
            f"the module has {len(named):,} parameters and buffers; "
            f"more than {MOST_NAMES:,} cannot be looked at"
        )
    letters = sum(map(len, named))
    if letters > MOST_LETTERS:
        raise ValueError(
            f"the names of the module's parameters and buffers have {letters:,} characters; "
            f"more than {MOST_LETTERS:,} cannot be looked at"
        )


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"


def load_state_dict(handle: object, state: dict[str, torch.Tensor]) -> None:
    _module(handle).load_state_dict(state)


def parameters(handle: object) -> list[tuple[str, tuple[int, ...], torch.dtype, bool]]:
    named = dict(_module(handle).named_parameters())
    _few_enough(named)
    return [(name, tuple(value.shape), value.dtype, value.requires_grad) for name, value in named.items()]


def submodules(handle: object) -> list[tuple[str, str]]:
    return [(name, type(module).__name__) for name, module in _module(handle).named_modules() if name]


def float_tensors(value: object) -> Iterator[torch.Tensor]:
    """The floating-point tensors in a value, in order, through tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from float_tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from float_tensors(item)


def weighted_sum(output: object, seed: int) -> torch.Tensor:
    """sum(output * N), N standard normal from `seed`: the scalar whose gradients are compared.

    N is drawn in float64 for every dtype, one tensor after another, so both sides of the wire get the same.
    """
    generator = torch.Generator().manual_seed(seed)
    total = torch.zeros((), dtype=torch.float64, device="cpu")
    for tensor in float_tensors(output):
        cotangent = torch.randn(tensor.shape, generator=generator, dtype=torch.float64, device="cpu")
        total = total + (tensor * cotangent.to(tensor.device, tensor.dtype)).sum()
    return total


def gradients(
    handle: Any, args: tuple[Any, ...], kwargs: dict[str, Any], cotangent_seed: int, method: str | None = None
) -> tuple[object, dict[str, torch.Tensor | None], tuple[torch.Tensor | None, ...]]:
    """The output, and the gradients of `weighted_sum` by each parameter and each positional argument."""
    inputs = [
        value.detach().requires_grad_()
        if isinstance(value, torch.Tensor) and value.is_floating_point()
        else value
        for value in args
    ]
    with torch.enable_grad():
        function = handle if method is None else getattr(handle, method)
        output = function(*inputs, **kwargs)
        named = dict(handle.named_parameters()) if isinstance(handle, nn.Module) else {}
        _few_enough(named)
        trained = {name: value for name, value in named.items() if value.requires_grad}
        floats = [value for value in inputs if isinstance(value, torch.Tensor) and value.requires_grad]
        loss = weighted_sum(output, cotangent_seed)
        wanted = [*trained.values(), *floats]
        found: list[torch.Tensor | None] = [None] * len(wanted)
        if loss.requires_grad and wanted:
            found = list(torch.autograd.grad(loss, wanted, allow_unused=True))
    # Those of an nn.Embedding may be sparse, if it was asked to.
    found = [one.to_dense() if one is not None and one.layout is torch.sparse_coo else one for one in found]
    by_name: dict[str, torch.Tensor | None] = dict.fromkeys(named)
    for name, one in zip(trained, found, strict=False):
        by_name[name] = None if one is None else looked_at(one, f"the gradient of `{_short(name)}`")
    of_inputs = iter(found[len(trained) :])
    return (
        output,
        by_name,
        tuple(
            next(of_inputs) if isinstance(value, torch.Tensor) and value.requires_grad else None
            for value in inputs
        ),
    )


# How many hidden states a model put out when it was last counted: most put out as many for any input.
_counts: WeakKeyDictionary[nn.Module, int] = WeakKeyDictionary()


class _Hidden:
    """Hooks on every submodule that count the hidden states (B, T, d), and can replace one of them."""

    def __init__(
        self, model: nn.Module, tokens: torch.Tensor, replace: int = 0, by: torch.Tensor | None = None
    ) -> None:
        if not isinstance(tokens, torch.Tensor) or tokens.dim() < 2:
            raise NoHidden("the first argument is not a tensor of shape (B, T, ...)")
        self._leading = tuple(tokens.shape[:2])
        self._model, self._replace, self._by = model, replace, by
        self.count = 0
        self.last: torch.Tensor | None = None

    def __enter__(self) -> _Hidden:
        # The fast path of nn.TransformerEncoder hands nested tensors on, which have no (B, T, d).
        self._fast_path = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)
        self._hooks = [
            module.register_forward_hook(self._seen)
            for module in self._model.modules()
            if module is not self._model
        ]
        return self

    def __exit__(self, *exc: object) -> None:
        torch.backends.mha.set_fastpath_enabled(self._fast_path)
        for hook in self._hooks:
            hook.remove()

    def _seen(self, _module: nn.Module, _args: object, output: object) -> object:
        if not (isinstance(output, torch.Tensor) and output.dim() == 3 and output.is_floating_point()):
            return None
        if tuple(output.shape[:2]) != self._leading:
            return None
        self.count += 1
        self.last = output.detach().clone()
        return self._by if self.count == self._replace else None


def hidden(handle: object, *args: Any, **kwargs: Any) -> torch.Tensor | None:
    """The last hidden state (B, T, d) that a submodule puts out; None when there is none."""
    model = _module(handle)
    with _Hidden(model, args[0]) as seen, torch.no_grad():
        model(*args, **kwargs)
    _counts[model] = seen.count
    return None if seen.last is None else looked_at(seen.last, "the last hidden state")


def call_with_hidden(
    handle: object, *args: Any, hidden: torch.Tensor, grad: bool = False, **kwargs: Any
) -> object:
    """The output when the last hidden state (B, T, d) that a submodule puts out is replaced by `hidden`."""
    model = _module(handle)
    for known in (_counts.get(model), None):
        count = known
        if count is None:
            with _Hidden(model, args[0]) as seen, torch.no_grad():
                model(*args, **kwargs)
            count = _counts[model] = seen.count
        if count:
            with _Hidden(model, args[0], replace=count, by=hidden) as seen, torch.set_grad_enabled(grad):
                output = model(*args, **kwargs)
            if seen.count == count:
                return output
    raise NoHidden("no submodule of the model puts out a float tensor of shape (B, T, d)")


OPERATIONS: dict[str, Callable[..., Any]] = {
    "torch": make,
    "cast": cast,
    "state_dict": state_dict,
    "load_state_dict": load_state_dict,
    "parameters": parameters,
    "submodules": submodules,
    "gradients": gradients,
    "hidden": hidden,
    "call_with_hidden": call_with_hidden,
    "settle_memory": settle_memory,
    "limit_memory": limit_memory,
}
