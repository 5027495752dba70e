"""The models that a student's test is tried on: some have a causal mask that works, most do not.

Each is tiny, and drawn from a seed. All compute in float64 and put out float32, so that in those that are
right two orders of arithmetic give the same logits to the last bit, nearly always.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

VOCAB, MAX_LEN, WIDTH, HEADS = 29, 64, 8, 2
BLOCKED = -1e9

Scores = Tensor  # (batch, heads, target, source)


def future(length: int, diagonal: int = 1) -> Tensor:
    """True where a target (row) must not see a source (column)."""
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal)


def check_length(tokens: Tensor) -> None:
    """Attention grows with the square of the length, and what comes in may be anything."""
    if tokens.dim() > 1 and tokens.shape[1] > MAX_LEN:
        raise ValueError(f"{tokens.shape[1]} tokens: this model takes at most {MAX_LEN}")


class Model(nn.Module):
    """Token ids (batch, length) in, logits (batch, length, vocabulary) out."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed * 1000
        self.tokens = self.draw(VOCAB, WIDTH)
        self.positions = self.draw(MAX_LEN, WIDTH, scale=0.3)
        self.head = self.draw(WIDTH, VOCAB, scale=0.7)
        self.precision = nn.Parameter(torch.zeros(()))  # its dtype is that of what comes out

    def draw(self, *shape: int, scale: float = 1.0) -> nn.Parameter:
        self._seed += 1
        generator = torch.Generator().manual_seed(self._seed)
        return nn.Parameter(scale * torch.randn(*shape, generator=generator, dtype=torch.float64))

    def embed(self, ids: Tensor) -> Tensor:
        check_length(ids)
        return (F.embedding(ids, self.tokens) + self.positions[: ids.shape[-1]]).to(self.precision.dtype)

    def from_embedded(self, x: Tensor) -> Tensor:
        check_length(x)
        return (self.mixed(x.double()) @ self.head.double()).to(self.precision.dtype)

    def forward(self, ids: Tensor) -> Tensor:
        return self.from_embedded(self.embed(ids))

    def mixed(self, x: Tensor) -> Tensor:
        """Let the tokens see each other: (batch, length, width) to the same."""
        raise NotImplementedError


class Attention(Model):
    """Self-attention; `mix` turns scores into weights, once for each layer."""

    def __init__(self, seed: int, *mixes: Callable[[Scores], Tensor]) -> None:
        super().__init__(seed)
        self.mixes = mixes
        self.projections = nn.ParameterList(self.draw(WIDTH, 3 * WIDTH, scale=0.5) for _ in mixes)

    def mixed(self, x: Tensor) -> Tensor:
        for mix, projection in zip(self.mixes, self.projections, strict=True):
            x = x + self.attend(x, projection, mix)
        return x

    def attend(self, x: Tensor, projection: Tensor, mix: Callable[[Scores], Tensor]) -> Tensor:
        query, key, value = self.heads(x, projection)
        scores = query @ key.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        return self.merged(mix(scores) @ value)

    @staticmethod
    def heads(x: Tensor, projection: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (x @ projection.double()).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4).unbind(0)

    @staticmethod
    def merged(context: Tensor) -> Tensor:
        return context.transpose(1, 2).flatten(-2)


def masked(scores: Scores) -> Tensor:
    """What a causal model does."""
    return scores.masked_fill(future(scores.shape[-1]), float("-inf")).softmax(-1)


def filled(blocked: Callable[[int], Tensor], fill: float = BLOCKED) -> Callable[[Scores], Tensor]:
    """A softmax with `fill` where `blocked(length)` says."""
    return lambda scores: scores.masked_fill(blocked(scores.shape[-1]), fill).softmax(-1)


# Models that are right


class FlashAttention(Attention):
    def attend(self, x: Tensor, projection: Tensor, mix: Callable[[Scores], Tensor]) -> Tensor:  # noqa: ARG002
        return self.merged(F.scaled_dot_product_attention(*self.heads(x, projection), is_causal=True))


def additive(scores: Scores) -> Tensor:
    return (scores + torch.where(future(scores.shape[-1]), -1e4, 0.0)).softmax(-1)


def renormalised(scores: Scores) -> Tensor:
    # A softmax over everything would leave gradients of 1e-17 where they are zero.
    weights = (scores - scores.amax(-1, keepdim=True).detach()).exp() * ~future(scores.shape[-1])
    return weights / weights.sum(-1, keepdim=True)


def windowed(scores: Scores) -> Tensor:
    length = scores.shape[-1]
    return scores.masked_fill(future(length) | ~future(length, -2), float("-inf")).softmax(-1)


def biased_by_distance(scores: Scores) -> Tensor:
    places = torch.arange(scores.shape[-1])
    slopes = torch.tensor([0.5, 0.25], dtype=scores.dtype).view(-1, 1, 1)
    return masked(scores - slopes * (places[:, None] - places))


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
        return x + self.attend(normed, self.projections[0], self.mixes[0])


class Rounded(Attention):
    """Weights and hidden states are rounded to bfloat16."""

    def mixed(self, x: Tensor) -> Tensor:
        return super().mixed(x.bfloat16().double()).bfloat16().double()

    def heads(self, x: Tensor, projection: Tensor) -> tuple[Tensor, Tensor, Tensor]:  # type: ignore[override]
        return super().heads(x, projection.bfloat16())


class TokenByToken(Attention):
    """Each position is computed by itself, from the tokens up to it."""

    def attend(self, x: Tensor, projection: Tensor, mix: Callable[[Scores], Tensor]) -> Tensor:  # noqa: ARG002
        query, key, value = self.heads(x, projection)
        found = []
        for end in range(1, x.shape[1] + 1):
            scores = query[..., end - 1 : end, :] @ key[..., :end, :].transpose(-2, -1)
            found.append(scores.softmax(-1) @ value[..., :end, :])
        return self.merged(torch.cat(found, dim=-2) if found else value)


class Convolution(Model):
    """A convolution of width 3 that sees `ahead` tokens of the future."""

    def __init__(self, seed: int, ahead: int) -> None:
        super().__init__(seed)
        self.ahead = ahead
        self.kernel = self.draw(WIDTH, WIDTH, 3, scale=0.4)

    def mixed(self, x: Tensor) -> Tensor:
        padded = F.pad(x.transpose(1, 2), (2 - self.ahead, self.ahead))
        return x + F.conv1d(padded, self.kernel.double()).transpose(1, 2)


class Mean(Model):
    """Each position gets the mean of the tokens so far, or of all of them."""

    def __init__(self, seed: int, *, everything: bool) -> None:
        super().__init__(seed)
        self.everything = everything

    def mixed(self, x: Tensor) -> Tensor:
        if self.everything:
            return x + 2 * x.mean(dim=1, keepdim=True)
        return x + 2 * x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1).unsqueeze(-1)


class Recurrent(Model):
    """A GRU, in one direction or in both."""

    def __init__(self, seed: int, *, both: bool) -> None:
        super().__init__(seed)
        self.gru = nn.GRU(WIDTH, WIDTH // (2 if both else 1), batch_first=True, bidirectional=both).double()
        with torch.no_grad():
            for weight in self.gru.parameters():
                weight.copy_(self.draw(*weight.shape, scale=0.6))

    def mixed(self, x: Tensor) -> Tensor:
        return x + 2 * self.gru.double()(x)[0]


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


def one_head(scores: Scores) -> Tensor:
    blocked = future(scores.shape[-1]).expand(HEADS, -1, -1).clone()
    blocked[0] = False
    return scores.masked_fill(blocked, float("-inf")).softmax(-1)


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


def fifth_position(length: int) -> Tensor:
    return future(length) & (torch.arange(length) != 4)[:, None]


def one_thousandth(scores: Scores) -> Tensor:
    return 0.999 * masked(scores) + 0.001 * scores.softmax(-1)


def later_rows(scores: Scores) -> Tensor:
    return torch.cat([masked(scores[:1]), unmasked(scores[1:])])


class OnlyInTraining(Attention):
    def attend(self, x: Tensor, projection: Tensor, mix: Callable[[Scores], Tensor]) -> Tensor:
        return super().attend(x, projection, unmasked if self.training else mix)


class RareToken(Attention):
    """The mask is gone in rows that hold the last token of the vocabulary."""

    def mixed(self, x: Tensor) -> Tensor:
        rare = self.tokens[-1] + self.positions[: x.shape[1]]
        here = torch.isclose(x, rare, atol=1e-5).all(-1).any(-1).view(-1, 1, 1, 1)
        return x + self.attend(
            x, self.projections[0], lambda scores: torch.where(here, unmasked(scores), masked(scores))
        )


class OverTime(Attention):
    """The mean over time is taken away first."""

    def mixed(self, x: Tensor) -> Tensor:
        return super().mixed(x - x.mean(dim=1, keepdim=True))


@dataclass(frozen=True)
class Kind:
    """A kind of model: `words` end the sentence "it is …"."""

    words: str
    make: Callable[[int], nn.Module]


def attention(*mixes: Callable[[Scores], Tensor]) -> Callable[[int], nn.Module]:
    return lambda seed: Attention(seed, *mixes)


RIGHT = (
    Kind("two layers of masked attention", attention(masked, masked)),
    Kind(
        "attention by F.scaled_dot_product_attention(..., is_causal=True)",
        lambda s: FlashAttention(s, masked),
    ),
    Kind("a mask of -1e4 that is added to the scores", attention(additive)),
    Kind("attention to the last three tokens only", attention(windowed)),
    Kind("attention with a penalty on distance (ALiBi)", attention(biased_by_distance)),
    Kind(
        "a decoder whose input is shifted right, so that a token does not see itself",
        lambda s: Strict(s, masked),
    ),
    Kind("a causal convolution", lambda s: Convolution(s, 0)),
    Kind("a mean of the tokens so far", lambda s: Mean(s, everything=False)),
    Kind("a GRU", lambda s: Recurrent(s, both=False)),
    Kind("a model that computes each position by itself", lambda s: TokenByToken(s, masked)),
    Kind("a model with dropout 0.2", lambda s: Dropout(s, masked)),
    Kind("a model in bfloat16", lambda s: Rounded(s, masked)),
    Kind("a mask after the exponential, with weights that are made to sum to one", attention(renormalised)),
    Kind("masked attention after a norm over the features", lambda s: UnbiasedNorm(s, masked)),
)

LEAKY = (
    Kind("no mask at all", attention(unmasked)),
    Kind("a transposed mask: only the future is seen", attention(filled(lambda n: future(n).T))),
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
    Kind("two heads, one of them without a mask", attention(one_head)),
    Kind("a softmax over the targets in place of the sources", attention(over_targets)),
    Kind("a convolution that sees one token of the future", lambda s: Convolution(s, 1)),
    Kind("a GRU in both directions", lambda s: Recurrent(s, both=True)),
    Kind("a mean of the whole sequence", lambda s: Mean(s, everything=True)),
)

SOMETIMES = (
    Kind("only positions after the 16th are seen too early", attention(filled(beyond_16))),
    Kind("the mask works in evaluation mode only", lambda s: OnlyInTraining(s, masked)),
    Kind("the mask works in the first row of a batch only", attention(later_rows)),
    Kind("one rare token takes the mask away", lambda s: RareToken(s, masked)),
    Kind("blocks of four tokens see each other", attention(filled(blocks_of_four))),
    Kind("only tokens at least eight ahead are seen", attention(filled(far_ahead))),
    Kind("only the fifth position sees the future", attention(filled(fifth_position))),
    Kind("the future weighs a thousandth", attention(one_thousandth)),
    Kind("the mean over time is taken away first", lambda s: OverTime(s, masked)),
)


@lru_cache(maxsize=4)
def drawn(seed: int) -> tuple[tuple[Kind, nn.Module], ...]:
    """Every model, drawn from `seed`, in an order that `seed` decides too."""
    kinds = (*RIGHT, *LEAKY, *SOMETIMES)
    order = torch.randperm(len(kinds), generator=torch.Generator().manual_seed(seed)).tolist()
    return tuple((kinds[index], kinds[index].make(100 * seed + index)) for index in order)
