"""Other rows, lengths and pad ids; the mean and the attention mask apart.

A model is judged by behaviour alone: it is built, its parameters are moved to fresh values (a head or
positions that start at zero would otherwise hide everything), and then its inputs are changed. Building
takes longer than asking, so all checks share one model for each pad id.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import RemoteModule, cases, close, fail, fresh_tensor, points, same, tensor

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(0, 2**32 - 1).filter(lambda seed: seed > 1000)
STILL = 1e-5  # padded against unpadded moves correct float32 models by 5e-7
ALIVE = 1e-4  # an allowed change moves them by about 1

# Nobody's width, so that tables of tokens and of positions can be told by their shape.
VOCAB, MAX_LEN, CLASSES = 101, 13, 5
OTHER_PAD = 58


@dataclass(frozen=True)
class Pooling:
    """Hidden states of rows of different lengths, in quarter steps."""

    length: int
    lengths: tuple[int, ...]
    width: int
    seed: int

    def hidden(self) -> Tensor:
        return (fresh_tensor(len(self.lengths), self.length, self.width, seed=self.seed) * 4).round() / 4

    def padding_mask(self) -> Tensor:
        return reference.padding_mask(torch.tensor(self.lengths), self.length)


@st.composite
def poolings(draw):
    length = draw(st.integers(2, 6))
    rest = draw(st.lists(st.integers(1, length), max_size=3))
    lengths = draw(st.permutations([draw(st.integers(1, length - 1)), *rest]))
    return Pooling(length, tuple(lengths), draw(st.integers(1, 5)), draw(SEEDS))


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Set padding to zero, add up over the tokens, divide by the number of real tokens of each row.",
)
@cases(poolings(), n=8)
def test_pool_values(student, case):
    """masked_mean_pool gives each row's mean over its real tokens, whatever stands in the padding."""
    hidden, padding_mask = case.hidden(), case.padding_mask()
    hidden = torch.where(padding_mask.unsqueeze(-1), 25 * hidden + 50, hidden)
    expected = reference.masked_mean_pool(hidden, padding_mask)
    # A small eps in the denominator is no mistake.
    close(student.masked_mean_pool(hidden, padding_mask), expected, what="the mean", atol=1e-4, rtol=1e-4)


@points(1, hint="Use masked_fill or a product, which make a new tensor, not hidden[mask] = 0.")
@cases(poolings(), n=2)
def test_pool_leaves_inputs(student, case):
    """masked_mean_pool leaves hidden and the mask as they were."""
    before = case.hidden(), case.padding_mask()
    answer, after = student.with_inputs("masked_mean_pool", *before)
    other = student.masked_mean_pool(before[0] + 1, before[1])
    if torch.equal(tensor(answer), tensor(other)):
        fail("One was added to all of hidden, but the mean came out the same.")
    same(after[0], before[0], what="hidden after the call")
    same(after[1], before[1], what="padding_mask after the call")


@dataclass(frozen=True)
class Rows:
    """Rows of ids of different lengths."""

    lengths: tuple[int, ...]
    length: int
    pad_id: int
    seed: int

    def tokens(self, *shape: int, salt: int = 0) -> Tensor:
        """Ids of real tokens; next to each other they differ."""
        generator = torch.Generator().manual_seed(self.seed + salt)
        steps = torch.randint(1, VOCAB - 1, shape, generator=generator)
        ids = steps.cumsum(-1) % (VOCAB - 1)
        return ids + (ids >= self.pad_id)

    def another(self, ids: Tensor) -> Tensor:
        """For each id another real token."""
        following = (ids + 1) % VOCAB
        return following.masked_fill(following == self.pad_id, (self.pad_id + 1) % VOCAB)

    def ids(self, salt: int = 0) -> Tensor:
        ids = self.tokens(len(self.lengths), self.length, salt=salt)
        return ids.masked_fill(reference.padding_mask(torch.tensor(self.lengths), self.length), self.pad_id)


@st.composite
def rows(draw, pad_id=0):
    """Four rows: one of a single token, one full, two in between; fewer columns than MAX_LEN."""
    length = draw(st.sampled_from([6, 7]))
    between = draw(st.lists(st.integers(2, length - 1), min_size=2, max_size=2))
    lengths = draw(st.permutations([1, length, *between]))
    return Rows(tuple(lengths), length, pad_id, draw(SEEDS))


def is_table(shape: tuple[int, ...], size: int) -> bool:
    """Whether a parameter of this shape has a row for each of `size`, and perhaps for one or two more."""
    return len(shape) > 1 and any(size <= n <= size + 2 for n in shape)


@dataclass
class Model:
    """The student's model in evaluation mode, every parameter moved."""

    module: RemoteModule
    dtype: torch.dtype
    state: dict[str, Tensor] = field(repr=False)
    trained: frozenset[str] = field(repr=False)
    alive: bool = False

    def logits(self, ids: Tensor, grad: bool = True) -> Tensor:
        answer = self.module(ids) if grad else self.module.no_grad(ids)
        return tensor(answer, shape=(len(ids), CLASSES), what="the logits")

    def with_hidden(self, ids: Tensor, hidden: Tensor) -> Tensor:
        """The logits where `hidden` stands in the place of the last (batch, length, width) it makes."""
        answer = self.module.call_with_hidden(ids, hidden=hidden)
        return tensor(answer, shape=(len(ids), CLASSES), what="the logits")

    def token_tables(self) -> list[str]:
        return [
            name
            for name, value in self.state.items()
            if is_table(value.shape, VOCAB) and not is_table(value.shape, MAX_LEN)
        ]

    @contextmanager
    def holding(self) -> Iterator[Callable[[dict[str, Tensor]], None]]:
        """Ask it with other parameters for a while: those that the function is given."""
        yield self.module.load_state_dict
        self.module.load_state_dict(self.state)


def build(student, pad_id: int) -> Model:
    module = student.build("MeanPoolClassifier", VOCAB, MAX_LEN, CLASSES, pad_id=pad_id).eval()
    module(torch.tensor([[1, 2], [3, 4]]))  # lazy layers have no parameters before
    trained = frozenset(parameter.name for parameter in module.parameters())
    state = module.state_dict()
    for i, name in enumerate(sorted(trained & state.keys())):
        value = state[name]
        table = is_table(value.shape, VOCAB) or is_table(value.shape, MAX_LEN)
        scale = 0.5 if table or not value.dim() else 0.5 * value.shape[-1] ** -0.5
        step = fresh_tensor(*value.shape, seed=i) * scale
        if value.shape[:1] == (VOCAB,) and not bool(value[pad_id].any()):
            step[pad_id] = 0  # the row of padding_idx is never trained
        state[name] = value + step.to(value.dtype)
    module.load_state_dict(state)
    return Model(module, student.dtype, state, trained)


@pytest.fixture(scope="module")
def built():
    """The models of the submission that is graded now."""
    return {}


@pytest.fixture
def models(student, built):
    """A function of the pad id that gives the model, as this check asks it."""

    def model(pad_id: int = 0) -> Model:
        key = pad_id, student.dtype
        found = built.get(key)
        module = found and found.module.asked_by(student)
        if module is None:
            built[key] = build(student, pad_id)
        else:
            found.module = module
        found = built[key]
        if not found.alive:
            # What ignores its input passes every check in which something must not move.
            ids = torch.tensor([[21, 32], [22, 33]])
            logits = found.logits(ids)
            if torch.equal(logits[0], logits[1]):
                fail(
                    "The tokens were replaced by others, but the logits came out the same.",
                    inputs={"ids": ids},
                )
            found.alive = True
        return found

    return model


def moved(before: Tensor, after: Tensor) -> float:
    """The largest change, next to values of size one; NaN counts as infinite."""
    size = max(1.0, float(before.abs().nan_to_num(nan=0).max()))
    return float((after - before).abs().nan_to_num(nan=torch.inf).max()) / size


def wider(case: Rows, ids: Tensor) -> Tensor:
    """The same rows with padding up to MAX_LEN."""
    more = torch.full((len(ids), MAX_LEN - ids.shape[1]), case.pad_id)
    return torch.cat([ids, more], dim=1)


def padding_changes(case: Rows, model: Model, ids: Tensor, alone: list[int], grad: bool = True) -> str | None:
    """Say how padding changes the logits, if it does: with more of it, or with none for the rows `alone`."""
    logits = model.logits(ids, grad)
    change = moved(logits, model.logits(wider(case, ids), grad))
    where = "" if grad else " (under torch.no_grad())"
    if change > STILL:
        return f"Padding was added up to max_len, and a logit moved by {change:.3g}{where}."
    for row in alone:
        length = case.lengths[row]
        change = moved(logits[row : row + 1], model.logits(ids[row : row + 1, :length], grad))
        if change > STILL:
            return (
                f"Row {row} has {length} real tokens. Alone and without padding its logits differ by "
                f"{change:.3g} from those in the batch{where}."
            )
    return None


def shortest(case: Rows) -> list[int]:
    return [case.lengths.index(min(case.lengths))]


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Padding must count neither in the attention (src_key_padding_mask) nor in the mean.",
)
@cases(rows(), n=1)
def test_row_alone(models, case):
    """A row's logits are the same alone and unpadded, in a batch, and with padding up to max_len."""
    model, ids = models(), case.ids()
    padded = [row for row, length in enumerate(case.lengths) if length < case.length]
    problem = padding_changes(case, model, ids, padded[:2]) or padding_changes(
        case, model, ids, padded[2:], grad=False
    )
    if problem:
        fail(problem)


def final_states(case: Rows, model: Model, ids: Tensor) -> Tensor | None:
    """The last hidden states, if the logits are made of these alone, and they come after the attention.

    Hidden states are the word of the model; so they must give its own logits, and those of other ids.
    """
    other = ids.clone()
    other[:, 0] = case.another(ids[:, 0])
    hidden, elsewhere = model.module.hidden(ids), model.module.hidden(other)
    if hidden is None or elsewhere is None or hidden.dim() != 3 or hidden.shape != elsewhere.shape:
        return None
    if hidden.shape[:2] != ids.shape:
        return None
    for states, logits in ((hidden, model.logits(ids)), (elsewhere, model.logits(other))):
        if moved(model.with_hidden(ids, states), logits) > STILL:
            return None
    # After the attention the first token has moved the others.
    longest = case.lengths.index(max(case.lengths))
    later = slice(1, case.lengths[longest])
    return hidden if moved(hidden[longest, later], elsewhere[longest, later]) > 1e-6 else None


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Pass src_key_padding_mask=(ids == pad_id) to the encoder: True where a source is padding.",
)
@cases(rows(), n=1)
def test_attention_ignores_padding(models, case):
    """In the attention, padding is blocked: what real tokens become does not depend on it."""
    model, ids = models(), case.ids()
    problem = padding_changes(case, model, ids, shortest(case))
    if problem is None:
        return
    wide, real = wider(case, ids), ids != case.pad_id
    hidden, padded = final_states(case, model, ids), final_states(case, model, wide)
    if hidden is not None and padded is not None and hidden.shape[-1] == padded.shape[-1]:
        # Looked at before the mean, so that a mistake there does not count twice.
        change = moved(hidden[real], padded[:, : ids.shape[1]][real])
        if change <= STILL:
            return
        problem = f"Padding was added up to max_len, and what a real token becomes moved by {change:.3g}."
    fail(problem, inputs={"ids": ids})


# Rows of two tokens a and b whose means agree, and one whose mean differs.
AGREE = ("ab", "abab", "ba", "bbaa")
DIFFERS = "aab"


def by_hidden(case: Rows, model: Model, width: int) -> str | None:
    """Put hidden states in the place of the last that the model makes; say how that shows no mean."""
    # The longest rows first, and full: some models sort by length, some cut common padding off.
    patterns, length = sorted((*AGREE, DIFFERS), key=len, reverse=True), 4
    here = Rows(tuple(map(len, patterns)), length, case.pad_id, case.seed)
    a, b = 3 * fresh_tensor(2, width, seed=case.seed)
    hidden = 3 * fresh_tensor(len(patterns), length, width, seed=case.seed + 1)  # what stands in the padding
    for row, pattern in enumerate(patterns):
        for position, letter in enumerate(pattern):
            hidden[row, position] = a if letter == "a" else b
    logits = dict(zip(patterns, model.with_hidden(here.ids(), hidden), strict=True))
    for pattern in AGREE[1:]:
        change = moved(logits["ab"], logits[pattern])
        if change > 10 * STILL:
            return (
                f"With hidden states a and b, the rows a, b and {', '.join(pattern)} have the same mean, "
                f"but their logits differ by {change:.3g}."
            )
    if moved(logits["ab"], logits[DIFFERS]) > ALIVE:
        return None
    return "With hidden states a and b, the rows a, b and a, a, b have other means, but the same logits."


def without_interaction(model: Model) -> dict[str, Tensor] | None:
    """Parameters with which a token becomes nearly the same in every company and at every place.

    Tokens are large next to positions, and weights so small that attention is nearly even and adds little
    to a residual. None where the tables of tokens cannot be told from weights.
    """
    tables = model.token_tables()
    if any(len([n for n in model.state[name].shape if VOCAB <= n <= VOCAB + 2]) > 1 for name in tables):
        return None
    state = {}
    for name, value in model.state.items():
        factor = 1.0
        if is_table(value.shape, MAX_LEN):
            factor = 0.0
        elif name in tables:
            factor = 100.0
        elif value.dim() > 1 and name in model.trained:
            # One row gives each token a score: were they weighed by it, one token would take all.
            factor = 30.0 if value.shape[0] == 1 else 1.0 if CLASSES in value.shape else 1e-3
        state[name] = value * factor if factor != 1.0 else value
    return state


def by_ids(case: Rows, model: Model) -> str | None:
    """Ask with ids alone, where tokens do not change each other; say how that shows no mean."""
    state = without_interaction(model)
    if state is None:
        return None
    letters = case.tokens(2, 2, salt=2).tolist()
    pairs = [(a, b) for first, second in letters for a, b in ((first, second), (second, first))]

    def ask(patterns: list[str]) -> dict[str, Tensor]:
        ids = [[a if letter == "a" else b for letter in p] for p in patterns for a, b in pairs]
        answers = model.logits(torch.tensor(ids)).reshape(len(patterns), -1).double()
        return dict(zip(patterns, answers, strict=True))

    with model.holding() as load:
        load(state)
        few = ask(["aa", "ab"])
        some = ask(["aaaa", "baaa", "aaba", "aaab", "abab", "bbaa"])
        many = ask(["aaaaaaaa", "baaaaaaa", "aaaabaaa", "aaaaaaab"])
    noise = 1e4 * torch.finfo(model.dtype).eps * max(1.0, float(some["aaaa"].abs().max()))

    def effects(logits: dict[str, Tensor]) -> Tensor:
        base, *others = list(logits.values())[:4]
        return torch.stack([(other - base).norm() for other in others])

    of_some, of_many = effects(some), effects(many)
    for found, length in ((of_some, 4), (of_many, 8)):
        if float(found.max()) > noise and not float((found / found.mean() - 1).abs().max()) < 0.25:
            return f"In a row of {length} equal tokens another one counts more at some places than at others."
    if not float(of_some.max()) > noise:
        return None  # too little to be told from rounding
    ratio = float(of_many.mean() / of_some.mean())
    if not 0.35 < ratio < 0.65:
        return (
            f"One token among 8 moves the logits by {ratio:.2g} of what it moves them among 4; "
            "half was expected of a mean."
        )
    for pattern in ("abab", "bbaa"):
        share = float((some[pattern] - few["ab"]).norm() / (few["ab"] - few["aa"]).norm())
        if not share < 0.1:
            return f"The rows a, b and {', '.join(pattern)} have the same mean, but not the same logits."
    return None


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Feed the head with masked_mean_pool(hidden, padding_mask): not a sum, a maximum or one token.",
)
@cases(rows(), n=1)
def test_classifier_takes_the_mean(models, case):
    """The head sees the mean over the real tokens: rows of other length but equal mean get equal logits."""
    model, ids = models(), case.ids()
    # What a model does with ids comes first: its hidden states need not be those that it uses.
    problem = by_ids(case, model)
    if problem is None:
        hidden = final_states(case, model, ids)
        if hidden is not None:
            problem = by_hidden(case, model, hidden.shape[-1])
        else:
            # The last module comes before positions, attention or a residual; padding must tell.
            problem = padding_changes(case, model, ids, shortest(case))
    if problem:
        fail(problem)


@points(2, hint="Compare with self.pad_id, everywhere: in the mask and in the mean.")
@cases(rows(pad_id=OTHER_PAD), n=1)
def test_other_pad_id(models, case):
    """Padding is where ids equal pad_id, and token 0 is a token like any other."""
    model = models(OTHER_PAD)
    ids = case.ids()
    ids[:, 0] = 0
    problem = padding_changes(case, model, ids, shortest(case))
    if problem:
        fail(problem)
    other = ids.clone()
    other[:, 0] = case.another(ids[:, 0])
    logits = model.logits(torch.cat([ids, other]), grad=False)
    change = (logits[: len(ids)] - logits[len(ids) :]).abs().amax(dim=1)
    if not bool((change > ALIVE).all()):
        fail("Token 0 was replaced by another, but the logits of a row did not move.", inputs={"ids": ids})


@points(1, hint="Look ids up in an nn.Embedding, and use what every position gives.")
@cases(rows(), n=1)
def test_every_token_matters(models, case):
    """Changing any one real token of a row changes its logits."""
    model, ids = models(), case.ids()
    row, position = (ids != case.pad_id).nonzero(as_tuple=True)
    other = ids[row]
    other[torch.arange(len(row)), position] = case.another(ids[row, position])
    logits = model.logits(torch.cat([ids, other]))
    change = (logits[len(ids) :] - logits[: len(ids)][row]).abs().amax(dim=1)
    still = (~(change > ALIVE)).nonzero()
    if len(still):
        fail(
            f"Token {int(position[still[0]])} of row {int(row[still[0]])} was replaced by another, "
            "but its logits did not move.",
            inputs={"ids": ids},
        )


@points(1, hint="Add an embedding of positions, torch.arange(length), to the embedded tokens.")
@cases(rows(), n=1)
def test_order_matters(models, case):
    """The same tokens in another order give other logits."""
    model, ids = models(), case.tokens(3, 4)
    logits = model.logits(torch.cat([ids, ids.flip(1)]))
    if not float((logits[3:] - logits[:3]).abs().max()) > ALIVE:
        fail("The tokens were put in reverse order, and no logit moved: positions have no effect.")


@points(1, hint="Without self-attention each token is encoded alone: use nn.TransformerEncoder or your own.")
@cases(rows(), n=1)
def test_tokens_see_each_other(models, case):
    """What a token contributes depends on the other tokens of its row."""
    model = models()
    first, second = case.tokens(1, 2), case.another(case.tokens(1, 2))
    a, b, c, d = *first[0].tolist(), *second[0].tolist()
    kept, first, second, both = model.logits(torch.tensor([[a, b], [c, b], [a, d], [c, d]]))
    # Were the tokens encoded each alone, replacing the first would do the same whatever the second is.
    interaction = float(((kept - first) - (second - both)).abs().max())
    if not interaction > 1e-5:
        fail("Replacing the first token does the same whatever the second is: there is no attention.")


@points(1, hint="batch_first=True; positions along the row; no statistic over dimension 0.")
@cases(rows(), n=1)
def test_rows_independent(models, case):
    """A row's logits do not depend on the other rows of the batch."""
    model, ids = models(), case.ids()
    logits = model.logits(ids)
    other = case.ids(salt=1)
    one_token = other.where(torch.arange(case.length) == 0, case.pad_id)
    for row, others in ((0, other), (len(ids) - 1, one_token)):
        mixed = torch.where(torch.arange(len(ids)).unsqueeze(1) == row, ids, others)
        change = moved(logits[row], model.logits(mixed)[row])
        if change > STILL:
            fail(f"All rows but row {row} were changed, and its logits moved by {change:.3g}.")
    change = moved(logits, model.logits(ids.flip(0)).flip(0))
    if change > STILL:
        fail(f"The rows were put in reverse order, and their logits moved by {change:.3g}.")


@points(1, hint="Keep the batch axis in a batch of one; the table of positions has max_len rows.")
@cases([(1, 1, True), (1, MAX_LEN, False), (2, MAX_LEN, True), (5, 1, False)])
def test_smallest_and_largest(models, case):
    """Batches of one row, rows of one token and rows of max_len tokens work."""
    batch, length, grad = case
    task = Rows((length,) * batch, length, 0, seed=batch)
    logits = models().logits(task.ids(), grad)
    if not bool(torch.isfinite(logits).all()):
        fail("The logits hold NaN or infinities.", got=logits)


@points(1, hint="Use nn.Dropout, which eval() switches off, or F.dropout(x, p, training=self.training).")
@cases(rows(), n=1)
def test_evaluation_repeats(models, case):
    """In evaluation mode, equal inputs give equal logits."""
    model, ids = models(), case.ids()
    change = moved(model.logits(ids), model.logits(ids))
    if change > STILL:
        fail(f"The same ids were given twice in evaluation mode, and the logits differ by {change:.3g}.")


def directions(model: Model, ids: Tensor, seed: int) -> dict[str, Tensor]:
    """For each table of tokens a change of the rows of these ids; without a table, for each parameter."""
    used = ids.unique()
    found = {}
    for i, name in enumerate(model.token_tables() or sorted(model.trained & model.state.keys())):
        shape = model.state[name].shape
        step = fresh_tensor(*shape, seed=seed + i)
        if VOCAB in shape:
            axis = list(shape).index(VOCAB)
            rows = torch.zeros(VOCAB, dtype=step.dtype).index_fill(0, used, 1)
            step = step * rows.reshape([VOCAB if i == axis else 1 for i in range(len(shape))])
        found[name] = step
    return found


@points(1, hint="No torch.no_grad(), detach() or .data between the embeddings and the logits.")
@cases(rows(), n=1)
def test_gradients_reach_embeddings(models, case):
    """Gradients reach the embedding of every real token, and say how it changes the logits."""
    model, ids = models(), case.ids()
    found = model.module.gradients(ids, cotangent_seed=case.seed).parameters
    ids = ids.where(ids != case.pad_id, ids[:, :1])
    steps = directions(model, ids, case.seed)
    reported, size = 0.0, 0.0
    for name, step in steps.items():
        gradient = found.get(name)
        if gradient is not None and gradient.shape == step.shape:
            reported += float((gradient.double() * step).sum())
            size += float((gradient.double() * (step != 0)).square().sum())
    size **= 0.5
    if not 0 < size < float("inf"):
        fail("No gradient comes to the embeddings of the real tokens, so they could not be trained.")
    # Gradients are the word of the model; so the embeddings are moved a little, back and forth.
    generator = torch.Generator().manual_seed(case.seed)
    cotangent = torch.randn(len(ids), CLASSES, generator=generator, dtype=torch.float64)
    h, tolerance = (1e-6, 1e-4) if model.dtype == torch.float64 else (1e-2, 0.1)
    losses = []
    with model.holding() as load:
        for sign in (h, -h):
            state = dict(model.state)
            for name, step in steps.items():
                state[name] = state[name] + (sign * step).to(state[name].dtype)
            load(state)
            losses.append(float((model.logits(case.ids()).double() * cotangent).sum()))
    slope = (losses[0] - losses[1]) / (2 * h)
    if not abs(slope - reported) < tolerance * max(size, abs(slope)):
        fail(
            "The gradients for the embeddings are not how the logits change with them, so some token could "
            "not be trained."
        )
