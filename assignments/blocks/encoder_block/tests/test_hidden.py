"""Both orders of the norms against the formula, with the student's own weights; masks; rows; gradients.

Parameters may have any name and layout: `graders.block_weights` finds how a block reads them. Building
takes longer than asking, so all checks share one block with the norms first and one with the norms after.
"""

from dataclasses import dataclass, field

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import RemoteModule, cases, close, fail, fresh_tensor, points, same, tensor
from graders.block_formula import Form, Readings, block
from graders.block_weights import BlockWeights, Sizes, find_roles, fresh_state
from graders.pictures import influence_map, moved_by
from graders.result import MapPicture
from graders.single import NEAR as NEAR_FLOAT32
from graders.single import far, in_float32

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(0, 2**32 - 1).filter(lambda seed: seed > 1000)
SECTION = "The transformer block"
MASKS = "Masks: True means blocked"
# No two of these, nor their products, are the same, so that a parameter's axes tell what it is.
SIZES = Sizes(d_model=8, num_heads=2, dim_feedforward=20)
BATCH, LENGTH = 3, 5
LONG = 12  # some questions about masks are asked at this length and more
LONGEST = 37
# An eps of another size in the norms moves a right block by 1e-5, a mistake by more than 1e-2.
NEAR = 1e-3
# How far what is blocked may move an output: by rounding, or a small eps where weights are shared out anew.
STILL = 1e-5

MISTAKES = (
    ({"activation": "none"}, "the feed-forward network has no activation between its two linear layers"),
    ({"activation": "gelu"}, "the feed-forward network has GELU, where ReLU is asked for"),
    ({"scaled": False}, "the scores of the attention are not divided by √d_k"),
    ({"first_residual": False}, "there is no residual around the attention"),
    ({"second_residual": False}, "there is no residual around the feed-forward network"),
    ({"first_residual": False, "second_residual": False}, "there are no residuals"),
    ({"residual_from_input": True}, "the second residual adds what came into the block"),
    ({"residual_of_normed": True}, "the residuals add what comes out of the norms"),
    ({"first_norm": False}, "the first norm is missing"),
    ({"second_norm": False}, "the second norm is missing"),
)


@dataclass
class Made:
    """A block of the student, in evaluation mode, with fresh weights, and how it reads them."""

    module: RemoteModule
    state: dict[str, Tensor]
    norm_first: bool
    weights: BlockWeights
    problem: str | None  # why its weights cannot be read, if they cannot
    x: Tensor
    output: Tensor
    nudged: Tensor  # the output for x moved by very little at every place
    reading: Readings | None  # the one under which the formula gives the output
    low: Tensor | None = field(default=None, repr=False)  # what `low_scores` made for it

    def expected(self, x: Tensor, blocked: Tensor | None = None) -> Tensor | None:
        """What is right with these weights, as far as it is known how they are read."""
        return None if self.reading is None else block(x, self.reading, Form(self.norm_first), blocked)[0]


def build(student, norm_first: bool) -> Made:
    sizes = (SIZES.d_model, SIZES.num_heads, SIZES.dim_feedforward)
    module = student.build("EncoderBlock", *sizes, norm_first).eval()
    x = fresh_tensor(BATCH, LENGTH, SIZES.d_model, seed=11)
    names = [parameter.name for parameter in module.parameters()]
    state = module.state_dict()
    if not all(name in state for name in names):
        module(x)  # lazy layers have no parameters before
        state = module.state_dict()
    initial = {name: state[name] for name in names if name in state}
    found = find_roles(initial, SIZES)
    generator = torch.Generator().manual_seed(12)
    # A parameter may be in the state under more than one name; the last would win.
    others = {name: value for name, value in state.items() if name not in initial}
    same = {
        name: next((own for own, it in initial.items() if torch.equal(it, value)), None)
        for name, value in others.items()
    }
    weights = fresh_state(initial, found, SIZES, generator)
    twins = {name: weights[own] for name, own in same.items() if own is not None}
    module.load_state_dict(whole := {**state, **weights, **twins})
    if twins:
        state = module.state_dict()
        weights = {name: state[name] for name in initial}
    known = BlockWeights(weights, found, SIZES)
    problem = found.problem(initial, SIZES)
    both = torch.cat([x, x + 1e-6 * (1 + fresh_tensor(*x.shape, seed=14).abs())])
    output, nudged = tensor(module(both), shape=both.shape, dtype=x.dtype, what="the output").chunk(2)
    reading = None if problem else known.match(x, output, Form(norm_first), NEAR)
    return Made(module, whole, norm_first, known, problem, x, output, nudged, reading)


@pytest.fixture(scope="module")
def built():
    """The blocks of the submission that is graded now."""
    return {}


@pytest.fixture
def blocks(student, built):
    """A function of norm_first that gives the block, as this check asks it."""

    def made(norm_first: bool) -> Made:
        key = norm_first, student.dtype
        found = built.get(key)
        module = found and found.module.asked_by(student)
        if module is None:
            built[key] = found = build(student, norm_first)
        else:
            found.module = module
        return found

    return made


def ask(made: Made, x: Tensor, *masks: Tensor | None, grad: bool = True) -> Tensor:
    return ask_module(made.module, x, *masks, grad=grad)


def ask_module(module: RemoteModule, x: Tensor, *masks: Tensor | None, grad: bool = True) -> Tensor:
    answer = module(x, *masks) if grad else module.no_grad(x, *masks)
    return tensor(answer, shape=x.shape, dtype=x.dtype, what="the output")


def moved(before: Tensor, after: Tensor) -> float:
    """The largest change among outputs that count: padded ones are nobody's business."""
    before, after = (tensor(one, finite=True) for one in (before, after))
    return float((after - before).abs().max())


def mistake(made: Made) -> str | None:
    """What the block does in place of the formula, if it is one of the usual mistakes."""
    if made.weights.match(made.x, made.output, Form(not made.norm_first), NEAR):
        asked, came = ("before", "after") if made.norm_first else ("after", "before")
        return f"the norms stand {came} the sublayers, where they are asked for {asked} them"
    for difference, text in MISTAKES:
        if made.weights.match(made.x, made.output, Form(made.norm_first, **difference), NEAR):
            return text
    return None


def compare(made: Made) -> None:
    """Fail unless the block follows the formula; where its weights cannot be read, judge what can be seen."""
    call = f"With norm_first={made.norm_first}"
    if made.problem and len(made.weights.found.gains) == 1:
        fail(f"{call}, only one norm with a weight was found: each of the two norms has its own.")
    if made.reading is not None and not made.weights.found.gains:
        # Whatever its parameters are, the block gives what norms give that only take mean and size away.
        fail(f"{call}, the norms have no scale: each has one of its own, which starts at one.")
    if made.problem:
        by_properties(made)
    elif made.reading is None:
        found = mistake(made)
        if found:
            fail(f"{call}, {found}.")
        expected = block(made.x, made.weights.first(), Form(made.norm_first))[0]
        close(made.output, expected, what="the output", atol=NEAR, rtol=0)
    if bool((made.nudged == made.output).all(dim=-1).any()):
        fail(
            f"{call}, all of x was moved by a millionth, and the output of a token did not move at all: "
            "values are rounded on the way, as float16 would."
        )


def by_properties(made: Made) -> None:
    """What is true of any block, whatever its weights are called."""
    x = made.x
    state = made.module.state_dict()
    # Next to nothing, and not zero, since some divide by the length of a weight.
    tiny = {name: 1e-12 * value for name, value in made.weights.state.items()}
    ones = {name: torch.ones_like(tiny[name]) for name in made.weights.found.gains}
    made.module.load_state_dict({**state, **tiny, **ones})
    bare = ask(made, x)
    made.module.load_state_dict({**state, **ones})
    large = [ask(made, scale * x) - made.norm_first * scale * x for scale in (1e4, 1e5)]
    plain = ask(made, x)
    made.module.load_state_dict(state)
    normed = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0)
    if made.norm_first:
        close(bare, x, what="the output without weights", atol=1e-4)
    else:
        close(
            bare / bare.std(-1, keepdim=True, correction=0),
            normed,
            what="the output without weights",
            atol=NEAR,
        )
        spread = plain.std(-1, correction=0)
        if (
            moved(plain.mean(-1), 0 * spread) > NEAR
            or not 0.9 < float(spread.min()) < float(spread.max()) < 1.1
        ):
            fail(
                "With norms after the sublayers, each token's features have mean 0 and variance 1 at the end."
            )
    # The norms take the size of their input away: only the residual of a pre-norm block carries it on.
    if moved(*large) > 0.01 * max(1.0, float(large[0].abs().max())):
        fail(
            "A ten times larger input moves what the sublayers give: a norm is missing before or after them."
        )


@points(
    4,
    section=SECTION,
    hint="x = x + attention(norm1(x)), then x = x + feed_forward(norm2(x)), which is linear, ReLU, linear.",
)
def test_norms_first(blocks):
    """With norm_first=True a block gives what PyTorch's own layer gives with the same weights."""
    compare(blocks(True))


@points(
    4,
    section=SECTION,
    hint="x = norm1(x + attention(x)), then x = norm2(x + feed_forward(x)), which is linear, ReLU, linear.",
)
def test_norms_last(blocks):
    """With norm_first=False a block gives what PyTorch's own layer gives with the same weights."""
    compare(blocks(False))


def open_mask(seed: int, length: int) -> Tensor:
    """A mask (target, source) in which every target has an open source and a blocked one."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(length, length, generator=generator) < 0.5
    first = torch.randint(length, (length, 1), generator=generator)
    other = (first + torch.randint(1, length, (length, 1), generator=generator)) % length
    return mask.scatter(1, first, False).scatter(1, other, True)


def other_token(x: Tensor, position: int) -> Tensor:
    changed = x.clone()
    changed[position] = x[position].flip(0) + 1
    return changed


@points(
    3, section=MASKS, hint="Hand attn_mask to the attention as it is: (target, source), True means blocked."
)
@cases(SEEDS, n=1)
def test_attn_mask(student, blocks, case):
    """A token's output is moved by the sources that attn_mask leaves open, by itself, and by no other."""
    problems, pictures, orders, masks = [], [], set(), []
    # Long rows, and those without autograd, where PyTorch's own layer goes another way.
    for norm_first, length, grad in (
        (True, LENGTH, False),
        (False, LENGTH, True),
        (True, LONG + case % 4, True),
    ):
        made, x = blocks(norm_first), fresh_tensor(length, SIZES.d_model, seed=case)
        mask = open_mask(case, length)
        # Its own token comes by the residual as well.
        allowed = ~mask | torch.eye(length, dtype=torch.bool)
        answers: list[Tensor] = []

        def asked(batch: Tensor, made=made, answers=answers, mask=mask, grad=grad) -> Tensor:
            answers.append(tensor(ask(made, batch, mask, grad=grad), finite=True))
            return answers[-1]

        found = moved_by(asked, x, other_token, by_more_than=1e-6)
        if made.reading is None:
            found |= torch.eye(length, dtype=torch.bool)  # whether there is a residual has been judged above
        call = f"With norm_first={norm_first}, {length} tokens{'' if grad else ' and torch.no_grad()'}"
        if not torch.equal(found, allowed):
            target, source = (found != allowed).nonzero()[0].tolist()
            what = "is moved by" if found[target, source] else "is not moved by"
            turned = torch.equal(found, mask | torch.eye(length, dtype=torch.bool))
            problems.append(
                f"{call}, output {target} {what} token {source}, where attn_mask is "
                f"{bool(mask[target, source])}"
                + (": the mask is used as if True meant open." if turned else ".")
            )
            pictures.append(influence_map(found, allowed, title=f"{call}: who moves whom"))
        else:
            expected = made.expected(x.unsqueeze(0), mask)
            if expected is None or moved(answers[0][:1], expected) <= NEAR:
                continue
            problems.append(f"{call} and attn_mask, the open sources do not share the weight.")
        orders.add(norm_first)
        masks.append(mask)
    if not problems:
        compare_long(blocks(case % 2 == 0), case)
    causal = reference.causal_mask(3)
    if not problems and leaks_with_low_scores(student, blocks(False), causal, None) > STILL:
        problems.append("Where the scores of open sources are below -1000, what is blocked gets through.")
        orders.add(False)
        masks.append(causal)
    if problems:
        fail(
            " ".join(problems),
            inputs={"attn_mask": masks[0]},
            earned=1 - len(orders) / 2,
            pictures=pictures,
        )


def compare_long(made: Made, case: int) -> None:
    """Fail unless attn_mask holds beyond 32 tokens, too, and one token alone is its own source."""
    for length in (LONGEST, 1):
        x = fresh_tensor(1, length, SIZES.d_model, seed=case + length)
        mask = open_mask(case, length) if length > 1 else torch.zeros(1, 1, dtype=torch.bool)
        expected = made.expected(x, mask)
        if expected is not None and not moved(ask(made, x, mask), expected) <= NEAR:
            fail(f"With norm_first={made.norm_first}, {length} tokens and attn_mask, the output is another.")


def low_scores(made: Made) -> Tensor:
    """Rows (4, 3, d_model) for a block with the norms last; in each half two that differ in their last token.

    All scores of the first two tokens are far below -1000, theirs for the last one less far, or far above:
    next to these a fill of -100 or -1000 blocks nothing, whether it is put in or added.
    """
    if made.low is not None:
        return made.low
    query, key = made.reading.query[0], made.reading.key[0]  # (heads, head_dim, d_model)
    scores = query.mT @ key / SIZES.head_dim**0.5  # (heads, d_model, d_model): of a target and a source
    tried = fresh_tensor(200, SIZES.d_model, seed=15)
    own = torch.einsum("nd,hde,ne->nh", tried, scores, tried).amax(-1) / tried.square().sum(-1)
    lowest = tried[int(own.argmin())]
    token = lowest * (-1100 / torch.einsum("d,hde,e->h", lowest, scores, lowest).amax()).sqrt()
    seen = token @ scores  # (heads, d_model): the scores of a token like it for any source
    inverse = torch.linalg.pinv(seen)
    aside = fresh_tensor(2, SIZES.d_model, seed=16) * 10
    aside = aside - aside @ inverse @ seen  # which moves none of these scores
    near = token + 0.05 * fresh_tensor(2, SIZES.d_model, seed=17)
    lasts = [
        token + inverse @ torch.full((SIZES.num_heads,), more, dtype=token.dtype) + one
        for more in (400.0, 2500.0)
        for one in aside
    ]
    made.low = torch.stack([torch.cat([near, last.unsqueeze(0)]) for last in lasts])
    return made.low


def leaks_with_low_scores(student, made: Made, mask: Tensor | None, padding: Tensor | None) -> float:
    """How far the last token moves the outputs of the first two, for which `mask` or `padding` blocks it.

    A mask that comes after the softmax may find nothing to share out there, 0 / 0, which is no leak.
    """
    if made.reading is None or student.dtype != torch.float64:
        return 0.0
    rows = ask(made, low_scores(made), mask, padding)[:, :2].nan_to_num()
    return max(moved(rows[0], rows[1]), moved(rows[2], rows[3]))


def padding_map(made: Made, x: Tensor, padding: Tensor, mask: Tensor | None, grad: bool) -> MapPicture:
    """Who moves whom among the real outputs of one row, beside what its padding and `mask` allow."""

    def asked(batch: Tensor) -> Tensor:
        return ask(made, batch, mask, padding.expand(len(batch), len(x)), grad=grad)

    found = moved_by(asked, x, other_token, by_more_than=1e-6)
    allowed = (~padding).expand(len(x), len(x))
    if mask is not None:
        allowed = allowed & ~mask
    allowed = allowed | torch.eye(len(x), dtype=torch.bool)
    return influence_map(found[~padding], allowed[~padding], title="Which token moves which real output")


def past_blocked(length: int) -> Tensor:
    """A mask that blocks the past; a causal one would block padding on the right. The first token is open."""
    past = torch.ones(length, length, dtype=torch.bool).tril(-1)
    past[:, 0] = False
    return past


def compare_float32(student, made: Made, x: Tensor, masks: tuple[Tensor, Tensor], expected: Tensor) -> None:
    """Fail unless the real outputs are the same with the same parameters in float32."""
    sizes = (SIZES.d_model, SIZES.num_heads, SIZES.dim_feedforward, made.norm_first)
    got = in_float32(
        made.module,
        made.state,
        lambda module: ask_module(module, x.float(), *masks),
        lambda: student.build("EncoderBlock", *sizes).eval(),
    )
    change = far(got[~masks[1]], expected[~masks[1]])
    if change > NEAR_FLOAT32:
        fail(
            f"With norm_first={made.norm_first} and both masks, a real output in float32 differs by "
            f"{change:.3g} from that of the same parameters in float64."
        )


def unwritten(made: Made, x: Tensor, mask: Tensor, padding: Tensor) -> Tensor:
    """Ask, and fail where a mask is another one after the call."""
    answer, after = made.module.with_inputs(x, mask, padding)
    for name, was, now in zip(("attn_mask", "key_padding_mask"), (mask, padding), after[1:], strict=True):
        same(now, was, what=f"{name} after the call")
    return tensor(answer, shape=x.shape, dtype=x.dtype, what="the output")


def ask_both(
    made: Made, x: Tensor, other: Tensor, mask: Tensor | None, padding: Tensor | None
) -> list[Tensor]:
    """What two batches with the same masks give: asked at once, but those of one row each by itself."""
    if len(x) == 1:
        return [ask(made, one, mask, padding) for one in (x, other)]
    both = None if padding is None else padding.repeat(2, 1)
    return list(ask(made, torch.cat([x, other]), mask, both).chunk(2))


def compare_sizes(made: Made) -> None:
    """Fail unless padding and a causal mask hold in few rows and at few tokens, as many as heads too."""
    for batch, length in ((1, 4), (3, SIZES.num_heads), (1, 2)):
        x = fresh_tensor(batch, length, SIZES.d_model, seed=13)
        call = f"With norm_first={made.norm_first}, {batch} rows and {length} tokens"
        real = torch.ones(batch, dtype=torch.long)
        # The same shape twice, with other padding.
        for lengths in (real, torch.where(torch.arange(batch) % 2 == 0, length - 1, real)):
            padding = reference.padding_mask(lengths, length)
            other = torch.where(padding.unsqueeze(-1), x.flip(-1) + 1, x)
            before, after = ask_both(made, x, other, None, padding)
            if moved(before[~padding], after[~padding]) > STILL:
                fail(
                    f"{call}, only the padding was changed, and a real output moved.",
                    inputs={"key_padding_mask": padding},
                )
            expected = made.expected(x, padding[:, None, None])
            if expected is not None and moved(before[~padding], expected[~padding]) > NEAR:
                fail(f"{call}, the sources that are open do not share the weight.")
        causal = reference.causal_mask(length)
        last = torch.cat([x[:, :-1], x[:, -1:].flip(-1) + 1], dim=1)
        before, after = ask_both(made, x, last, causal, None)
        if moved(before[:, :-1], after[:, :-1]) > STILL:
            fail(f"{call} and a causal attn_mask, the last token was changed, and an output before it moved.")


@points(
    2, section=MASKS, hint="Blocked is what either mask blocks: hand both to the attention in the same call."
)
def test_key_padding_mask(student, blocks):
    """What stands in the padding moves no real output, alone and with attn_mask, in float32 too."""
    # The public check has asked for padding alone with the norms first, with autograd.
    for norm_first, length, both, grad in (
        (True, LENGTH, True, True),
        (False, LENGTH, True, True),
        (True, LENGTH, False, False),
        (False, LONGEST, False, True),
    ):
        made = blocks(norm_first)
        x = fresh_tensor(BATCH, length, SIZES.d_model, seed=11)
        padding = reference.padding_mask(torch.tensor((length, length // 2 + 1, 1)), length)
        mask = past_blocked(length) if both else None
        filled = torch.where(padding.unsqueeze(-1), x.flip(-1) + 1, x)
        second = torch.cat([x[:, :1], x[:, 1:2].flip(-1) + 1, x[:, 2:]], dim=1)
        asked = torch.cat([x, filled, second]), mask, padding.repeat(3, 1)
        before, after, other = (
            ask(made, *asked, grad=grad) if mask is None else unwritten(made, *asked)
        ).chunk(3)
        call = f"With norm_first={norm_first}{' and both masks' if both else ''}"
        call += "" if grad else " under torch.no_grad()"
        if moved(before[~padding], after[~padding]) > STILL:
            fail(
                f"{call}, only the padding was changed, and a real output moved.",
                inputs={"key_padding_mask": padding},
                pictures=[padding_map(made, x[1], padding[1], mask, grad)],
            )
        if not moved(before[0, 0], other[0, 0]) > 1e-6:
            fail(f"{call}, the second token of a row was changed, and the output of the first did not move.")
        change = moved(before[0, 2:], other[0, 2:])
        if both and change > STILL:
            fail(f"{call}, a token that attn_mask blocks was changed, and an output moved by {change:.3g}.")
        blocked = padding[:, None, None] if mask is None else mask | padding[:, None, None]
        expected = made.expected(x, blocked)
        if expected is not None and moved(before[~padding], expected[~padding]) > NEAR:
            fail(f"{call}, the sources that are open do not share the weight.")
        if mask is not None and norm_first and student.dtype == torch.float64:
            compare_float32(student, made, x, (mask, padding), before)
    for norm_first in (True, False):
        compare_sizes(blocks(norm_first))
    padding = torch.tensor([[False, False, True]] * 4)
    if leaks_with_low_scores(student, blocks(False), None, padding) > STILL:
        fail(
            "Where the scores of real tokens are below -1000, padding gets through.",
            inputs={"key_padding_mask": padding},
        )


@points(2, hint="batch_first=True; norms over the last axis; nn.Dropout, if any, which eval() switches off.")
def test_rows_and_order(blocks):
    """Rows do not see each other, tokens in another order give the same outputs in that order, every time."""
    for norm_first in (True, False):
        made = blocks(norm_first)
        row, output = made.x[1:2], made.output[1:2]
        if moved(ask(made, row.flip(1), grad=False).flip(1), output) <= 1e-5:
            continue
        call = f"With norm_first={norm_first}"
        if moved(ask(made, made.x)[1:2], output) > 1e-5:
            fail(f"{call}, the same input was given twice in evaluation mode, and gave different outputs.")
        if moved(ask(made, row), output) > 1e-5:
            fail(f"{call}, a row alone gives other outputs than in a batch of {BATCH}.")
        if moved(ask(made, row, grad=False), output) > 1e-5:
            fail(f"{call}, a row gives other outputs under torch.no_grad().")
        fail(f"{call}, the tokens of a row were put in reverse order, and gave other outputs than before.")


@points(
    1, hint="x = x + …, not x += …, which writes into the caller's tensor; no detach(), .data or no_grad()."
)
def test_gradients(student, blocks):
    """Gradients come back to the input, and are right; the input is left as it is."""
    for norm_first in (True, False):
        made = blocks(norm_first)
        found = made.module.gradients(made.x, cotangent_seed=5)
        got = tensor(found.inputs[0] if found.inputs else None, shape=made.x.shape, what="the gradient for x")
        if moved(tensor(found.output, shape=made.x.shape), made.output) > 1e-5:
            fail("Asked for gradients, the block gives another output.")
        if not 0 < float(got.abs().sum()) < float("inf"):
            fail("No gradient comes back to x.")
        if made.reading is None or student.dtype != torch.float64:
            continue
        # How the output moves with x in one direction, which takes less time than autograd.
        generator = torch.Generator().manual_seed(5)
        cotangent = torch.randn(made.x.shape, generator=generator, dtype=torch.float64)
        step = 1e-6 * fresh_tensor(*made.x.shape, seed=6)
        slope = float(((made.expected(made.x + step) - made.expected(made.x - step)) * cotangent).sum()) / 2
        if abs(float((got * step).sum()) - slope) > 0.01 * float(got.norm() * step.norm()):
            fail(f"With norm_first={norm_first}, the gradient for x is not how the output changes with x.")
