"""The models that a student's test is tried on: some have a causal mask that works, most do not.

Each is tiny, and drawn from a seed. All compute in float64 and put out float32, so that in those that are
right two orders of arithmetic give the same logits to the last bit, nearly always; but for one, which is
there for tests that take rounding for a leak. They are asked some hundred times for each submission, so each
is a handful of tensor operations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

VOCAB, MAX_LEN, WIDTH = 29, 64, 8
BLOCKED = -1e9

Scores = Tensor  # (batch, target, source)
Mix = Callable[[Scores], Tensor]  # scores to weights


@lru_cache(4096)  # several of each length up to the longest
def future(length: int, diagonal: int = 1) -> Tensor:
    """True where a target (row) must not see a source (column)."""
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal)


@lru_cache(256)
def distance(length: int) -> Tensor:
    """How far a source (column) is behind a target (row)."""
    places = torch.arange(length, dtype=torch.float64)
    return places[:, None] - places


def check_length(tokens: Tensor) -> None:
    """Attention grows with the square of the length, and what comes in may be anything."""
    if tokens.dim() > 1 and tokens.shape[1] > MAX_LEN:
        raise ValueError(f"{tokens.shape[1]} tokens: this model takes at most {MAX_LEN}")


def embeddings(table: Tensor, ids: Tensor) -> Tensor:
    """The rows of `table` for these ids. Every model says in the same words what cannot be one."""
    if ids.dim() != 2:
        raise ValueError(f"ids of shape {tuple(ids.shape)} came: this model takes (batch, length)")
    check_length(ids)
    try:
        return torch.embedding(table, ids)
    except (IndexError, RuntimeError):
        pass
    if ids.is_floating_point():
        raise ValueError(f"ids came as {str(ids.dtype)[6:]}: this model takes integers, such as int64")
    raise ValueError(f"ids from {ids.min()} to {ids.max()} came: this model takes 0 to {len(table) - 1}")


class Model(nn.Module):
    """Token ids (batch, length) in, logits (batch, length, vocabulary) out."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed * 1000
        # On a grid, so that float32, in which they are handed out, holds them and their sums exactly.
        self.tokens = (self.draw(VOCAB, WIDTH) * 256).round() / 256
        self.positions = (self.draw(MAX_LEN, WIDTH, scale=0.3) * 256).round() / 256
        self.head = self.draw(WIDTH, VOCAB, scale=0.7)
        self.precision = nn.Parameter(torch.zeros(()))  # its dtype is that of what comes out

    def draw(self, *shape: int, scale: float = 1.0) -> Tensor:
        self._seed += 1
        generator = torch.Generator().manual_seed(self._seed)
        return scale * torch.randn(*shape, generator=generator, dtype=torch.float64)

    def embedded(self, ids: Tensor) -> Tensor:
        return embeddings(self.tokens, ids) + self.positions[: ids.shape[-1]]

    def embed(self, ids: Tensor) -> Tensor:
        return self.embedded(ids).to(self.precision.dtype)

    def from_embedded(self, x: Tensor) -> Tensor:
        check_length(x)
        return (self.mixed(x.double()) @ self.head).to(self.precision.dtype)

    def forward(self, ids: Tensor) -> Tensor:
        return (self.mixed(self.embedded(ids)) @ self.head).to(self.precision.dtype)

    def mixed(self, x: Tensor) -> Tensor:
        """Let the tokens see each other: (batch, length, width) to the same."""
        raise NotImplementedError


class Attention(Model):
    """Self-attention: layers one after another, each of one `Mix` for every head.

    The projections of query and key are one matrix, those of value and output another. Queries and keys are
    small enough that no token weighs next to nothing: whoever looks at one that should not be seen sees it.
    """

    def __init__(self, seed: int, *layers: tuple[Mix, ...]) -> None:
        super().__init__(seed)
        self.layers = tuple(
            tuple(
                (mix, self.draw(WIDTH, WIDTH, scale=0.15), self.draw(WIDTH, WIDTH, scale=0.5))
                for mix in heads
            )
            for heads in layers
        )

    def mixed(self, x: Tensor) -> Tensor:
        for heads in self.layers:
            before = x
            for mix, query_key, value in heads:
                x = x + mix(before @ query_key @ before.mT) @ (before @ value)
        return x


def masked(scores: Scores) -> Tensor:
    """What a causal model does."""
    return scores.masked_fill(future(scores.shape[-1]), float("-inf")).softmax(-1)


def filled(blocked: Callable[[int], Tensor], fill: float = BLOCKED) -> Mix:
    """A softmax with `fill` where `blocked(length)` says."""
    return lambda scores: scores.masked_fill(blocked(scores.shape[-1]), fill).softmax(-1)


# Models that are right


class FlashAttention(Attention):
    def mixed(self, x: Tensor) -> Tensor:
        _, query_key, value = self.layers[0][0]
        return x + F.scaled_dot_product_attention(x @ query_key, x, x @ value, is_causal=True, scale=1.0)


def renormalised(scores: Scores) -> Tensor:
    # A softmax over everything would leave gradients of 1e-17 where they are zero.
    weights = (scores - scores.amax(-1, keepdim=True).detach()).exp() * ~future(scores.shape[-1])
    return weights / weights.sum(-1, keepdim=True)


@lru_cache(256)
def outside_the_window(length: int) -> Tensor:
    return future(length) | ~future(length, -2)


def biased_by_distance(scores: Scores) -> Tensor:
    return masked(scores - 0.5 * distance(scores.shape[-1]))


class Dropout(Attention):
    def mixed(self, x: Tensor) -> Tensor:
        return F.dropout(super().mixed(x), 0.2, self.training)


class Strict(Attention):
    """Each position sees the tokens before it only: the input is shifted right."""

    def mixed(self, x: Tensor) -> Tensor:
        return super().mixed(torch.cat([self.positions[:1].expand(len(x), 1, -1), x[:, :-1]], dim=1))


class UnbiasedNorm(Attention):
    """Norms over the features with an unbiased standard deviation."""

    def mixed(self, x: Tensor) -> Tensor:
        normed = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)
        return super().mixed(normed)


class Rounded(Attention):
    """Hidden states are rounded to bfloat16."""

    def mixed(self, x: Tensor) -> Tensor:
        return super().mixed(x.bfloat16().double()).bfloat16().double()


class RoundedByTheRow(Attention):
    """Sums come in an order that depends on the whole row, as in kernels that go block by block.

    So a later token moves float32 logits by their last bit. It moves no gradient, and nothing in float64.
    """

    def mixed(self, x: Tensor) -> Tensor:
        mixed = super().mixed(x)
        if self.precision.dtype != torch.float32:
            return mixed
        by_chance = (1000 * x.detach().sum((1, 2), keepdim=True)).sin()
        return mixed * (1 + 4e-8 * by_chance)


class Convolution(Model):
    """A convolution of width 3 that sees `ahead` tokens of the future."""

    def __init__(self, seed: int, ahead: int) -> None:
        super().__init__(seed)
        self.before, self.after = torch.zeros(1, 2 - ahead, WIDTH), torch.zeros(1, ahead, WIDTH)
        self.kernel = self.draw(3 * WIDTH, WIDTH, scale=0.4)

    def mixed(self, x: Tensor) -> Tensor:
        ends = self.before.expand(len(x), -1, -1), self.after.expand(len(x), -1, -1)
        padded = torch.cat([ends[0], x, ends[1]], dim=1)
        return x + padded.unfold(1, 3, 1).flatten(2) @ self.kernel


class Mean(Model):
    """Each position gets the mean of the tokens so far, or of all of them."""

    def __init__(self, seed: int, *, everything: bool) -> None:
        super().__init__(seed)
        self.everything = everything

    def mixed(self, x: Tensor) -> Tensor:
        if self.everything:
            return x + 2 * x.mean(dim=1, keepdim=True)
        return x + 2 * x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1).unsqueeze(-1)


@lru_cache(256)
def decay(length: int, both: bool) -> Tensor:
    """What is left of a source's input in a target's state."""
    left = 0.8 ** distance(length).abs()
    return left if both else left.tril()


class Recurrent(Model):
    """A linear recurrence, state = 0.8 · state + input, in one direction or in both; all steps at once."""

    def __init__(self, seed: int, *, both: bool) -> None:
        super().__init__(seed)
        self.both = both
        self.input = self.draw(WIDTH, WIDTH, scale=0.6)

    def mixed(self, x: Tensor) -> Tensor:
        return x + 2 * (decay(x.shape[1], self.both) @ (x @ self.input)).tanh()


# Masks that are broken


def zeroed_after_softmax(scores: Scores) -> Tensor:
    return scores.softmax(-1) * ~future(scores.shape[-1])


def multiplied(scores: Scores) -> Tensor:
    return (scores * ~future(scores.shape[-1])).softmax(-1)


def boolean_added(scores: Scores) -> Tensor:
    return (scores + future(scores.shape[-1])).softmax(-1)


def thrown_away(scores: Scores) -> Tensor:
    scores.masked_fill(future(scores.shape[-1]), float("-inf"))
    return scores.softmax(-1)


def over_targets(scores: Scores) -> Tensor:
    return scores.masked_fill(future(scores.shape[-1]), float("-inf")).softmax(-2)


def unmasked(scores: Scores) -> Tensor:
    return scores.softmax(-1)


# Masks that are broken at times


def beyond_16(length: int) -> Tensor:
    return future(length) & (torch.arange(length) < 16)


def blocks_of_four(length: int) -> Tensor:
    block = torch.arange(length) // 4
    return block[:, None] < block


def far_ahead(length: int) -> Tensor:
    return future(length) & ~future(length, 8)


def one_thousandth(scores: Scores) -> Tensor:
    return 0.999 * masked(scores) + 0.001 * scores.softmax(-1)


def later_rows(scores: Scores) -> Tensor:
    return torch.cat([masked(scores[:1]), unmasked(scores[1:])])


class OnlyInTraining(Attention):
    """Two ways to mix, for evaluation and for training."""

    def mixed(self, x: Tensor) -> Tensor:
        _, query_key, value = self.layers[0][0]
        mix = unmasked if self.training else masked
        return x + mix(x @ query_key @ x.mT) @ (x @ value)


class OverTime(Attention):
    """The mean over time is taken away first."""

    def mixed(self, x: Tensor) -> Tensor:
        return super().mixed(x - x.mean(dim=1, keepdim=True))


@dataclass(frozen=True)
class Kind:
    """A kind of model: `words` end the sentence "it is …"."""

    words: str
    make: Callable[[int], nn.Module]


def attention(*mixes: Mix | tuple[Mix, ...], kind: type[Attention] = Attention) -> Callable[[int], nn.Module]:
    """One layer for each of `mixes`, with as many heads as there are in it."""
    layers = [mix if isinstance(mix, tuple) else (mix,) for mix in mixes]
    return lambda seed: kind(seed, *layers)


RIGHT = (
    Kind("two layers of masked attention", attention(masked, masked)),
    Kind(
        "attention by F.scaled_dot_product_attention(..., is_causal=True)",
        attention(masked, kind=FlashAttention),
    ),
    Kind("attention to the last three tokens only", attention(filled(outside_the_window))),
    Kind("attention with a penalty on distance (ALiBi)", attention(biased_by_distance)),
    Kind(
        "a decoder whose input is shifted right, so that a token does not see itself",
        attention(masked, kind=Strict),
    ),
    Kind("a causal convolution", lambda s: Convolution(s, 0)),
    Kind("a mean of the tokens so far", lambda s: Mean(s, everything=False)),
    Kind("a recurrent net", lambda s: Recurrent(s, both=False)),
    Kind("a model with dropout 0.2", attention(masked, kind=Dropout)),
    Kind("a model in bfloat16", attention(masked, kind=Rounded)),
    Kind("a mask after the exponential, with weights that are made to sum to one", attention(renormalised)),
    Kind("masked attention after a norm over the features", attention(masked, kind=UnbiasedNorm)),
    Kind("attention that rounds the last bit by the whole row", attention(masked, kind=RoundedByTheRow)),
)

LEAKY = (
    Kind("no mask at all", attention(unmasked)),
    Kind("a transposed mask: only the future is seen", attention(filled(lambda n: future(n).mT))),
    Kind("diagonal=2: one token of the future is seen", attention(filled(lambda n: future(n, 2)))),
    Kind(
        "diagonal=0: the first token, which may see nothing, sees everything",
        attention(filled(lambda n: future(n, 0))),
    ),
    Kind("an inverted mask: what should be seen is blocked", attention(filled(lambda n: ~future(n)))),
    Kind("a mask after the softmax, without renormalising", attention(zeroed_after_softmax)),
    Kind("a mask multiplied into the scores", attention(multiplied)),
    Kind("a boolean mask added to the scores", attention(boolean_added)),
    Kind("a fill value of -3, which is too weak", attention(filled(future, -3.0))),
    Kind("a fill value of the wrong sign", attention(filled(future, -BLOCKED))),
    Kind("a masked_fill whose result is thrown away", attention(thrown_away)),
    Kind("two layers, the second of them without a mask", attention(masked, unmasked)),
    Kind("two heads, one of them without a mask", attention((masked, unmasked))),
    Kind("a softmax over the targets in place of the sources", attention(over_targets)),
    Kind("a convolution that sees one token of the future", lambda s: Convolution(s, 1)),
    Kind("a recurrent net in both directions", lambda s: Recurrent(s, both=True)),
    Kind("a mean of the whole sequence", lambda s: Mean(s, everything=True)),
)

SOMETIMES = (
    Kind("only positions after the 16th are seen too early", attention(filled(beyond_16))),
    Kind("the mask works in evaluation mode only", attention(masked, kind=OnlyInTraining)),
    Kind("the mask works in the first row of a batch only", attention(later_rows)),
    Kind("blocks of four tokens see each other", attention(filled(blocks_of_four))),
    Kind("only tokens at least eight ahead are seen", attention(filled(far_ahead))),
    Kind("the future weighs a thousandth", attention(one_thousandth)),
    Kind("the mean over time is taken away first", attention(masked, kind=OverTime)),
)


@lru_cache(maxsize=4)
def drawn(seed: int) -> tuple[tuple[Kind, nn.Module], ...]:
    """Every model, drawn from `seed`, in an order that `seed` decides too."""
    kinds = (*RIGHT, *LEAKY, *SOMETIMES)
    order = torch.randperm(len(kinds), generator=torch.Generator().manual_seed(seed)).tolist()
    return tuple((kinds[index], kinds[index].make(100 * seed + index)) for index in order)
