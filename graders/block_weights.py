"""The weights of a student's encoder block, found by shape and role, whatever its parameters are called.

Query, key, value and output may be four matrices, one packed, one for each head, stored either way round.
So a block is given fresh weights, and every plausible reading of them is tried: the one under which the
formula gives the block's own output is how it reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product

import torch
from torch import Tensor

from graders.block_formula import Form, Readings, block

Layout = tuple[Tensor, Tensor, Tensor, Tensor]  # rows of query, key, value, output: head after head


@dataclass(frozen=True)
class Sizes:
    """What a block was made with. `dim_feedforward`, `d_model` and the size of a head differ."""

    d_model: int
    num_heads: int
    dim_feedforward: int

    @property
    def head_dim(self) -> int:
        return self.d_model // self.num_heads


@dataclass(frozen=True)
class Found:
    """The parameters of a block by role, in the order in which it registers them."""

    attention: tuple[str, ...]
    feed_forward: tuple[str, ...]
    gains: tuple[str, ...]
    unknown: tuple[str, ...] = ()  # no biases either, which are known by their name or start at zero

    def problem(self, initial: Mapping[str, Tensor], sizes: Sizes) -> str | None:
        """Say why these cannot be read as the weights of a block, if they cannot."""
        rows = sum(initial[name].numel() for name in self.attention) // sizes.d_model
        if rows != 4 * sizes.d_model:
            return "query, key, value and output are not four matrices of (d_model, d_model) together"
        if len(self.feed_forward) != 2:
            return "the feed-forward network is not two matrices"
        if len(self.gains) not in (0, 2):
            return f"{len(self.gains)} norms with a weight were found"
        if self.unknown:
            return f"what {self.unknown[0]} is for is not known"
        return None


def find_roles(initial: Mapping[str, Tensor], sizes: Sizes) -> Found:
    """Sort parameters by what they are, from their values as the block was made (a norm starts with ones)."""
    attention, feed_forward, gains, unknown = [], [], [], []
    for name, value in initial.items():
        plain = value.squeeze()
        if plain.dim() > 1 and sizes.dim_feedforward in plain.shape:
            feed_forward.append(name)
        elif plain.dim() > 1 and sizes.d_model in plain.shape:
            attention.append(name)
        elif plain.shape == (sizes.d_model,) and bool((plain == 1).all()):
            gains.append(name)
        elif "bias" not in name and bool(plain.any()):
            unknown.append(name)
    return Found(tuple(attention), tuple(feed_forward), tuple(gains), tuple(unknown))


def fresh_state(
    initial: Mapping[str, Tensor], found: Found, sizes: Sizes, generator: torch.Generator
) -> dict[str, Tensor]:
    """Return fresh values for every parameter: matrices drawn, gains near one, biases zero."""
    state = {}
    for name, value in initial.items():
        drawn = torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
        if name in found.gains:
            state[name] = 1 + 0.4 * drawn
        elif name in found.attention:
            state[name] = 1.2 * sizes.d_model**-0.5 * drawn
        elif name in found.feed_forward:
            # Large enough for hidden features beyond 6, where ReLU6 would stop.
            state[name] = 3 * sizes.d_model**-0.5 * drawn
        else:
            state[name] = value if name in found.unknown else torch.zeros_like(value)
    return state


@dataclass(frozen=True)
class BlockWeights:
    """The weights that a block has, by its own names, and what is known of their roles."""

    state: Mapping[str, Tensor]
    found: Found
    sizes: Sizes

    def first(self) -> Readings:
        """The most usual reading: query, key, value, output, and the norms in the order of their use."""
        return next(self._batches())

    def match(self, x: Tensor, output: Tensor, form: Form, near: float) -> Readings | None:
        """Return the reading under which a block of this form gives `output` for `x`, if there is one."""
        for readings in self._batches():
            difference = (block(x, readings, form) - output).abs().flatten(1).amax(1)
            best = int(difference.nan_to_num(nan=torch.inf).argmin())
            if float(difference[best]) < near:
                return readings[best]
        return None

    def _batches(self) -> Iterator[Readings]:
        """The most usual reading alone, then those in which query, key and value stand apart, then others."""
        yield _readings(self, [next(_apart(self.sizes))], usual=True)
        layouts = list(_apart(self.sizes))
        yield _readings(self, layouts)
        square = (self.sizes.d_model, self.sizes.d_model)
        squares = [name for name in self.found.attention if self.state[name].squeeze().shape == square]
        if len(squares) < 4:
            layouts = list(_packed(self.sizes))
            yield _readings(self, layouts)
            layouts += _apart(self.sizes)
        if any(not name.endswith("weight") for name in squares):
            for turned in ((True, True), (True, False), (False, True)):
                yield _readings(self, layouts, turned=turned)


def _readings(
    weights: BlockWeights,
    layouts: Sequence[Layout],
    *,
    usual: bool = False,
    turned: tuple[bool, bool] = (False, False),
) -> Readings:
    """All readings with these layouts; `turned`: square matrices (of the inputs, of the output) are stored
    as (in, out) and not as nn.Linear stores them, (out, in)."""
    state, found, sizes = weights.state, weights.found, weights.sizes
    d = sizes.d_model
    matrices = [state[name].squeeze() for name in found.attention]
    inputs = torch.cat([_rows(matrix, d, turned[0]) for matrix in matrices])
    outputs = torch.cat([_rows(matrix, d, not turned[1]) for matrix in matrices])
    first, second = (_rows(state[name].squeeze(), d, False) for name in found.feed_forward)
    if found.gains:
        gain1, gain2 = (state[name].squeeze() for name in found.gains)
    else:
        gain1 = gain2 = torch.ones(d, dtype=inputs.dtype)
    # Which norm, which feed-forward matrix comes first, and what a norm divides by.
    choices = list(islice(product((0, 1), repeat=3), 1 if usual else None))
    many = len(choices)

    def each(values: Sequence[Tensor]) -> Tensor:
        return torch.stack(list(values)).repeat(len(layouts), *[1] * values[0].dim())

    def heads(table: Tensor, part: int) -> Tensor:
        rows = torch.stack([layout[part] for layout in layouts])  # (layouts, d_model)
        read = table[rows].reshape(len(layouts), sizes.num_heads, sizes.head_dim, d)
        return read.repeat_interleave(many, dim=0)

    return Readings(
        query=heads(inputs, 0),
        key=heads(inputs, 1),
        value=heads(inputs, 2),
        output=heads(outputs, 3),
        linear1=each([second if choice[1] else first for choice in choices]),
        linear2=each([first if choice[1] else second for choice in choices]),
        gain1=each([gain2 if choice[0] else gain1 for choice in choices]),
        gain2=each([gain1 if choice[0] else gain2 for choice in choices]),
        correction=each([torch.tensor(choice[2]) for choice in choices]),
    )


def _rows(matrix: Tensor, d_model: int, turn: bool) -> Tensor:
    """A parameter as rows of d_model: its axis of that size last, the others before it in their order."""
    if matrix.shape == (d_model, d_model):
        return matrix.T if turn else matrix
    axis = list(matrix.shape).index(d_model)
    return matrix.movedim(axis, -1).reshape(-1, d_model)


def _apart(sizes: Sizes) -> Iterator[Layout]:
    """Four groups of d_model rows in any order, the features of a head next to each other or not."""
    blocks = torch.arange(4 * sizes.d_model).view(4, sizes.d_model)
    strided = blocks.view(4, sizes.head_dim, sizes.num_heads).transpose(1, 2).flatten(1)
    for ins, outs in product((blocks, strided), repeat=2):
        for query, key, value, output in permutations(range(4)):
            yield ins[query], ins[key], ins[value], outs[output]


def _packed(sizes: Sizes) -> Iterator[Layout]:
    """Query, key and value (or two of them, or the output as well) packed head by head."""
    d, heads, head_dim = sizes.d_model, sizes.num_heads, sizes.head_dim
    rows = torch.arange(4 * d)
    strided = torch.arange(d).view(head_dim, heads).T.flatten()
    for packed, output in ((rows[: 3 * d], rows[3 * d :]), (rows[d:], rows[:d])):
        grids = (
            packed.view(heads, 3, head_dim).movedim(1, 0),
            packed.view(heads, head_dim, 3).movedim(2, 0),
            packed.view(head_dim, 3, heads).permute(1, 2, 0),
            packed.view(head_dim, heads, 3).permute(2, 1, 0),
        )
        for grid, outs in product(grids, (output, output[strided])):
            for query, key, value in permutations(grid.flatten(1)):
                yield query, key, value, outs
    for query, key, value, output in permutations(rows.view(heads, 4, head_dim).movedim(1, 0).flatten(1)):
        yield query, key, value, output
    for alone, pair in ((rows[:d], rows[d : 3 * d]), (rows[2 * d : 3 * d], rows[: 2 * d])):
        for one, other in permutations(pair.view(heads, 2, head_dim).movedim(1, 0).flatten(1)):
            yield alone, one, other, rows[3 * d :]
