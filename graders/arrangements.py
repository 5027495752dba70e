"""Which parameter of a student's module is which of ours, where names, order and packing may differ.

A module is taken apart into units: what has a weight and perhaps a bias. A packed projection of queries,
keys and values is three units. Units of one shape may be exchanged for each other, and those whose names or
places agree are tried first. A wrong arrangement answers nothing as the student did, so that trying is safe.
"""

from __future__ import annotations

import heapq
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

State = Mapping[str, torch.Tensor]
Shape = tuple[int, ...]

MOST_ALIKE = 4  # so many units of one shape are tried in every order: 24
MOST_ARRANGEMENTS = 24

_PACKED = re.compile(r"(^|[._])(in_proj|qkv|c_attn|to_qkv|wqkv|w_qkv)", re.IGNORECASE)
_ROLES: dict[str, tuple[str, ...]] = {
    "query": ("q", "query", "queries", "wq", "qproj"),
    "key": ("k", "key", "keys", "wk", "kproj"),
    "value": ("v", "value", "values", "wv", "vproj"),
    "out": ("o", "out", "output", "wo", "oproj", "merge", "combine"),
    "token": ("tok", "token", "tokens", "word", "words", "vocab", "wte"),
    "position": ("pos", "position", "positions", "positional", "wpe", "pe"),
    "attention": ("attn", "attention", "mha", "sa", "self"),
    "forward": ("ff", "ffn", "mlp", "feed", "forward", "feedforward"),
    "norm": ("norm", "ln", "layernorm", "rmsnorm", "bn"),
    "head": ("head", "classifier", "lm", "logits"),
    "final": ("final", "last", "f", "post"),
}
_ROLE = {word: role for role, words in _ROLES.items() for word in words}


@dataclass(frozen=True)
class Piece:
    """A tensor of a state, or a third of one that packs queries, keys and values."""

    name: str
    third: int | None = None

    def of(self, state: State) -> torch.Tensor:
        tensor = state[self.name]
        return tensor if self.third is None else tensor.chunk(3, dim=0)[self.third]


@dataclass(frozen=True)
class Unit:
    """A weight, and what stands beside it: a bias, running statistics."""

    path: str
    shape: Shape
    place: int  # in the order of definition
    members: Mapping[str, Piece] = field(hash=False)
    trained: bool = True

    @property
    def layer(self) -> str:
        found = re.search(r"\d+", self.path)
        return found.group() if found else ""

    @property
    def words(self) -> frozenset[str]:
        parts = re.findall(r"[a-z]+|\d+", re.sub(r"([a-z])([A-Z])", r"\1 \2", self.path).lower())
        words = frozenset(_ROLE.get(part, part) for part in parts)
        # A norm that is named for its sublayer is the first or the second.
        order = {"attention": "1", "forward": "2"} if "norm" in words else {}
        return words | {number for word, number in order.items() if word in words}


# For each entry of our module's state the pieces that make it up; none where it is zero.
Arrangement = Mapping[str, tuple[Piece, ...]]


def layout(state: State, trained: frozenset[str] | None = None) -> tuple[object, ...]:
    """Return what two modules that are arranged alike have in common."""
    return tuple((name, tuple(value.shape)) for name, value in state.items()), trained


def units(state: State, trained: frozenset[str] | None = None) -> list[Unit]:
    """Take a state apart, in its order. `trained` are the names of its parameters; None: it is not known."""
    found: dict[str, dict[str, Piece]] = {}
    for name, value in state.items():
        path, _, leaf = name.rpartition(".")
        if (parts := _thirds(name, value)) is not None:
            member = "bias" if leaf.endswith("bias") else "weight"
            for third, part in enumerate(parts):
                found.setdefault(part, {})[member] = Piece(name, third)
        elif leaf in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
            found.setdefault(f"{path}.{leaf[0]}", {})["weight"] = Piece(name)
        elif leaf in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
            found.setdefault(path, {})[leaf] = Piece(name)
        else:
            found.setdefault(name, {})["weight"] = Piece(name)
    result: list[Unit] = []
    for path, members in found.items():
        first = members.get("weight") or next(iter(members.values()))
        shape = _plain(first.of(state).shape)
        known = trained is None or any(piece.name in trained for piece in members.values())
        result.append(Unit(path, shape, len(result), members, known))
    return result


def _thirds(name: str, value: torch.Tensor) -> list[str] | None:
    """Return the paths of queries, keys and values where this entry packs all three."""
    if not _PACKED.search(name) or not value.dim() or value.shape[0] % 3:
        return None
    if value.dim() > 1 and value.shape[0] != 3 * value.shape[1]:
        return None
    path, _, leaf = name.rpartition(".")
    stem = path if leaf in ("weight", "bias") else f"{path}.{leaf.rpartition('_')[0]}"
    return [f"{stem}.{role}" for role in ("query", "key", "value")]


def _plain(shape: Sequence[int]) -> Shape:
    """Return a shape without leading axes of one, which an nn.Parameter of positions often has."""
    found = tuple(shape)
    while len(found) > 2 and found[0] == 1:
        found = found[1:]
    return found


def missing(ours: Sequence[Unit], theirs: Sequence[Unit]) -> int:
    """Return how many elements of our units have no unit of their shape, and how many of theirs go unused."""
    wanted = Counter(unit.shape for unit in ours if unit.trained)
    given = Counter(unit.shape for unit in theirs)
    trained = Counter(unit.shape for unit in theirs if unit.trained)
    unused = trained - Counter(unit.shape for unit in ours)
    return sum(count * math.prod(shape) for shape, count in ((wanted - given) + unused).items())


def arrangements(
    ours: State, theirs: State, trained: tuple[frozenset[str], frozenset[str] | None]
) -> Iterator[Arrangement]:
    """Yield ways to fill our module's state from theirs, the likeliest first; `trained`: ours, theirs."""
    if all(name in theirs and theirs[name].shape == value.shape for name, value in ours.items()):
        yield {name: (Piece(name),) for name in ours}
        return
    wanted, given = units(ours, trained[0]), units(theirs, trained[1])
    groups = []
    for shape, some in _by_shape([unit for unit in wanted if unit.trained]).items():
        sources = [unit for unit in given if unit.shape == shape]
        if len(sources) < len(some):
            return
        groups.append([list(zip(some, order, strict=True)) for order in _orders(some, sources)])
    fixed = [(unit, _buffer(unit, given)) for unit in wanted if not unit.trained]
    for choice in _by_rank([len(group) for group in groups]):
        pairs = [pair for group, at in zip(groups, choice, strict=True) for pair in group[at]]
        yield _filled(pairs, fixed, ours)


def filled(arrangement: Arrangement, theirs: State, ours: State) -> dict[str, torch.Tensor]:
    """Return our module's state made of theirs. Raises RuntimeError where shapes do not agree."""
    state: dict[str, torch.Tensor] = {}
    for name, value in ours.items():
        pieces = arrangement.get(name)
        if pieces is None:
            continue  # a buffer that it makes itself
        parts = [piece.of(theirs) for piece in pieces]
        whole = parts[0] if len(parts) == 1 else torch.cat(parts) if parts else torch.zeros_like(value)
        state[name] = whole.reshape(value.shape)
    return state


def _by_shape(some: Sequence[Unit]) -> dict[Shape, list[Unit]]:
    found: dict[Shape, list[Unit]] = {}
    for unit in some:
        found.setdefault(unit.shape, []).append(unit)
    return found


def _orders(wanted: Sequence[Unit], sources: Sequence[Unit]) -> list[tuple[Unit, ...]]:
    """Return which source may stand for each wanted unit, the likeliest first."""
    trained = [unit for unit in sources if unit.trained]
    pool = trained if len(trained) >= len(wanted) else list(sources)
    found = [_by_words(wanted, pool), tuple(pool[: len(wanted)])]
    found += _layer_by_layer(wanted, pool)
    if len(pool) <= MOST_ALIKE:
        found += itertools.permutations(pool, len(wanted))
    return list(dict.fromkeys(found))[:MOST_ARRANGEMENTS]


def _by_words(wanted: Sequence[Unit], pool: Sequence[Unit]) -> tuple[Unit, ...]:
    """Give each wanted unit the source whose name has most in common with its own, then the nearest place."""
    scored = sorted(
        (-len(one.words & other.words) - 2 * (one.layer == other.layer), abs(i - j), i, j)
        for i, one in enumerate(wanted)
        for j, other in enumerate(pool)
    )
    taken: dict[int, int] = {}
    for *_, i, j in scored:
        if i not in taken and j not in taken.values():
            taken[i] = j
    return tuple(pool[taken[i]] for i in range(len(wanted)))


def _layer_by_layer(wanted: Sequence[Unit], pool: Sequence[Unit]) -> Iterator[tuple[Unit, ...]]:
    """Yield orders that exchange the units of every layer in the same way."""
    if len(wanted) != len(pool):
        return
    ours = [list(some) for _, some in itertools.groupby(wanted, key=lambda unit: unit.layer)]
    theirs = [list(some) for _, some in itertools.groupby(pool, key=lambda unit: unit.layer)]
    if [len(some) for some in ours] != [len(some) for some in theirs]:
        return
    if max(len(some) for some in ours) > MOST_ALIKE:
        return
    sizes = sorted({len(some) for some in ours})
    for turns in itertools.product(*(list(itertools.permutations(range(size))) for size in sizes)):
        turn = dict(zip(sizes, turns, strict=True))
        yield tuple(some[at] for some in theirs for at in turn[len(some)])


def _by_rank(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield choices of one of each group, those of small indices first."""
    start = (0,) * len(sizes)
    heap, seen = [(0, start)], {start}
    for _ in range(MOST_ARRANGEMENTS):
        if not heap:
            return
        rank, choice = heapq.heappop(heap)
        yield choice
        for at, size in enumerate(sizes):
            following = (*choice[:at], choice[at] + 1, *choice[at + 1 :])
            if following[at] < size and following not in seen:
                seen.add(following)
                heapq.heappush(heap, (rank + 1, following))


def _buffer(unit: Unit, given: Sequence[Unit]) -> Unit | None:
    """Return the source of an entry that is not trained: of the same path, else the one that is made anew."""
    return next((one for one in given if one.path == unit.path and one.shape == unit.shape), None)


def _filled(
    pairs: Sequence[tuple[Unit, Unit]], fixed: Sequence[tuple[Unit, Unit | None]], ours: State
) -> Arrangement:
    found: dict[str, dict[int, Piece]] = {}
    for unit, source in [*pairs, *((one, other) for one, other in fixed if other is not None)]:
        for member, own in unit.members.items():
            other = source.members.get(member)
            if other is not None:
                found.setdefault(own.name, {})[own.third or 0] = other
            elif member == "bias":
                found.setdefault(own.name, {})
    return {
        name: tuple(pieces[at] for at in sorted(pieces)) if pieces else ()
        for name, pieces in found.items()
        if name in ours
    }
