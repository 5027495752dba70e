"""Other shapes, numbers and masks than the handout's."""

from dataclasses import dataclass
from functools import lru_cache

import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import cases, close, fail, fresh_tensor, points, same, tensor, unpack

# Without both answers nothing below can pass.
PAIR = ("test_context_and_weights",)

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(0, 2**32 - 1).filter(lambda seed: seed > 1000)
BATCH = st.integers(2, 3).map(lambda batch: (batch,))


@dataclass(frozen=True)
class Sizes:
    """The sizes of one call, and what its numbers are drawn from."""

    lead: tuple[int, ...]
    targets: int
    sources: int
    d_k: int
    d_v: int
    seed: int

    def inputs(self) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value in quarter steps, so that a student can type them in."""
        shapes = (self.targets, self.d_k), (self.sources, self.d_k), (self.sources, self.d_v)
        return tuple(
            (fresh_tensor(*self.lead, *shape, seed=self.seed + i) * 4).round() / 4
            for i, shape in enumerate(shapes)
        )


def sizes(lead=BATCH, least_sources=1):
    """Sizes that break symmetry: square inputs hide mistakes of axis, equal features mistakes of scale."""
    return st.builds(
        Sizes,
        lead,
        st.integers(1, 5),
        st.integers(least_sources, 6),
        st.integers(2, 7),
        st.integers(1, 7),
        SEEDS,
    ).filter(lambda s: s.targets != s.sources and len({s.d_k, s.d_v, s.sources, 1}) == 4)


def some_blocked(*shape: int, seed: int) -> Tensor:
    """A mask in which every row has a blocked source and an open one."""
    generator = torch.Generator().manual_seed(seed)
    sources = shape[-1]
    blocked = torch.rand(shape, generator=generator) < 0.5
    first = torch.randint(sources, (*shape[:-1], 1), generator=generator)
    other = (first + torch.randint(1, sources, first.shape, generator=generator)) % sources
    return blocked.scatter(-1, first, False).scatter(-1, other, True)


def compare(student, arguments, expected):
    context, weights = unpack(student.scaled_dot_product_attention(*arguments), "context", "weights")
    expected_context, expected_weights = expected
    close(weights, expected_weights, what="the weights")
    close(context, expected_context, what="the context")


# Every submission is asked the same; the dtype of grading is read where tensors are made.
@lru_cache(128)
def asked(case, masked, dtype):  # noqa: ARG001
    """The arguments of a case, and what is right for them."""
    if isinstance(case, Broadcast):
        arguments = (*case.sizes.inputs(), case.mask())
    elif masked:
        mask = some_blocked(*case.lead, case.targets, case.sources, seed=case.seed)
        arguments = (*case.inputs(), mask)
    else:
        arguments = case.inputs()
    return arguments, reference.scaled_dot_product_attention(*arguments)


@points(
    4,
    requires=PAIR,
    section="Why divide by √d_k?",
    hint="softmax(QKᵀ / √d_k) · V, with d_k the query's last dimension and the softmax over the sources.",
)
@cases(sizes(), n=4)
def test_values(student, case):
    """Context and weights follow the formula, whatever the sizes."""
    compare(student, *asked(case, False, student.dtype))


@points(
    2,
    requires=PAIR,
    hint="Count axes from the end: transpose(-2, -1), softmax(dim=-1), `@`. Keep axes of size one.",
)
@cases(st.tuples(*(sizes(lead=st.just(lead)) for lead in [(), (1,), (2, 3), (1, 2), (2, 1, 3)])), n=1)
def test_leading_dimensions(student, each):
    """Any leading dimensions work: none, a batch of one, a batch and heads, or more."""
    for case in each:
        compare(student, *asked(case, False, student.dtype))


@points(
    3,
    requires=PAIR,
    section="Masks: True means blocked",
    hint="Replace blocked scores by -inf before the softmax and use what masked_fill returns.",
)
@cases(sizes(least_sources=2), n=4)
def test_masked_values(student, case):
    """With a mask, only the sources that are not blocked share the weight, and it still sums to one."""
    compare(student, *asked(case, True, student.dtype))
    # Another mask of the same shape: one that was kept from the call before is not this one.
    query, key, value = case.inputs()
    mask = some_blocked(*case.lead, case.targets, case.sources, seed=case.seed + 1)
    compare(
        student, (query, key, value, mask), reference.scaled_dot_product_attention(query, key, value, mask)
    )


@dataclass(frozen=True)
class Broadcast:
    sizes: Sizes
    mask_lead: tuple[int, ...]
    mask_targets: bool  # whether the mask has a row for each target, or one for all

    def mask(self) -> Tensor:
        targets = self.sizes.targets if self.mask_targets else 1
        return some_blocked(*self.mask_lead, targets, self.sizes.sources, seed=self.sizes.seed)


def broadcasts():
    """Masks without axes that queries have, or with axes of size one there."""
    leads = [((2,), ()), ((2,), (1,)), ((2, 3), ()), ((2, 3), (2, 1)), ((2, 3), (3,))]
    return st.tuples(
        *(
            st.builds(
                Broadcast, sizes(lead=st.just(lead), least_sources=2), st.just(mask_lead), st.booleans()
            )
            for lead, mask_lead in leads
        ),
        st.builds(Broadcast, sizes(lead=st.just((2,)), least_sources=2), st.just((2,)), st.just(False)),
    )


@points(
    1,
    requires=("test_context_and_weights", "test_masked_values"),
    hint="Use the mask as it comes: PyTorch broadcasts it against the scores without unsqueeze.",
)
@cases(broadcasts(), n=1)
def test_mask_broadcasts(student, each):
    """A mask that is shared by all targets, heads or rows of the batch is broadcast."""
    for case in each:
        compare(student, *asked(case, True, student.dtype))


@points(
    2,
    requires=PAIR,
    section="Masks: True means blocked",
    hint="A fill such as -20 is not small next to large scores. Use -inf (or -1e9), not 1e-9.",
)
@cases(sizes(least_sources=2), n=3)
def test_blocked_source_with_large_scores(student, case):
    """A blocked source gets no weight, even where its score is large and all the others are very negative."""
    query, key, value = case.inputs()
    mask = some_blocked(*case.lead, case.targets, case.sources, seed=case.seed)
    # One more feature adds +150 to all scores of what is blocked for the first target, -150 to the others;
    # then it takes 2000 from all scores, which leaves a mask that comes after the softmax what it needs. In
    # the second half of the batch it adds and takes 1500.
    sign = torch.where(mask[..., 0, :], 1.0, -1.0).to(query.dtype).unsqueeze(-1)
    sizes = torch.tensor([150.0, 1500.0], dtype=query.dtype).repeat_interleave(len(query)).reshape(-1, 1, 1)
    query, key, value, sign, mask = (torch.cat([one, one]) for one in (query, key, value, sign, mask))
    for size, more in ((sizes, sign), (torch.full_like(sizes, 2000.0), torch.full_like(sign, -1.0))):
        column = size.expand_as(query[..., :1]) * (case.d_k + 1) ** 0.5
        arguments = torch.cat([query, column], dim=-1), torch.cat([key, more], dim=-1), value, mask
        _, weights = unpack(student.scaled_dot_product_attention(*arguments), "context", "weights")
        expected = reference.scaled_dot_product_attention(*arguments)[1]
        weights = tensor(weights, shape=expected.shape, what="the weights")
        # With scores 3000 apart, such a mask has nothing to share out (0 / 0): there, what is blocked counts.
        far = (size > 150) & (size < 2000) & (~mask | weights.isnan())
        # Scores of ±150 are exact to 1e-5 in float32, those of -2000 to 1e-4.
        atol = 1e-6 if student.dtype == torch.float64 else 1e-3
        close(torch.where(far, expected, weights), expected, what="the weights", atol=atol)


@points(
    1,
    requires=PAIR,
    hint="exp overflows for large scores: use torch.softmax, or subtract each row's maximum first.",
)
@cases(sizes(lead=st.sampled_from([(), (2,)])).filter(lambda s: s.targets > 1), n=3)
def test_large_scores(student, case):
    """Scores in the thousands give finite weights that sum to one."""
    query, key, value = case.inputs()
    # Scores that lie thousands apart, whichever way the scale is applied: each target picks one source. So do
    # the largest scores of different targets, which shows whose maximum is subtracted.
    generator = torch.Generator().manual_seed(case.seed)
    rank = torch.randperm(case.sources, generator=generator).to(query.dtype) + 1
    if case.seed % 2:
        rank -= case.sources + 1
    query = torch.zeros_like(query)
    query[..., 0] = (torch.arange(case.targets) % 3 + 1) * 2000 * case.d_k**0.5
    key = torch.zeros_like(key)
    key[..., 0] = rank
    arguments = query, key, value
    compare(student, arguments, reference.scaled_dot_product_attention(*arguments))


@points(1, requires=PAIR, hint="Avoid `/=`, `*=` and functions ending in `_` on the arguments.")
@cases(sizes(least_sources=2), n=1)
def test_inputs_unchanged(student, case):
    """The caller's query, key, value and mask are as they were after the call."""
    before = (*case.inputs(), some_blocked(*case.lead, case.targets, case.sources, seed=case.seed))
    _, after = student.with_inputs("scaled_dot_product_attention", *before)
    for name, was, now in zip(("query", "key", "value", "mask"), before, after, strict=True):
        same(now, was, what=f"{name} after the call")


@points(
    1,
    requires=PAIR,
    hint="Stay in PyTorch: detach, .data, no_grad, .item() and NumPy all cut the way back.",
)
@cases(sizes(least_sources=2), n=2)
def test_gradients(student, case):
    """Gradients flow from context and weights back to query, key and value, and are right."""
    query, key, value = case.inputs()
    mask = some_blocked(*case.lead, case.targets, case.sources, seed=case.seed)
    found = student.scaled_dot_product_attention.gradients(query, key, value, mask, cotangent_seed=case.seed)
    unpack(found.output, "context", "weights")
    here = [x.clone().requires_grad_() for x in (query, key, value)]
    expected = reference.scaled_dot_product_attention(*here, mask)
    # The cotangents in the order in which the guest draws them: one for each output.
    generator = torch.Generator().manual_seed(case.seed)
    total = sum((x * torch.randn(x.shape, generator=generator, dtype=torch.float64)).sum() for x in expected)
    wanted = torch.autograd.grad(total, here)
    # What comes back is the guest's word: one gradient for each argument, and each the right one.
    if len(found.inputs) != 4:
        fail(f"{len(found.inputs)} gradients came back; one for each of four arguments was expected.")
    close(found.output[0], expected[0].detach(), what="the context")
    close(found.output[1], expected[1].detach(), what="the weights")
    for name, got, right in zip(("query", "key", "value"), found.inputs[:3], wanted, strict=True):
        if got is None:
            fail(f"No gradient comes back to {name}.")
        close(got, right, what=f"the gradient for {name}")
