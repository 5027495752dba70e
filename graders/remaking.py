"""Making a student's module again from our class: the sizes that the student chose, and its parameters.

What the check gave to the constructor is given again. Where the student's own width, number of layers or of
heads shows in the shapes of the parameters and ours is an optional argument, it is found by trying.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from graders.arrangements import Arrangement, State, Unit, arrangements, filled, missing, units

MOST_BUILDS = 40
MOST_OPTIONS = 8
HEADS = (1, 2, 4, 8)


@dataclass
class Remade:
    """One module, and the state that it is asked in."""

    module: torch.nn.Module
    state: Mapping[str, torch.Tensor]
    _entries: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)
    _versions: list[int] = field(default_factory=list)

    def fresh(self) -> torch.nn.Module:
        """Return the module in its state, whatever the last call has done to it."""
        if not self._entries:
            own = self.module.state_dict(keep_vars=True)
            self._entries = [(own[name], value) for name, value in self.state.items()]
        if [entry._version for entry, _ in self._entries] != self._versions:
            with torch.no_grad():
                for entry, value in self._entries:
                    entry.copy_(value)
            self._versions = [entry._version for entry, _ in self._entries]
        return self.module


class Remaker:
    """The ways to make one student's module from one of our classes, found out when they are asked for."""

    def __init__(
        self,
        make: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        theirs: State,
        trained: frozenset[str] | None,
    ) -> None:
        self._make, self._args, self._kwargs = make, args, dict(kwargs)
        self._theirs, self._trained = theirs, trained
        self._units = units(theirs, trained)
        self._builds = 0
        self._found: list[tuple[dict[str, Any], Arrangement]] = []
        self._more = self._ways()

    def make(self, state: State, way: int) -> Remade:
        """Return the module with this state's parameters. Raises IndexError where there are no more ways."""
        while len(self._found) <= way:
            following = next(self._more, None)
            if following is None:
                raise IndexError(way)
            self._found.append(following)
        options, arrangement = self._found[way]
        module = self._built(options)
        dtypes = {tensor.dtype for tensor in state.values() if tensor.is_floating_point()}
        module = module.to(dtypes.pop()) if len(dtypes) == 1 else module
        return Remade(module, filled(arrangement, state, module.state_dict()))

    def _ways(self) -> Iterator[tuple[dict[str, Any], Arrangement]]:
        options = self._sizes(self._built({}))
        choices = list(itertools.islice(self._unseen(options), MOST_OPTIONS))
        runs = [self._arranged(one) for one in choices]
        # The likeliest arrangement under every choice first, then the second, …
        for rank in itertools.zip_longest(*runs):
            yield from (way for way in rank if way is not None)

    def _arranged(self, options: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Arrangement]]:
        try:
            module = self._built(options)
        except Exception:
            return
        for one in arrangements(module.state_dict(), self._theirs, (_names(module), self._trained)):
            yield options, one

    def _sizes(self, first: torch.nn.Module) -> dict[str, Any]:
        """Return optional sizes that make our module's shapes those of theirs, as far as they can be."""
        options: dict[str, Any] = {}
        left = missing(_units(first), self._units)
        known = sorted({size for unit in self._units for size in unit.shape if size > 1}, reverse=True)
        while left and self._builds < MOST_BUILDS:
            tried: list[tuple[int, int, dict[str, Any]]] = []
            for name in self._optional(int):
                for size in [*known, *range(1, 7)]:
                    if self._builds >= MOST_BUILDS:
                        break
                    option = {**options, name: size}
                    try:
                        tried.append((missing(_units(self._built(option)), self._units), len(tried), option))
                    except Exception:  # noqa: S112 - our class refuses these sizes
                        continue
                    if not tried[-1][0]:
                        return option
            if not tried or min(tried)[0] >= left:
                break
            left, _, options = min(tried)
        return options

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
