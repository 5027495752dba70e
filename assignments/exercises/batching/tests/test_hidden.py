"""Other lengths and budgets: nothing lost, nothing beyond the budget, a new order each time, little padding.

The seed is given as the third argument, in its place.
"""

import itertools
import operator
import random
from collections import Counter
from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from graders import batches_picture, cases, fail, integer_lists, points
from reference.batching import padded_share, positions, shuffled_batches

WASTE = 0.6  # of the padding of a shuffled order; good samplers reach 0.1 to 0.5 (20 of them were tried)
NOTHING = 0.95  # from here on no point is earned, and NEARLY all of them just above WASTE
NEARLY = 0.9
COUNT = 1.25  # of the batches of a shuffled order; good samplers reach 0.6 to 1.0
BUDGET = 512
SORTED = 0.95  # rank correlation of the batches' order with their lengths
BIASED = 0.75  # its mean over ORDERS seeds; chance gives 0 ± 0.15
ORDERS = 4
TURNS = 0.8  # share of the steps from batch to batch that go the usual way, to longer ones or to shorter
ALIKE = 0.5  # share of the batches that stand in one place whatever the seed; chance gives 0.05
ALONE = 1.5  # sequences a batch; of those asked about, any three fit into one


@dataclass(frozen=True)
class Task:
    """What to batch."""

    lengths: tuple[int, ...]
    max_tokens: int
    what: str = ""

    def ask(self, student, *seed):
        """Return the student's batches as lists of ints."""
        answer = student.make_batches(list(self.lengths), self.max_tokens, *seed)
        return integer_lists(answer, "the batches", one="batch")


@st.composite
def tasks(draw):
    lengths = draw(st.lists(st.integers(1, 12), min_size=6, max_size=16))
    return Task(tuple(lengths), draw(st.integers(16, 40)))


def once(batches, task):
    """Fail unless every index comes exactly once."""
    times = Counter(index for batch in batches for index in batch)
    for index in sorted({*times} - {*range(len(task.lengths))}):
        count = len(task.lengths)
        there = f"there are {count} sequences, 0 to {count - 1}" if count > 1 else "there is one sequence, 0"
        fail(f"Index {index} came, but {there if count else 'there are no sequences'}.", got=batches)
    lost = [index for index in range(len(task.lengths)) if not times[index]]
    if lost:
        more = f" ({len(lost)} are missing)" if len(lost) > 1 else ""
        fail(f"Index {lost[0]} is in no batch{more}; each of them was expected once.", got=batches)
    for index, count in times.items():
        if count > 1:
            fail(f"Index {index} came {count} times; once was expected.", got=batches)


def within(batches, task):
    """Fail unless no batch takes more than max_tokens, but for one sequence that is longer all by itself."""
    for number, batch in enumerate(batches):
        if not batch:
            fail(f"Batch {number} is empty; every batch holds at least one sequence.", got=batches)
        known = [index for index in batch if -len(task.lengths) <= index < len(task.lengths)]
        taken = positions(known, task.lengths)
        if taken > task.max_tokens and len(batch) > 1:
            longest = max(task.lengths[index] for index in known)
            fail(
                f"Batch {number} takes {longest} × {len(known)} = {taken} positions once it is padded; at "
                f"most {task.max_tokens} were expected. Its lengths: {[task.lengths[i] for i in known]}.",
                got=batches,
            )


@points(1, hint="Keep the last batch too, and return indices into `lengths` as they were before any sorting.")
@cases(tasks(), n=4)
def test_every_index_once(student, task):
    """Every index stands in exactly one batch."""
    once(task.ask(student), task)


@points(1, hint="A batch is padded to its longest sequence: longest × count must stay within max_tokens.")
@cases(tasks(), n=4)
def test_within_budget(student, task):
    """No batch takes more than max_tokens positions, padding included."""
    within(task.ask(student, 1), task)


EDGES = (
    Task((), 10, "no sequence"),
    Task((10,), 10, "one sequence that fills the budget"),
    Task((4,) * 7, 11, "seven sequences of one length"),
    Task((5, 5, 5, 5), 10, "two that fill the budget"),
    Task((3, 30, 2, 4), 10, "one sequence longer than the budget"),
    Task((30,), 10, "one sequence, longer than the budget"),
    Task((30, 2, 11, 30, 3), 10, "three sequences longer than the budget"),
)


@points(1, hint="No sequences give []; a sequence longer than max_tokens has a batch of its own.")
@cases(EDGES)
def test_smallest_and_largest(student, task):
    """No sequence, one, all of one length, and one longer than the budget are batched as well."""
    batches = task.ask(student)
    once(batches, task)
    within(batches, task)


@points(0.5, hint="Use sorted(...), which makes a new list, and not lengths.sort() or lengths.pop().")
def test_lengths_left_alone(student):
    """The caller's list of lengths is left as it was."""
    for lengths in ([5, 2, 9, 1, 7, 3, 8], [5, 2, 29, 1, 7, 3, 48]):  # some beyond the budget
        _, after = student.with_inputs("make_batches", list(lengths), 20, 0)
        if after[0] != lengths:
            fail(
                "`lengths` was changed; the caller needs it to find the sequences.",
                got=after[0],
                expected=lengths,
            )


@st.composite
def seeded(draw):
    generator = random.Random(draw(st.integers(0, 2**32)))
    lengths = tuple(generator.randint(1, 30) for _ in range(64))
    return Task(lengths, 90), [generator.randint(0, 10**6) for _ in range(ORDERS)]


def together(batches):
    """The batches in their order, whatever the order inside each."""
    return [sorted(batch) for batch in batches]


@points(1, hint="Draw all random numbers from one generator made of the seed: random.Random(seed).")
@cases(seeded(), n=1)
def test_seed_decides(student, case):
    """The same seed gives the same batches, and another seed other ones or another order."""
    task, (seed, *_) = case
    # 0 is a seed like any other, and so is the next number: epochs are counted.
    known = {}
    for one in (seed, 0, seed + 1, seed + 2, seed + 4):
        batches = task.ask(student, one)
        batched(batches, task)
        for other, those in known.items():
            if together(batches) == together(those):
                fail(f"seed={other} and seed={one} gave the same batches in the same order.")
        known[one] = batches
    for one in (seed, 0):
        if task.ask(student, one) != known[one]:
            fail(f"seed={one} was given twice, and other batches came the second time.")
    if task.ask(student.elsewhere, seed) != known[seed]:
        fail(
            f"seed={seed} gave other batches when the program was run a second time: what differs from run "
            "to run, such as hash() of a text, must not count."
        )


def batched(batches, task):
    """Fail where hardly any batch holds more than one sequence: then there is nothing to put in order."""
    if len(task.lengths) < ALONE * len(batches):
        fail(
            f"{len(task.lengths)} sequences came in {len(batches)} batches, almost each by itself, though "
            "any three of them fit into one."
        )


def rank_correlation(values):
    """Return Spearman's correlation of values with their places: 1 where they grow, -1 where they fall."""
    places = ranks(list(range(len(values))))
    own = ranks(values)
    mean = (len(values) - 1) / 2
    spread = sum((place - mean) ** 2 for place in places) * sum((rank - mean) ** 2 for rank in own)
    if not spread:
        return 0.0
    return sum((place - mean) * (rank - mean) for place, rank in zip(places, own, strict=True)) / spread**0.5


def ranks(values):
    """Return each value's rank from 0; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for index in order[start : end + 1]:
            found[index] = (start + end) / 2
        start = end + 1
    return found


@points(1, requires=["test_every_index_once"], hint="Shuffle the batches once they are made.")
@cases(seeded(), n=1)
def test_order_is_no_curriculum(student, case):
    """Short batches do not always come first, nor last, and each seed has an order of its own."""
    task, seeds = case
    found, orders, steps = [], [], []
    for seed in seeds:
        batches = task.ask(student, seed)
        batched(batches, task)
        orders.append(together(batches))
        means = [sum(task.lengths[i] for i in batch) / len(batch) for batch in batches if batch]
        found.append(rank_correlation(means))
        steps += [after > before for before, after in itertools.pairwise(means) if after != before]
    mean = sum(found) / len(found)
    if min(map(abs, found)) > SORTED and min(found) < 0 < max(found):
        fail(
            "Whatever the seed, the batches come in the order of their lengths, from shortest to longest or "
            "the other way round; a random order was expected."
        )
    if min(map(abs, found)) > SORTED or abs(mean) > BIASED:
        way = "shortest to longest" if mean > 0 else "longest to shortest"
        fail(
            f"Whatever the seed, the batches come from {way} (rank correlation {mean:.2f}; 0 was expected, "
            "give or take chance)."
        )
    upwards = sum(steps) / len(steps) if steps else 0.5
    if max(upwards, 1 - upwards) > TURNS:
        way = "longer" if upwards > 0.5 else "shorter"
        fail(
            f"{max(upwards, 1 - upwards):.0%} of the batches come just before one of {way} sequences; about "
            "half was expected."
        )
    first, *others = orders
    alike = sum(
        sum(map(operator.eq, first, other)) / max(1, len(first), len(other)) for other in others
    ) / len(others)
    if alike > ALIKE:
        fail(
            f"Of {len(orders)} seeds, each gave almost the same order: on average {alike:.0%} of the batches "
            "stood in the same place with the same sequences."
        )


def histograms(generator):
    """Lengths as they are found: a long tail, a few very long ones, all alike often, two kinds."""
    yield tuple(
        generator.randint(100, 200) if generator.random() < 0.05 else generator.randint(5, 20)
        for _ in range(200)
    )
    yield tuple(min(250, max(1, round(generator.lognormvariate(3.2, 0.7)))) for _ in range(200))
    yield tuple(generator.randint(1, 120) for _ in range(200))
    yield tuple(generator.choice((generator.randint(8, 16), generator.randint(60, 90))) for _ in range(200))


@st.composite
def corpora(draw):
    generator = random.Random(draw(st.integers(0, 2**32)))
    small = tuple(round(generator.lognormvariate(2.2, 0.8)) + 1 for _ in range(20))
    return [Task(lengths, BUDGET) for lengths in histograms(generator)], Task(small, max(60, *small))


@cache
def baseline(task):
    """Return (share of padding, number of batches) where the order is shuffled, over a few shuffles."""
    tried = [shuffled_batches(task.lengths, task.max_tokens, seed) for seed in range(4)]
    shares = [padded_share(batches, task.lengths) for batches in tried]
    return sum(shares) / len(shares), sum(map(len, tried)) / len(tried)


@points(
    2,
    requires=["test_every_index_once", "test_within_budget"],
    hint="Put sequences of similar length together, as many as the budget allows.",
)
@cases(corpora(), n=1)
def test_little_padding(student, case):
    """Batches hold at most 0.6 times the padding of a shuffled order, and there are not many more of them."""
    tasks, small = case
    show(student, small)
    padding = shuffled = count = usual = 0.0
    for task in tasks:
        batches = task.ask(student, 3)
        once(batches, task)
        within(batches, task)
        share, number = baseline(task)
        padding += padded_share(batches, task.lengths) / len(tasks)
        shuffled += share / len(tasks)
        count += len(batches)
        usual += number
    ratio = padding / shuffled
    student.fact("padding", f"{padding:.0%} of all positions; {shuffled:.0%} in a shuffled order")
    sequences = sum(len(task.lengths) for task in tasks)
    student.fact("batches", f"{count:.0f} for {sequences} sequences; {usual:.0f} in a shuffled order")
    if count > COUNT * usual:
        fail(
            f"{count:.0f} batches came, where filling the budget in a shuffled order takes {usual:.0f}: the "
            f"batches are too small. At most {COUNT:g} times as many were expected."
        )
    if ratio > WASTE:
        fail(
            f"{padding:.0%} of all positions are padding, {ratio:.2f} times what a shuffled order has "
            f"({shuffled:.0%}); at most {WASTE} times were expected.",
            earned=max(0.0, NEARLY * (NOTHING - ratio) / (NOTHING - WASTE)),
        )


def show(student, task):
    """Show the student's batches of a few sequences beside those of a shuffled order."""

    def in_tokens(batches):
        return [[task.lengths[index] for index in batch] for batch in batches]

    batches = task.ask(student, 0)
    once(batches, task)
    beside = shuffled_batches(task.lengths, task.max_tokens)
    title = f"{len(task.lengths)} sequences in batches of at most {task.max_tokens} positions"
    student.show(
        batches_picture(
            in_tokens(batches), in_tokens(beside), title=title, beside_title="in a shuffled order"
        )
    )
