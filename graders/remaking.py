"""Making a student's module again from our class: the sizes that the student chose, and its parameters.

What the check gave to the constructor is given again. Where the student's own width, number of layers or of
heads shows in the shapes of the parameters and ours is an optional argument, it is found by trying.
"""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from graders.arrangements import Arrangement, State, Unit, arrangements, filled, layout, missing, units
from graders.calls import Call

MOST_BUILDS = 40
LARGEST = 1024
COUNTING = ("layer", "depth", "block")
MOST_KNOWN = 64
MOST_OPTIONS = 8
HEADS = (1, 2, 3, 4, 6, 8)


# The options that gave a layout, by the optional arguments of the class: found out once for all variants.
Sizes = dict[object, dict[str, Any]]


@dataclass(eq=False)
class Made:
    """A module of ours, and what was loaded into it last."""

    module: torch.nn.Module
    entries: dict[str, torch.Tensor]
    loaded: object = None
    versions: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Remade:
    """A module in the state in which it is asked. Making one takes long, so that several share theirs."""

    made: Made
    state: Mapping[str, torch.Tensor]

    def fresh(self) -> torch.nn.Module:
        """Return the module in its state, whatever the last call has done to it."""
        made = self.made
        if made.loaded is not self or [one._version for one in made.entries.values()] != made.versions:
            with torch.no_grad():
                for name, value in self.state.items():
                    made.entries[name].copy_(value)
            made.loaded, made.versions = self, [one._version for one in made.entries.values()]
        return made.module


class Remaker:
    """The ways to make one student's module from one of our classes, found out when they are asked for."""

    def __init__(
        self,
        make: Callable[..., Any],
        made_by: Call,
        theirs: State,
        trained: frozenset[str] | None,
        sizes: Sizes,
    ) -> None:
        self._make, self._args, self._kwargs = make, made_by.args, dict(made_by.kwargs)
        self._theirs, self._trained, self._known = theirs, trained, sizes
        self._units = units(theirs, trained)
        self._builds = 0
        self._found: list[tuple[dict[str, Any], Arrangement]] = []
        self._made: dict[object, Made] = {}
        self._more = self._ways()

    def make(self, state: State, way: int) -> Remade:
        """Return the module with this state's parameters. Raises IndexError where there are no more ways."""
        while len(self._found) <= way:
            following = next(self._more, None)
            if following is None:
                raise IndexError(way)
            self._found.append(following)
        options, arrangement = self._found[way]
        dtypes = {tensor.dtype for tensor in state.values() if tensor.is_floating_point()}
        key = repr(options), *dtypes
        if key not in self._made:
            module = self._built(options)
            module = module.to(next(iter(dtypes))) if len(dtypes) == 1 else module
            self._made[key] = Made(module, module.state_dict(keep_vars=True))
        made = self._made[key]
        return Remade(made, filled(arrangement, state, made.entries))

    def _ways(self) -> Iterator[tuple[dict[str, Any], Arrangement]]:
        options = self._sizes()
        choices = list(itertools.islice(self._unseen(options), MOST_OPTIONS))
        runs = [self._arranged(one) for one in choices]
        while runs:  # the likeliest arrangement under every choice, then the second, …
            for run in list(runs):
                way = next(run, None)  # not before it is asked for, since making a module takes long
                if way is None:
                    runs.remove(run)
                else:
                    yield way

    def _arranged(self, options: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Arrangement]]:
        try:
            module = self._built(options)
        except Exception:
            return
        for one in arrangements(module.state_dict(), self._theirs, (_names(module), self._trained)):
            yield options, one

    def _sizes(self) -> dict[str, Any]:
        """Return optional sizes that make our module's shapes those of theirs, as far as they can be."""
        optional = self._optional(int)
        key = repr((self._args, self._kwargs, optional)), layout(self._theirs, self._trained)
        if key not in self._known:
            self._known[key] = self._searched(list(optional)) if optional else {}
            while len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return self._known[key]

    def _searched(self, names: Sequence[str]) -> dict[str, Any]:
        options: dict[str, Any] = {}
        left = self._lacking({})
        better = True
        while left and better:
            better = False
            for name in names:
                tried = list(self._tried(name, options))
                if tried and min(tried)[0] < left:  # the best size of one argument, then of the next
                    left, size = min(tried)
                    options, better = {**options, name: size}, True
                if not left:
                    break
        return options

    def _tried(self, name: str, options: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        """Yield (what is lacking, size) for sizes of one argument, until nothing is."""
        for size in self._candidates(name):
            if self._builds >= MOST_BUILDS:
                return
            try:
                lacking = self._lacking({**options, name: size})
            except Exception:  # noqa: S112 - our class refuses this size
                continue
            yield lacking, size
            if not lacking:
                return

    def _candidates(self, name: str) -> Sequence[int]:
        """Return small numbers for what is counted, else sizes that show in the shapes, the width first."""
        if "head" in name:
            return ()  # it shows in no shape
        if any(word in name for word in COUNTING):
            return range(1, 7)
        given = {value for value in (*self._args, *self._kwargs.values()) if isinstance(value, int)}
        often = Counter(size for unit in self._units for size in unit.shape if 1 < size <= LARGEST)
        return [size for size, _ in often.most_common(6) if size not in given]

    def _lacking(self, options: Mapping[str, Any]) -> int:
        # Not on the meta device: an nn.Embedding there has torch import its compiler, for seconds.
        return missing(_units(self._built(options)), self._units)

    def _unseen(self, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield these options, and others that leave every shape as it is: heads, the place of a norm."""
        yield options
        flags: list[dict[str, Any]] = [{name: not default} for name, default in self._optional(bool).items()]
        sizes: list[dict[str, Any]] = [
            {name: size}
            for name, default in self._optional(int).items()
            if name not in options and "head" in name
            for size in HEADS
            if size != default
        ]
        more: dict[str, Any]
        for more in [*flags, *sizes, *({**one, **two} for one in flags for two in sizes)]:
            yield {**options, **more}

    def _optional(self, kind: type) -> dict[str, Any]:
        """Return the constructor's arguments of this type that the check did not give, and their defaults."""
        signature = inspect.signature(self._make)
        given = signature.bind_partial(*self._args, **self._kwargs).arguments
        return {
            name: parameter.default
            for name, parameter in signature.parameters.items()
            if name not in given and type(parameter.default) is kind
        }

    def _built(self, options: Mapping[str, Any]) -> torch.nn.Module:
        self._builds += 1
        module = self._make(*self._args, **{**self._kwargs, **options})
        if not isinstance(module, torch.nn.Module):
            raise TypeError
        return module


def _names(module: torch.nn.Module) -> frozenset[str]:
    return frozenset(name for name, _ in module.named_parameters(remove_duplicate=False))


def _units(module: torch.nn.Module) -> list[Unit]:
    return units(module.state_dict(), _names(module))
