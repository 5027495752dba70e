"""Heads, scale, masks and the projection, each judged apart.

Parameters may be laid out in any way, so nothing is compared with a module of our own: what each head
computes is found out from the answers (see graders.heads), and masked answers are compared with unmasked.
"""

from dataclasses import dataclass
from functools import lru_cache

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import (
    CheckFailure,
    RemoteModule,
    attention_map,
    cases,
    close,
    fail,
    fresh_tensor,
    influence_map,
    moved_by,
    points,
    same,
    tensor,
    unpack,
)
from graders.heads import ScoresOf, factors, fit_output, rank
from graders.single import NEAR, far, in_float32

# √head_dim, √d_model, head_dim, d_model and the number of heads are all different.
D_MODEL, HEADS, HEAD_DIM = 6, 3, 2
# 84 targets for the 19 numbers behind each feature of the output.
BATCH, LENGTH = 12, 7

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(0, 2**32 - 1).filter(lambda seed: seed > 1000)
ATTENTION = "Multi-head attention"
MASKS = "Masks: True means blocked"
NO_SOFTMAX = "The weights are not the softmax of query · key of the target and the source."
OTHER_WEIGHTS = "The output is not made of the weights that were returned."


@dataclass
class Attention:
    """The student's module in evaluation mode, its parameters set."""

    module: RemoteModule
    dtype: torch.dtype
    state: dict[str, Tensor]
    trained: frozenset[str]
    heads: int

    def __call__(self, x: Tensor, grad: bool = True, **masks: Tensor) -> tuple[Tensor, Tensor]:
        """Output and weights, of the right shapes."""
        return self.of(self.module, x, grad, **masks)

    def of(
        self, module: RemoteModule, x: Tensor, grad: bool = True, **masks: Tensor
    ) -> tuple[Tensor, Tensor]:
        answer = module(x, **masks) if grad else module.no_grad(x, **masks)
        return self.checked(answer, x, finite=not masks)  # padded targets are nobody's business

    def checked(self, answer, x: Tensor, finite: bool = False) -> tuple[Tensor, Tensor]:
        batch, length, _ = x.shape
        output, weights = unpack(answer, "output", "weights")
        shape = (batch, self.heads, length, length)
        return (
            tensor(output, shape=x.shape, dtype=x.dtype, what="the output", finite=finite),
            tensor(weights, shape=shape, dtype=x.dtype, what="the weights", finite=finite),
        )

    def parameters(self) -> list[Tensor]:
        return [value for name, value in self.state.items() if name in self.trained]

    @property
    def exact(self) -> float:
        """How far the answers of correct code may be from exact."""
        return 1e-8 if self.dtype == torch.float64 else 1e-3

    def unlike(self, message: str, residual: float) -> None:
        """Fail where a fit leaves more than rounding; what is as exact as float32 is asked again in it."""
        if not residual <= self.exact:
            raise CheckFailure(message, precision=self.dtype == torch.float64 and residual < 1e-3)


@pytest.fixture(scope="module")
def built():
    """The module of the submission that is graded now, so that it is built once."""
    return {}


@pytest.fixture
def attention(student, built):
    found = built.get(student.dtype)
    module = found and found.module.asked_by(student)
    if module is None:
        found = built[student.dtype] = build(student, D_MODEL, HEADS)
        return found
    found.module = module
    return found


def build(student, d_model: int, heads: int, scale: float = 0.6) -> Attention:
    module = student.build("MultiHeadSelfAttention", d_model, heads).eval()
    module(fresh_tensor(2, 3, d_model, seed=0))  # lazy layers have no parameters before
    parameters = [one.name for one in module.parameters() if one.requires_grad]
    state = module.state_dict()
    # What starts at zero, or equal, would hide mistakes.
    for i, name in enumerate(sorted(parameters)):
        if name in state and state[name].dim():
            value = scale * fresh_tensor(*state[name].shape, seed=i)
            state[name] = value.to(state[name].dtype)
    module.load_state_dict(state)
    return Attention(module, student.dtype, state, frozenset(parameters), heads)


def x_of(seed: int, batch: int = BATCH, length: int = LENGTH) -> Tensor:
    return fresh_tensor(batch, length, D_MODEL, seed=seed)


@lru_cache(64)
def scores_of(seed: int) -> ScoresOf:
    return ScoresOf(x_of(seed).double())


def alive(weights: Tensor) -> None:
    """Fail where all sources share alike: masks and outputs are easily right then, and say nothing."""
    # The last target is one that a causal mask leaves every source.
    last = weights[..., -1, :]
    if not float((last - last.mean(dim=-1, keepdim=True)).abs().amax(dim=(0, 2)).min()) > 1e-6:
        fail("The weights do not depend on x: a head gives every source the same.", got=weights[0])


def what_moves(attention: Attention, x: Tensor) -> str:
    """Say what does not follow when rows or positions change places, to make a failure plain."""
    for what, dim in (("rows of the batch", 0), ("positions", 1)):
        if float((attention(x.flip(dim))[0].flip(dim) - attention(x)[0]).abs().max()) > 1e-5:
            return f" When the {what} are put in reverse order, the output does not follow."
    return ""


@points(
    2,
    section=ATTENTION,
    hint="softmax of query · keyᵀ over the sources; split by view(B, T, heads, head_dim).transpose(1, 2).",
)
@cases(SEEDS, n=1)
def test_weights_per_head(attention, seed):
    """Each head's weights are the softmax of query · key, over the sources, of the two positions alone."""
    x = x_of(seed)
    _, weights = attention(x)
    sums = weights.sum(dim=-1)
    if not float((sums - 1).abs().max()) <= 1e-5:
        fail("A row of the weights, over the sources, does not sum to one.", got=weights[0])
    alive(weights)
    _, residual = scores_of(seed).fit(weights)
    if not residual <= attention.exact:
        attention.unlike(NO_SOFTMAX + what_moves(attention, x), residual)


@points(
    3,
    requires=("test_weights_per_head",),
    section="Why divide by √d_k?",
    hint="Divide query · key by √head_dim, head_dim = d_model // num_heads, before the softmax.",
)
@cases(SEEDS, n=1)
def test_scale(student, attention, seed):
    """The scores are query · key divided by √head_dim."""
    _, weights = attention(x_of(seed))
    matrices, residual = scores_of(seed).fit(weights)
    attention.unlike(NO_SOFTMAX, residual)
    found = factors(matrices, attention.parameters(), HEAD_DIM, attention.exact)
    right = HEAD_DIM**-0.5
    for factor in found:
        if not abs(factor / right - 1) <= 10 * attention.exact:
            fail(
                f"With d_model = {D_MODEL} and {HEADS} heads, the scores are query · key times "
                f"{factor:.4g}; 1/√{HEAD_DIM} = {right:.4g} was expected."
            )
    where = "found in the parameters" if found else "not found: the parameters could not be told apart"
    student.fact("the scale", where)


@points(
    2,
    section=ATTENTION,
    hint="heads.transpose(1, 2) before the heads are merged: each position keeps what its own weights gave.",
)
@cases(SEEDS, n=1)
def test_output_made_of_weights(attention, seed):
    """The output is what the returned weights gather from the values, with a mask as well."""
    x = x_of(seed)
    masks = {}, {"attn_mask": reference.causal_mask(LENGTH)}
    outputs, weights = zip(*(attention(x, **mask) for mask in masks), strict=True)
    alive(weights[0])
    _, residual = fit_output(torch.cat([x, x]), torch.cat(weights), torch.cat(outputs))
    if residual <= attention.exact:
        return
    said = "With a causal mask, the output is not made of the weights that were returned."
    if not fit_output(x, weights[0], outputs[0])[1] <= attention.exact:
        said = OTHER_WEIGHTS + what_moves(attention, x)
    attention.unlike(said, residual)


@points(
    2,
    requires=("test_weights_per_head",),
    section=ATTENTION,
    hint="Project x with d_model × d_model, then split: each head gets head_dim features made of all of x.",
)
@cases(SEEDS, n=1)
def test_heads_of_their_own(attention, seed):
    """Each head has queries, keys and values of its own, with head_dim features made of all features of x."""
    x = x_of(seed)
    output, weights = attention(x)
    (scores, one), (outputs, other) = scores_of(seed).fit(weights), fit_output(x, weights, output)
    attention.unlike(NO_SOFTMAX, max(one, other if other < 1e-3 else 0))
    exact = attention.exact
    if not float((scores - scores.transpose(1, 2)).abs().max()) > exact:
        fail("Target and source count alike in the scores: the keys are the queries.")
    projections = {"queries": scores, "keys": scores.transpose(1, 2)}
    if other <= exact:  # where the output is wrong, that is judged elsewhere
        projections["values"] = outputs
    for what, matrices in projections.items():
        seen = matrices.abs().amax(dim=2)  # (heads, features of x)
        if not bool((seen > exact * seen.max()).all()):
            fail(f"The {what} of a head do not depend on all {D_MODEL} features of x.")
        for head, matrix in enumerate(matrices):
            features = rank(matrix, exact)
            if features > HEAD_DIM:
                fail(f"Head {head} uses {features} features for the {what}; {HEAD_DIM} are its share.")
        together = rank(torch.cat(list(matrices), dim=1), exact)
        if together < D_MODEL:
            fail(
                f"The {what} of all {HEADS} heads hold {together} independent features; "
                f"{D_MODEL} were expected: heads share their {what}."
            )


@points(
    2,
    requires=("test_output_made_of_weights",),
    section=ATTENTION,
    hint="Concatenate the heads to d_model features and apply one more nn.Linear(d_model, d_model).",
)
@cases(SEEDS, n=1)
def test_output_projection(attention, seed):
    """The heads are concatenated, and a linear layer makes each feature of the output from all of them."""
    x = x_of(seed)
    output, weights = attention(x)
    matrices, residual = fit_output(x, weights, output)
    attention.unlike(OTHER_WEIGHTS, residual)
    if not float(matrices.abs().max()) > attention.exact:
        fail("The output does not depend on what the heads gather.")
    share = matrices.abs().amax(dim=1)  # (heads, features of the output)
    if not bool((share > attention.exact * share.max()).all()):
        fail("A feature of the output is made of some heads only: the output projection is missing.")
    together = rank(torch.cat(list(matrices)), attention.exact)
    if together < D_MODEL:
        fail(f"The heads share {together} features of the output; concatenated, they have {D_MODEL}.")
    for factor in factors(matrices, attention.parameters(), HEAD_DIM, attention.exact):
        if not abs(factor - 1) <= 10 * attention.exact:
            fail(f"The heads are multiplied by {factor:.4g} on their way into the output.")


def renormalised(weights: Tensor, blocked: Tensor) -> Tensor:
    """What the weights become where some sources are blocked: the others share them out."""
    rest = weights.masked_fill(blocked, 0)
    return rest / rest.sum(dim=-1, keepdim=True)


def compare_weights(got: Tensor, unmasked: Tensor, blocked: Tensor, real: Tensor | None = None) -> None:
    """Compare the weights of real targets, (batch, target), with the unmasked ones, shared out."""
    alive(unmasked)
    blocked = blocked.expand(len(got), *blocked.shape[-2:])
    expected = renormalised(unmasked, blocked.unsqueeze(1))
    if real is not None:  # padded targets are nobody's business
        wanted = real[:, None, :, None]
        got, expected = got.where(wanted, 0), expected.where(wanted, 0)
    differs = (~((got - expected).abs() <= 1e-6)).flatten(2).any(dim=-1).nonzero()
    if len(differs):
        row, head = differs[0].tolist()
        picture = attention_map(got[row, head], expected[row, head], blocked=blocked[row])
        weight = float(got.masked_fill(~blocked.unsqueeze(1), 0).abs().nan_to_num(nan=1.0).max())
        said = f"a blocked source has the weight {weight:.3g}" if weight > 1e-6 else "they differ elsewhere"
        fail(
            f"The weights are not those without a mask, shared out among the open sources: {said}.",
            got=got[row, head],
            expected=expected[row, head],
            pictures=[picture],
        )


def compare_influence(
    attention: Attention, seed: int, allowed: Tensor, free: Tensor, **masks: Tensor
) -> None:
    """Change one position after another: just what is `allowed` may move the outputs that are not `free`."""
    x = x_of(seed, batch=1, length=len(allowed))[0]

    def ask(batch: Tensor) -> Tensor:
        padding = masks.get("key_padding_mask")
        rows = {} if padding is None else {"key_padding_mask": padding.expand(len(batch), -1)}
        # Weights have been compared with autograd; here each mask acts alone without it.
        return attention(batch, grad=False, **{**masks, **rows})[0]

    def change(x: Tensor, source: int) -> Tensor:
        return torch.cat([x[:source], 2 - x[source : source + 1].flip(-1), x[source + 1 :]])

    moved = moved_by(ask, x, change, by_more_than=1e-9 if attention.dtype == torch.float64 else 1e-5)
    moved = torch.where(free, allowed, moved)
    wrong = (moved != allowed).nonzero()
    if len(wrong):
        target, source = wrong[0].tolist()
        verb = "moved" if moved[target, source] else "did not move"
        fail(
            f"Position {source} of x was changed (under torch.no_grad()), and the output at position "
            f"{target} {verb}.",
            pictures=[influence_map(moved, allowed)],
        )


@points(
    2,
    section=MASKS,
    hint="Fill blocked scores with -inf before the softmax: True means blocked, (target, source).",
)
@cases(SEEDS, n=1)
def test_attn_mask(attention, seed):
    """A source that attn_mask blocks for a target gets no weight and does not move that target's output."""
    x, blocked = x_of(seed, batch=3), some_blocked(seed)
    _, unmasked = attention(x)
    _, weights = attention(x, attn_mask=blocked)
    compare_weights(weights, unmasked, blocked)
    causal = reference.causal_mask(LENGTH)
    compare_influence(attention, seed, ~causal, torch.zeros_like(causal), attn_mask=causal)


def some_blocked(seed: int) -> Tensor:
    """A mask (target, source), not symmetric; all targets may look at source 0, not all at themselves."""
    blocked = torch.rand(LENGTH, LENGTH, generator=torch.Generator().manual_seed(seed)) < 0.5
    blocked[0], blocked[:, 0] = True, False
    blocked[-1, -1], blocked[-2, -2] = True, False
    return blocked


def lengths_of(seed: int) -> Tensor:
    """The real tokens of three rows: one, some, all."""
    return torch.tensor([[1, 4, LENGTH], [LENGTH, 1, 3], [5, LENGTH, 1]][seed % 3])


@points(
    2, section=MASKS, hint="key_padding_mask[:, None, None, :] blocks sources: it belongs to the last axis."
)
@cases(SEEDS, n=1)
def test_key_padding_mask(attention, seed):
    """Padding gets no weight and moves no output of a real token, whatever it holds and however long."""
    lengths = lengths_of(seed)
    x, padding = x_of(seed, batch=3), reference.padding_mask(lengths, LENGTH)
    _, unmasked = attention(x)
    output, weights = attention(x, key_padding_mask=padding)
    compare_weights(weights, unmasked, padding.unsqueeze(1), real=~padding)
    row = reference.padding_mask(torch.tensor([4]), LENGTH)
    real = ~row[0]
    free = ~real.unsqueeze(1).expand(-1, LENGTH)
    compare_influence(attention, seed, real.expand(LENGTH, -1), free, key_padding_mask=row)
    wide = torch.cat([x, 3 - x[:, :2]], dim=1)
    got, _ = attention(wide, key_padding_mask=reference.padding_mask(lengths, LENGTH + 2))
    for one in (got[:, :LENGTH], output):
        tensor(one[~padding], what="the output of the real tokens", finite=True)
    change = float((got[:, :LENGTH] - output)[~padding].abs().max())
    if change > 1e-5:
        fail(
            f"Two more positions of padding were added, and the output of a real token moved by {change:.3g}."
        )


@points(2, section=MASKS, hint="Both masks act on the same scores: fill with one, then with the other.")
@cases(SEEDS, n=1)
def test_both_masks(student, attention, seed):
    """What either mask blocks is blocked, in training, under torch.no_grad() and in float32 as well."""
    lengths = lengths_of(seed)
    x, padding = x_of(seed, batch=3), reference.padding_mask(lengths, LENGTH)
    masks = {"attn_mask": some_blocked(seed), "key_padding_mask": padding}
    blocked = masks["attn_mask"] | padding.unsqueeze(1)
    _, unmasked = attention(x)
    output, weights = attention(x, **masks)
    compare_weights(weights, unmasked, blocked, real=~padding)
    fast, weights = attention(x, grad=False, **masks)
    compare_weights(weights, unmasked, blocked, real=~padding)
    close(fast[~padding], output[~padding], what="the output of real tokens under torch.no_grad()", atol=1e-6)
    if attention.dtype == torch.float64:
        compare_float32(student, attention, x, masks, output)
    alone = [(masks, blocked)] + [({name: masks[name]}, blocks) for name, blocks in apart(masks).items()]
    attention.module.train()
    trained = [attention(x, **some)[1] for some, _ in alone]
    attention.module.eval()
    for (some, blocks), weights in zip(alone, trained, strict=True):
        # Dropout, if there is any, leaves zeros zero.
        nothing_blocked(weights, blocks, ~padding, f"In training mode, with {' and '.join(some)},")


def apart(masks: dict[str, Tensor]) -> dict[str, Tensor]:
    """What each mask blocks alone, (batch or 1, target, source)."""
    return {
        "attn_mask": masks["attn_mask"].unsqueeze(0),
        "key_padding_mask": masks["key_padding_mask"].unsqueeze(1),
    }


def nothing_blocked(weights: Tensor, blocked: Tensor, real: Tensor, where: str) -> None:
    """Fail where a blocked source has a weight for a real target, (batch, target)."""
    blocked = blocked.expand(len(weights), *weights.shape[-2:])
    weight = float(weights.transpose(1, 2)[real].masked_fill(~blocked[real].unsqueeze(1), 0).abs().max())
    if not weight <= 1e-6:
        fail(f"{where} a blocked source has the weight {weight:.3g}.")


def compare_float32(
    student, attention: Attention, x: Tensor, masks: dict[str, Tensor], output: Tensor
) -> None:
    """Fail unless the real outputs are the same with the same parameters in float32."""
    got, _ = in_float32(
        attention.module,
        attention.state,
        lambda module: attention.of(module, x.float(), **masks),
        lambda: student.build("MultiHeadSelfAttention", D_MODEL, HEADS).eval(),
    )
    real = ~masks["key_padding_mask"]
    change = far(got[real], output[real])
    if change > NEAR:
        fail(f"In float32, the output differs by {change:.3g} from that of the same parameters in float64.")


@points(
    1,
    section=MASKS,
    hint="A fill such as -20 is not small next to large scores: use -inf. Use torch.softmax.",
)
@cases(SEEDS, n=1)
def test_large_scores(attention, seed):
    """With scores in the thousands, blocked sources get no weight and each row still sums to one."""
    x = x_of(seed)
    # Where nothing is found, all scores are taken for 0, and every target is judged.
    matrices, _ = scores_of(seed).fit(attention(x)[1])
    scores = torch.einsum("btd,hde,bse->bhts", x.double(), matrices, x.double())
    causal = reference.causal_mask(LENGTH)
    padding = reference.padding_mask(torch.arange(BATCH) % LENGTH + 1, LENGTH)
    everyone = torch.ones(BATCH, LENGTH, dtype=torch.bool)
    for name, mask, blocked, real in (
        ("attn_mask", causal, causal.expand(BATCH, LENGTH, LENGTH), everyone),
        ("key_padding_mask", padding, padding.unsqueeze(1).expand(BATCH, LENGTH, LENGTH), ~padding),
    ):
        factor, apart = enlarged(scores, blocked.unsqueeze(1), real.unsqueeze(1))
        output, weights = attention((factor**0.5 * x).to(x.dtype), **{name: mask})
        # -1e4 is enough of a fill, added or not, and a mask that comes after the softmax must find something
        # to share out: where scores are farther apart, nothing is said.
        leaks = (real.unsqueeze(1) & (apart < 5000)).unsqueeze(-1) & blocked.unsqueeze(1)
        whole = real.unsqueeze(1) & (apart < 60)
        weight = float(weights.where(leaks, 0).nan_to_num(nan=0.0).abs().max())
        if weight > 1e-6:
            fail(
                f"With large scores and {name}, a blocked source has the weight {weight:.3g}.", got=weights[0]
            )
        if not bool(torch.isfinite(weights[whole]).all() and torch.isfinite(output[whole.all(dim=1)]).all()):
            fail("With large scores, NaN or infinities came.", got=weights[0])
        if not float((weights[whole].sum(dim=-1) - 1).abs().max()) <= 1e-5:
            fail("With large scores, a row of the weights does not sum to one.", got=weights[0])
        if name == "attn_mask":
            alive(weights)


def enlarged(scores: Tensor, blocked: Tensor, real: Tensor) -> tuple[float, Tensor]:
    """By what the scores are to be multiplied so that the best open one of some real target is -3000.

    And by how much the best blocked score is then above the best open one, (batch, heads, target).
    """
    best = scores.masked_fill(blocked, -torch.inf).amax(dim=-1)
    worst = float(best[real.expand_as(best)].min())
    factor = min(3000 / -worst, 1e4) if worst < 0 else 256.0
    return factor, factor * (scores.masked_fill(~blocked, -torch.inf).amax(dim=-1) - best)


@points(1, hint="No functions ending in `_` and no `+=` on the arguments; no dropout in evaluation mode.")
@cases(SEEDS, n=1)
def test_nothing_changes(attention, seed):
    """x, the masks and the parameters are as they were after a call, and a second call gives the same."""
    x, mask = x_of(seed, batch=2), some_blocked(seed)
    padding = torch.zeros(2, LENGTH, dtype=torch.bool)
    padding[0, : 1 + seed % 3] = True  # padding may stand anywhere; only the other row is looked at
    without, _ = attention(x)
    answer, after = attention.module.with_inputs(x, mask, padding)
    for name, was, now in zip(("x", "attn_mask", "key_padding_mask"), (x, mask, padding), after, strict=True):
        same(now, was, what=f"{name} after the call")
    first, second = attention.checked(answer, x), attention(x, attn_mask=mask, key_padding_mask=padding)
    for what, one, two in zip(("output", "weights"), first, second, strict=True):
        for came in (one, two):
            tensor(came[1], what=f"the {what}", finite=True)
        if not float((one - two)[1].abs().max()) <= 1e-6:
            fail(f"The same x was given twice in evaluation mode, and the {what} differ.")
    attention(x.flip(1))  # what is kept from it is not right for the next, which has the same shape
    if not float((attention(x)[0] - without).abs().max()) <= 1e-6:
        fail("The same x was given without masks before and after other calls, and the outputs differ.")
    state = attention.module.state_dict()
    for name, value in attention.state.items():
        same(state[name], value, what=f"{name} after two calls")


@points(
    1, hint="No detach, .data, no_grad or NumPy on the way from x to the output; use every layer you make."
)
@cases(SEEDS, n=1)
def test_gradients(attention, seed):
    """Gradients of the output reach x and every matrix of parameters, and are right for x."""
    x, step = x_of(seed, batch=3), x_of(seed + 1, batch=3)
    found = attention.module.gradients(x, cotangent_seed=seed)
    attention.checked(found.output, x)
    still = [
        name
        for name, value in attention.state.items()
        if name in attention.trained and value.dim() > 1
        if found.parameters.get(name) is None or not bool(found.parameters[name].any())
    ]
    still += [
        one.name
        for one in attention.module.parameters()
        if not one.requires_grad and len(one.shape) > 1 and D_MODEL in one.shape
    ]
    if still:
        fail(f"No gradient reaches {still[0]}.")
    if found.inputs[0] is None:
        fail("No gradient reaches x.")
    reported = float((found.inputs[0].double() * step).sum())
    # Gradients are the word of the module; so x is moved a little, back and forth.
    h, tolerance = (1e-5, 1e-5) if attention.dtype == torch.float64 else (1e-2, 1e-2)
    generator = torch.Generator().manual_seed(seed)
    slopes = []
    for answer in attention(torch.cat([x + h * step, x - h * step])):
        forth, back = answer.double().chunk(2)
        cotangent = torch.randn(forth.shape, generator=generator, dtype=torch.float64)
        slopes.append(float(((forth - back) * cotangent).sum()) / (2 * h))
    # The weights that are returned may be detached: they are there to be looked at.
    off = min(abs(reported - slope) / max(1.0, abs(slope)) for slope in (slopes[0], sum(slopes)))
    if not off <= tolerance:
        said = (
            f"The output changes by {slopes[0]:.4g} along a direction of x; its gradient says {reported:.4g}."
        )
        raise CheckFailure(said, precision=True)  # small steps need exact answers


@points(1, hint="Take all sizes from x.shape and the arguments on each call; keep axes of size one.")
@cases(SEEDS, n=1)
def test_other_sizes(student, attention, seed):
    """Wide modules with many heads, few rows and positions and many of them, with each mask, work."""
    width = (17, 19)[seed % 2]
    wide = build(student, width, width, scale=0.25)
    wide(fresh_tensor(1, 1, width, seed=seed))
    # Of three features, made into x by a matrix: few numbers tell what the scores are.
    z, basis = fresh_tensor(4, 5, 3, seed=seed), fresh_tensor(3, width, seed=seed + 1)
    _, weights = wide(z @ basis)
    alive(weights)
    matrices, residual = ScoresOf(z).fit(weights)
    wide.unlike(f"With {width} features and heads: {NO_SOFTMAX}", residual)
    for factor in factors(matrices, wide.parameters(), 1, wide.exact, basis):
        if not abs(factor - 1) <= 10 * wide.exact:
            fail(
                f"With {width} features and as many heads, the scores are query · key times {factor:.4g}; "
                "1/√1 = 1 was expected."
            )
    # Without positions, the weights among the first tokens are those in a longer row, shared out.
    x = x_of(seed)
    _, whole = attention(x)
    nothing = torch.zeros(1, dtype=torch.bool)
    # One row alone, two positions, and as many rows or positions as heads; padding may stand anywhere.
    for batch, length in ((1, 2), (1, 5), (4, 2), (HEADS, 4), (2, HEADS)):
        part, unmasked = x[:batch, :length], renormalised(whole[:batch, :, :length, :length], nothing)
        causal, padding = reference.causal_mask(length), torch.zeros(batch, length, dtype=torch.bool)
        compare_weights(attention(part)[1], unmasked, torch.zeros_like(causal))
        padding[::2, 0 if length == 2 else (seed + length) % length] = True
        _, weights = attention(part, attn_mask=causal)
        compare_weights(weights, unmasked, causal)
        _, weights = attention(part, key_padding_mask=padding)
        compare_weights(weights, unmasked, padding.unsqueeze(1), real=~padding)
    for batch, length in ((17 + seed % 3, 5), (2, 34 + seed % 5)):
        longer = torch.cat([x.repeat(2, 1, 1)[:batch], x_of(seed + 1, batch, length)], dim=1)[:, :length]
        causal = reference.causal_mask(length)
        lengths = (7 * torch.arange(batch) + length // 2) % length + 1
        padding = reference.padding_mask(lengths, length)
        _, weights = attention(longer, attn_mask=causal.T, key_padding_mask=padding)
        # Targets that may look at no source are nobody's business: with this mask, those in the padding.
        where = f"With both masks, {batch} rows and {length} positions,"
        blocked = causal.T | padding.unsqueeze(1)
        nothing_blocked(weights, blocked, ~padding, where)
        if not float((weights.transpose(1, 2)[~padding].sum(dim=-1) - 1).abs().max()) <= 1e-5:
            fail(f"{where} a row of the weights does not sum to one.")
        known = min(length, LENGTH)
        compare_weights(
            renormalised(weights[..., :known, :known], nothing),
            renormalised(whole.repeat(2, 1, 1, 1)[:batch, :, :known, :known], nothing),
            blocked[:, :known, :known],
            real=~padding[:, :known],
        )
