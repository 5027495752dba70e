"""What a submission asks of attention while it is loaded: each call's inputs, parameters and answers.

`nn.MultiheadAttention.forward`, `F.scaled_dot_product_attention` and `softmax` are wrapped while the program
runs. What is kept is bounded, and nothing here ever raises into the student's code. All of it is the
guest's word: the grader computes it again.

Of calls that look alike, as in a training loop, the first and the last are kept: the first as copies, the
last as references, which are given up where something in them is changed in place afterwards. So a training
loop pays for no copies.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from .values import plain_tensor

FIRST, LAST = 6, 4  # of calls that look alike
MOST_KINDS = 96  # of calls that look alike each; of those that look like none of them the last are kept
MOST_OTHERS = 30
SMALL = 256 * 2**10  # of larger calls, one first and one last is kept
MOST_CALL_BYTES = 4 * 2**20
MOST_BYTES = 32 * 2**20

Named = dict[str, Any]
# From what a call was made with to its tensors (or None) and its plain values, by name.
Gather = Callable[..., tuple[Named, Named]]
Answer = tuple[int, list[Tensor], list[tuple[int, str, dict[str, int], Named]]]
Kept = tuple[int, str, dict[str, Tensor], Named]  # the call's number, kind, tensors and plain values

_STATE = ("in_proj_weight", "in_proj_bias", "q_proj_weight", "k_proj_weight", "v_proj_weight")
_BIASES = ("bias_k", "bias_v")
_SIZES = ("embed_dim", "num_heads", "kdim", "vdim", "batch_first", "dropout", "add_zero_attn")


class _Later:
    """A call that is gathered when the load has ended, if nothing in it has been changed by then."""

    __slots__ = ("gather", "number", "versions", "what")

    def __init__(self, number: int, gather: Gather, what: tuple[Any, ...]) -> None:
        self.number, self.gather = number, gather
        # Not the graph that made them: it would keep every activation alive.
        self.what = tuple(
            one.detach() if isinstance(one, Tensor) and one.grad_fn is not None else one for one in what
        )
        self.versions = _versions(what)

    def tensors_and_values(self) -> tuple[Named, Named] | None:
        return self.gather(*self.what) if _versions(self.what) == self.versions else None


class _Alike:
    """The first and the last of the calls that look alike."""

    __slots__ = ("first", "last", "most", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.most = (FIRST, LAST) if size <= SMALL else (1, 1) if size <= MOST_CALL_BYTES else (0, 0)
        self.first: list[Kept] = []
        self.last: deque[_Later] = deque()


class Recording:
    """The calls of one load, within bounds."""

    def __init__(self) -> None:
        self.seen = 0
        self._kinds: dict[tuple[Any, ...], _Alike] = {}
        self._others: deque[tuple[str, _Later]] = deque(maxlen=MOST_OTHERS)
        self._bytes = 0

    def note(self, look: tuple[Any, ...], gather: Gather, *what: Any) -> None:
        """Keep a call if there is room. `look[0]` is its kind; equal looks mean equal shapes."""
        self.seen += 1
        alike = self._kinds.get(look)
        if alike is None:
            if len(self._kinds) >= MOST_KINDS:
                if _size(gather(*what)[0]) <= SMALL:
                    self._others.append((look[0], _Later(self.seen, gather, what)))
                return
            alike = self._kinds[look] = _Alike(_size(gather(*what)[0]))
        if len(alike.first) < alike.most[0]:
            if self._takes(alike.size):
                tensors, values = gather(*what)
                copies = _copies(tensors)
                if copies is not None:
                    alike.first.append((self.seen, look[0], copies, values))
        elif len(alike.last) < alike.most[1]:
            if self._takes(alike.size):
                alike.last.append(_Later(self.seen, gather, what))
        elif alike.last:
            alike.last.popleft()
            alike.last.append(_Later(self.seen, gather, what))

    def _takes(self, size: int) -> bool:
        fits = self._bytes + size <= MOST_BYTES
        self._bytes += size if fits else 0
        return fits

    def calls(self) -> list[Kept]:
        """What was kept, in the order of the calls."""
        kept = [*self._kept()]
        return sorted(kept, key=lambda call: call[0])

    def _kept(self) -> Iterator[Kept]:
        laters = [*self._others]
        for look, alike in self._kinds.items():
            yield from alike.first
            laters += [(look[0], later) for later in alike.last]
        for kind, later in laters:
            try:
                found = later.tensors_and_values()
                copies = None if found is None else _copies(found[0])
            except Exception:  # noqa: S112  an odd call is not recorded
                continue
            if found is not None and copies is not None:
                yield later.number, kind, copies, found[1]

    def answer(self) -> Answer:
        """Return what crosses the wire: how many calls there were, their tensors, and the calls."""
        tensors: list[Tensor] = []
        calls = []
        for number, kind, own, values in self.calls():
            calls.append((number, kind, dict(zip(own, range(len(tensors), len(tensors) + len(own)))), values))  # noqa: B905
            tensors += own.values()
        return self.seen, tensors, calls


def _tensors(named: Named) -> Iterator[tuple[str, Tensor]]:
    for name, value in named.items():
        if isinstance(value, Tensor):
            yield name, value


def _size(named: Named) -> int:
    return sum(value.numel() * value.element_size() for _, value in _tensors(named))


def _versions(what: tuple[Any, ...]) -> list[int]:
    found = []
    for one in what:
        if isinstance(one, Tensor):
            found.append(one._version)
        elif isinstance(one, nn.Module):
            found += [parameter._version for parameter in _parameters(one).values() if parameter is not None]
    return found


def _copies(named: Named) -> dict[str, Tensor] | None:
    """Copies of the tensors; None where one of them has no plain form."""
    copies: dict[str, Tensor] = {}
    for name, value in _tensors(named):
        if torch._C._functorch.is_functorch_wrapped_tensor(value):
            return None
        plain = plain_tensor(value)
        if plain is None:
            return None
        copies[name] = plain.clone()
    return copies


class Recorder:
    """Wraps attention while a program runs: a context manager, with what was recorded in `recording`."""

    def __init__(self) -> None:
        self.recording = Recording()
        self._on = False
        self._here = threading.local()  # whether this thread is inside a call that is recorded as a whole
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> Recorder:
        self._on = True
        self._put(nn.MultiheadAttention, "forward", self._multi_head(nn.MultiheadAttention.forward))
        self._put(
            functional,
            "scaled_dot_product_attention",
            self._dot_product(functional.scaled_dot_product_attention),
        )
        for home in (functional, torch, Tensor):
            self._put(home, "softmax", self._softmax(home.softmax))
        return self

    def __exit__(self, *_: object) -> None:
        self._on = False
        for undo in self._undo:
            undo()

    def _put(self, home: Any, name: str, wrapper: Any) -> None:
        inherited = name not in vars(home)
        original = getattr(home, name)
        setattr(home, name, wrapper)

        def undo() -> None:
            if vars(home).get(name) is not wrapper:
                return  # the student has put something else there
            if inherited:
                delattr(home, name)
            else:
                setattr(home, name, original)

        self._undo.append(undo)

    def _outer(self) -> bool:
        """Whether a call that begins now is to be recorded."""
        return self._on and not getattr(self._here, "inside", False)

    def _inside(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._here.inside = True
        try:
            return function(*args, **kwargs)
        finally:
            self._here.inside = False

    def _multi_head(self, original: Any) -> Any:
        @functools.wraps(original)
        def forward(  # noqa: PLR0917  torch's own parameters
            module: Any,
            query: Any,
            key: Any,
            value: Any,
            key_padding_mask: Any = None,
            need_weights: bool = True,
            attn_mask: Any = None,
            average_attn_weights: bool = True,
            is_causal: bool = False,
            **more: Any,
        ) -> Any:
            flags = (need_weights, attn_mask, average_attn_weights, is_causal)
            if not self._outer():
                return original(module, query, key, value, key_padding_mask, *flags, **more)
            answer = self._inside(original, module, query, key, value, key_padding_mask, *flags, **more)
            try:
                options = (bool(need_weights), bool(average_attn_weights), bool(is_causal), module.training)
                inputs = (query, key, value, key_padding_mask, attn_mask)
                look = ("multi_head", id(module), options, *map(_shape, inputs))
                self.recording.note(look, _of_multi_head, module, options, *inputs, *answer)
            except Exception:  # noqa: S110  an odd call is not recorded; it must not fail
                pass
            return answer

        return forward

    def _dot_product(self, original: Any) -> Any:
        @functools.wraps(original)
        def scaled_dot_product_attention(  # noqa: PLR0917  likewise
            query: Any,
            key: Any,
            value: Any,
            attn_mask: Any = None,
            dropout_p: float = 0.0,
            is_causal: bool = False,
            **more: Any,
        ) -> Any:
            output = original(query, key, value, attn_mask, dropout_p, is_causal, **more)
            if self._outer():
                try:
                    values = {"dropout": dropout_p, "is_causal": bool(is_causal), **more}
                    inputs = (query, key, value, attn_mask)
                    look = ("dot_product", bool(is_causal), *map(_shape, inputs))
                    self.recording.note(look, _of_dot_product, values, *inputs, output)
                except Exception:  # noqa: S110  likewise
                    pass
            return output

        return scaled_dot_product_attention

    def _softmax(self, original: Any) -> Any:
        @functools.wraps(original)
        def softmax(*args: Any, **kwargs: Any) -> Any:
            if not self._outer():
                return original(*args, **kwargs)
            output = self._inside(original, *args, **kwargs)
            try:
                scores = args[0] if args else kwargs.get("input")
                dim = args[1] if len(args) > 1 else kwargs.get("dim")
                if type(dim) is int and isinstance(scores, Tensor) and _are_scores(scores):
                    self.recording.note(("softmax", dim, scores.shape), _of_softmax, dim, scores, output)
            except Exception:  # noqa: S110  likewise
                pass
            return output

        return softmax


def _shape(value: Any) -> Any:
    return value.shape if isinstance(value, Tensor) else None


def _parameters(module: Any) -> Named:
    own, last = module._parameters, module._modules["out_proj"]._parameters
    found = {name: own.get(name) for name in (*_STATE, *_BIASES)}
    found["out_proj.weight"], found["out_proj.bias"] = last.get("weight"), last.get("bias")
    return found


def _of_multi_head(module: Any, options: tuple[bool, ...], *tensors: Any) -> tuple[Named, Named]:
    names = ("query", "key", "value", "key_padding_mask", "attn_mask", "output", "weights")
    need_weights, average, is_causal, training = options
    values = {name: _plain(getattr(module, name)) for name in _SIZES}
    values |= {"need_weights": need_weights, "average_attn_weights": average}
    values |= {"is_causal": is_causal, "training": training}
    return dict(zip(names, tensors, strict=True)) | _parameters(module), values


def _of_dot_product(values: Named, *tensors: Any) -> tuple[Named, Named]:
    names = ("query", "key", "value", "attn_mask", "output")
    return dict(zip(names, tensors, strict=True)), {name: _plain(value) for name, value in values.items()}


def _of_softmax(dim: int, scores: Tensor, output: Tensor) -> tuple[Named, Named]:
    return {"scores": scores, "output": output}, {"dim": dim}


def _are_scores(value: Tensor) -> bool:
    """Whether softmax is taken over what may be attention scores, and not over a classifier's logits."""
    return value.dim() in (3, 4) or (value.dim() == 2 and value.shape[0] == value.shape[1])


def _plain(value: Any) -> Any:
    """A bool, int or float as such; None for anything else."""
    return value if type(value) in (bool, int, float) else None
