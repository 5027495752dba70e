"""Other rows, lengths and pad ids; the mean and the attention mask apart.

A model is judged by behaviour alone: it is built, its parameters are moved to fresh values (a head or
positions that start at zero would otherwise hide everything), and then its inputs are changed. Building
and asking take long, so all checks share one model for each pad id, and the logits of one batch.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import RemoteModule, cases, close, fail, fresh_tensor, points, same, tensor
from graders.last_states import first_sees_nothing_later

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
    rest = draw(st.lists(st.integers(1, length), min_size=1, max_size=3))
    lengths = draw(st.permutations([draw(st.integers(1, length - 1)), *rest]))
    return Pooling(length, tuple(lengths), draw(st.integers(1, 5)), draw(SEEDS))


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Set padding to zero, add up over the tokens, divide by the number of real tokens of each row.",
)
@cases(poolings(), n=4)
def test_pool_values(student, case):
    """masked_mean_pool gives each row's mean over its real tokens, whatever stands in the padding."""
    # The same shape with other lengths too: counts that were kept from the call before are not these.
    others = tuple(n % case.length + 1 for n in case.lengths)
    for task in (case, replace(case, lengths=others)):
        hidden, padding_mask = task.hidden(), task.padding_mask()
        hidden = torch.where(padding_mask.unsqueeze(-1), 25 * hidden + 50, hidden)
        hidden[task.lengths.index(max(task.lengths)), 0] = 0  # a real token, though it is zero
        expected = reference.masked_mean_pool(hidden, padding_mask)
        # A small eps in the denominator is no mistake.
        close(student.masked_mean_pool(hidden, padding_mask), expected, what="the mean", atol=1e-4, rtol=1e-4)


@points(1, hint="Use masked_fill or a product, which make a new tensor, not hidden[mask] = 0.")
@cases(poolings(), n=1)
def test_pool_leaves_inputs(student, case):
    """masked_mean_pool rounds nothing of hidden, and leaves it and the mask as they were."""
    before = case.hidden() + 10.125, case.padding_mask()
    answer, after = student.with_inputs("masked_mean_pool", *before)
    # Ten times what float32 tells apart there.
    more = 1e-5 * (1 + fresh_tensor(*before[0].shape, seed=case.seed + 1).abs())
    other = student.masked_mean_pool(before[0] + more, before[1])
    answer = tensor(answer)
    if bool((tensor(other, shape=answer.shape) == answer).any()):
        fail("All of hidden was moved by a hundred-thousandth, but not all of the mean: values are rounded.")
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


def rows(seed: int, pad_id: int = 0) -> Rows:
    """Five rows: one of a single token, two full, two in between; fewer columns than MAX_LEN."""
    random = Random(seed)
    length = random.choice([6, 7])
    lengths = [1, length, length, random.randrange(2, length), random.randrange(2, length)]
    random.shuffle(lengths)
    return Rows(tuple(lengths), length, pad_id, seed)


def is_table(shape: tuple[int, ...], size: int) -> bool:
    """Whether a parameter of this shape has a row for each of `size`, and perhaps for one or two more."""
    return len(shape) > 1 and any(size <= n <= size + 2 for n in shape)


@dataclass
class Model:
    """The student's model in evaluation mode."""

    module: RemoteModule
    dtype: torch.dtype
    pad_id: int
    state: dict[str, Tensor] = field(default_factory=dict, repr=False)
    trained: frozenset[str] = frozenset()
    alive: bool = False
    padding_ignored: bool = False  # as a check has found, with autograd and without
    known: tuple[Rows, Tensor] | None = None
    _loaded: dict[str, Tensor] = field(default_factory=dict, repr=False)

    def logits(self, ids: Tensor, grad: bool = False, state: dict[str, Tensor] | None = None) -> Tensor:
        """The logits, with other parameters where they are given; without autograd they take less time."""
        self.load(self.state if state is None else state)
        logits = self._ask(ids, grad)
        if not self.alive and bool(self._twins(ids).any()):
            if not self.state and self._ignores(ids, logits):
                self.move()
                logits = self._ask(ids, grad)
            # What ignores its input passes every check in which something must not move.
            if self._ignores(ids, logits):
                fail("The tokens were replaced by others, but the logits came out the same.")
            self.alive = True
        return logits

    def _twins(self, ids: Tensor) -> Tensor:
        """Which pairs of rows have their padding in common, but not their tokens."""
        padding, others = ids == self.pad_id, ids.unsqueeze(1)
        return (padding == padding.unsqueeze(1)).all(dim=-1) & (ids != others).any(dim=-1)

    def _ignores(self, ids: Tensor, logits: Tensor) -> bool:
        """Return whether all such pairs have equal logits, but for rounding."""
        change = (logits - logits.unsqueeze(1)).abs().amax(dim=-1)
        return bool((change[self._twins(ids)] <= 1e-6).all())

    def _ask(self, ids: Tensor, grad: bool) -> Tensor:
        answer = self.module(ids) if grad else self.module.no_grad(ids)
        return tensor(answer, shape=(len(ids), CLASSES), what="the logits", finite=True)

    def elsewhere(self, student, ids: Tensor) -> Tensor:
        """What a new model with the same parameters says of these ids in a guest of its own."""
        module = self.module.made_again(student.elsewhere).eval()
        module.no_grad(torch.tensor([[1, 2], [3, 4]]))  # lazy layers have no parameters before
        module.load_state_dict(self.state)
        return tensor(module.no_grad(ids), shape=(len(ids), CLASSES), what="the logits", finite=True)

    def load(self, state: dict[str, Tensor]) -> None:
        """Give it these parameters, if it has others."""
        if state is not self._loaded and state:
            self.module.load_state_dict(state)
            self._loaded = state

    def move(self) -> None:
        """Move every parameter: a head or positions that start at zero would hide everything."""
        self.module.no_grad(torch.tensor([[1, 2], [3, 4]]))  # lazy layers have no parameters before
        self.trained = frozenset(parameter.name for parameter in self.module.parameters())
        self.state = self.moved(self.module.state_dict())
        self.load(self.state)

    def moved(self, state: dict[str, Tensor], first_seed: int = 0) -> dict[str, Tensor]:
        """The state with every parameter moved."""
        state = dict(state)
        for i, name in enumerate(sorted(self.trained & state.keys()), start=first_seed):
            value = state[name]
            table = is_table(value.shape, VOCAB) or is_table(value.shape, MAX_LEN)
            scale = 0.5 if table or not value.dim() else 0.5 * value.shape[-1] ** -0.5
            step = fresh_tensor(*value.shape, seed=i) * scale
            if value.shape[:1] == (VOCAB,) and not bool(value[self.pad_id].any()):
                step[self.pad_id] = 0  # the row of padding_idx is never trained
            state[name] = value + step.to(value.dtype)
        return state

    def others(self) -> Iterator[dict[str, Tensor]]:
        """Other states: drawn anew, then with the sign of each parameter turned, as that of a large head."""
        for draw in range(5):
            yield self.moved(self.state, first_seed=1000 * (draw + 1))
        for name in sorted(self.trained & self.state.keys()):
            yield {**self.state, name: -self.state[name]}

    def first(self, seed: int) -> tuple[Rows, Tensor, Tensor]:
        """The rows that a check was the first to ask about, with padding up to MAX_LEN, and their logits.

        One batch asked once serves all checks, each of which compares it with an answer of its own.
        """
        if self.known is None:
            case = rows(seed)
            self.known = case, self.logits(wider(case, case.ids()), grad=True)
        case, logits = self.known
        return case, wider(case, case.ids()), logits

    def with_hidden(self, ids: Tensor, hidden: Tensor) -> Tensor:
        """The logits where `hidden` stands in the place of the last (batch, length, width) it makes."""
        self.load(self.state)
        answer = self.module.call_with_hidden(ids, hidden=hidden)
        return tensor(answer, shape=(len(ids), CLASSES), what="the logits")

    def hidden(self, ids: Tensor) -> Tensor | None:
        """The last (batch, length, width) that it makes, of this batch and length; None without one."""
        self.load(self.state)
        hidden = self.module.hidden(ids)
        return hidden if hidden is not None and hidden.dim() == 3 and hidden.shape[:2] == ids.shape else None

    def token_tables(self) -> list[str]:
        return [
            name
            for name, value in self.state.items()
            if is_table(value.shape, VOCAB) and not is_table(value.shape, MAX_LEN)
        ]


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
            module = student.build("MeanPoolClassifier", VOCAB, MAX_LEN, CLASSES, pad_id=pad_id).eval()
            found = built[key] = Model(module, student.dtype, pad_id)
            if pad_id == 0:
                found.move()
        else:
            found.module = module
        return built[key]

    return model


def moved(before: Tensor, after: Tensor) -> float:
    """The largest change, next to values of size one; NaN counts as infinite."""
    size = max(1.0, float(before.abs().nan_to_num(nan=0).max()))
    return float((after - before).abs().nan_to_num(nan=torch.inf).max()) / size


def wider(case: Rows, ids: Tensor) -> Tensor:
    """The same rows with padding up to MAX_LEN."""
    more = torch.full((len(ids), MAX_LEN - ids.shape[1]), case.pad_id)
    return torch.cat([ids, more], dim=1)


def padding_changes(case: Rows, model: Model, ids: Tensor, logits: Tensor, row: int) -> str | None:
    """Say how padding changes the logits of a row, if it does; `logits` are those of `ids`."""
    length = case.lengths[row]
    change = moved(logits[row], model.logits(ids[row : row + 1, :length])[0])
    if change > STILL:
        return (
            f"Row {row} has {length} real token{'s' * (length != 1)}. Alone and without padding its logits "
            f"differ by {change:.3g} from those in a batch with padding up to max_len."
        )
    return None


def padded(case: Rows) -> int:
    """A row with padding, of more than one token, and not the first: alone it stands at another place."""
    return next(row for row, length in enumerate(case.lengths) if row and 1 < length < case.length)


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Padding must count neither in the attention (src_key_padding_mask) nor in the mean.",
)
@cases(SEEDS, n=1)
def test_row_alone(models, seed):
    """A row's logits are the same alone and unpadded, in a batch, and with padding up to max_len."""
    model = models()
    case, ids, logits = model.first(seed)
    problem = padding_changes(case, model, ids, logits, padded(case))
    if problem:
        fail(problem)
    # Without autograd nn.TransformerEncoder leaves padding out, which hides mistakes and makes others.
    change = moved(logits, model.logits(case.ids()))
    if change > STILL:
        fail(
            f"Padding was added up to max_len, and a logit moved by {change:.3g} (from those of these ids "
            "under torch.no_grad())."
        )
    # One padded row alone, as short as can be.
    row = case.lengths.index(1)
    for columns in (5, 2):
        change = moved(logits[row], model.logits(ids[row : row + 1, :columns])[0])
        if change > STILL:
            fail(
                f"Row {row} has one real token. Alone, with {columns} columns, its logits differ by "
                f"{change:.3g} from those in a batch."
            )
    model.padding_ignored = True


# Rows of two tokens a and b whose means agree, and one whose mean differs.
AGREE = ("ab", "abab", "ba", "bbaa")
DIFFERS = "aab"


def final_states(case: Rows, model: Model, ids: Tensor) -> Tensor | None:
    """The last hidden states, if the logits are made of these alone, and they come after the attention.

    Hidden states are the word of the model; so they must give its own logits, and those of other ids.
    """
    other = ids.clone()
    other[:, 0] = case.another(ids[:, 0])
    hidden, elsewhere = model.hidden(ids), model.hidden(other)
    if hidden is None or elsewhere is None or hidden.shape != elsewhere.shape:
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
@cases(SEEDS, n=1)
def test_attention_ignores_padding(models, seed):
    """In the attention, padding is blocked: what real tokens become does not depend on it."""
    model = models()
    if model.padding_ignored:
        return
    case, wide, logits = model.first(seed)
    problem = padding_changes(case, model, wide, logits, case.lengths.index(1))
    if problem is None:
        return
    ids = case.ids()
    real = ids != case.pad_id
    hidden, padded = final_states(case, model, ids), final_states(case, model, wide)
    if hidden is not None and padded is not None and hidden.shape[-1] == padded.shape[-1]:
        # Looked at before the mean, so that a mistake there does not count twice.
        change = moved(hidden[real], padded[:, : ids.shape[1]][real])
        if change <= STILL:
            return
        problem = f"Padding was added up to max_len, and what a real token becomes moved by {change:.3g}."
    fail(problem, inputs={"ids": ids})


def by_hidden(case: Rows, model: Model) -> tuple[bool, str | None]:
    """Put hidden states in the place of the last that the model makes; say how that shows no mean.

    False where that tells nothing: the logits are not made of these alone, or they come before the attention.
    """
    ids = case.ids()
    other = ids.clone()
    other[:, 0] = case.another(ids[:, 0])
    patterns = (*AGREE, DIFFERS)
    lengths = torch.tensor([*case.lengths, *case.lengths, *map(len, patterns)])
    letters = case.tokens(len(patterns), case.length, salt=3)
    padding = reference.padding_mask(lengths, case.length)
    # The longest rows first, and full: some models sort by length, some cut common padding off.
    order = lengths.argsort(descending=True, stable=True)
    place = order.argsort()
    ids, asked = (
        torch.cat([ids, one, letters]).masked_fill(padding, case.pad_id)[order] for one in (ids, other)
    )
    hidden = model.hidden(asked)
    if hidden is None:
        return False, None
    own, designed = place[: -len(patterns)], place[-len(patterns) :]
    width = hidden.shape[-1]
    a, b = 3 * fresh_tensor(2, width, seed=case.seed).to(hidden.dtype)
    states = hidden.clone()
    states[designed] = 3 * fresh_tensor(len(patterns), case.length, width, seed=case.seed + 1).to(
        hidden.dtype
    )
    for row, pattern in zip(designed, patterns, strict=True):
        for position, letter in enumerate(pattern):
            states[row, position] = a if letter == "a" else b
    answer = model.with_hidden(ids, states)
    # Hidden states are the word of the model; so they must give its logits, whatever the ids are beside them.
    if moved(answer[own], model.logits(asked)[own]) > STILL:
        return False, None
    # After the attention the first token has moved the others.
    longest = case.lengths.index(case.length)
    before, after = hidden[place[longest], 1:], hidden[place[longest + len(case.lengths)], 1:]
    if not moved(before, after) > 1e-6:
        return False, None
    logits = dict(zip(patterns, answer[designed], strict=True))
    for pattern in AGREE[1:]:
        change = moved(logits["ab"], logits[pattern])
        if change > 10 * STILL:
            return True, (
                f"With hidden states a and b, the rows a, b and {', '.join(pattern)} have the same mean, "
                f"but their logits differ by {change:.3g}."
            )
    if moved(logits["ab"], logits[DIFFERS]) > ALIVE:
        return True, None
    return (
        True,
        "With hidden states a and b, the rows a, b and a, a, b have other means, but the same logits.",
    )


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
    a, b = case.tokens(2, salt=2).tolist()

    def ask(*groups: list[str]) -> list[dict[str, Tensor]]:
        """Ask for each pattern with both letters, all groups at once if padding may stand beside them."""
        patterns = [pattern for group in groups for pattern in group]
        length = max(map(len, patterns))
        words = [word for p in patterns for word in (p, p.translate(str.maketrans("ab", "ba")))]
        letter = {"a": a, "b": b, " ": case.pad_id}
        ids = torch.tensor([[letter[one] for one in word.ljust(length)] for word in words])
        answers = iter(model.logits(ids, state=state).reshape(len(patterns), -1).double())
        return [{pattern: next(answers) for pattern in group} for group in groups]

    groups = (
        ["aa", "ab"],
        ["aaaa", "baaa", "aaba", "aaab", "abab", "bbaa"],
        ["aaaaaaaa", "baaaaaaa", "aaaabaaa", "aaaaaaab"],
    )
    few, some, many = ask(*groups) if model.padding_ignored else (ask(group)[0] for group in groups)
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
    if not 0.3 < ratio < 0.65:
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
@cases(SEEDS, n=1)
def test_classifier_takes_the_mean(models, seed):
    """The head sees the mean over the real tokens: rows of other length but equal mean get equal logits."""
    model, case = models(), rows(seed)
    told, of_hidden = by_hidden(case, model)
    # What a model does with ids counts first: its hidden states need not be those that it uses.
    problem = by_ids(case, model) or of_hidden
    if problem is None and not told and not model.padding_ignored:
        # The last module comes before positions, attention or a residual; padding must tell.
        case, ids, logits = model.first(seed)
        problem = padding_changes(case, model, ids, logits, case.lengths.index(1))
    if problem:
        fail(problem)


@points(2, hint="Compare with self.pad_id, everywhere: in the mask and in the mean.")
@cases(SEEDS, n=1)
def test_other_pad_id(models, seed):
    """Padding is where ids equal pad_id, and token 0 is a token like any other."""
    model, case = models(OTHER_PAD), rows(seed, OTHER_PAD)
    ids = wider(case, case.ids())
    ids[:, 0] = 0
    other = ids.clone()
    other[:, 0] = case.another(ids[:, 0])
    logits, elsewhere = model.logits(torch.cat([ids, other]), grad=True).chunk(2)
    problem = padding_changes(case, model, ids, logits, case.lengths.index(1))
    if problem:
        fail(problem)
    if not bool(((logits - elsewhere).abs().amax(dim=1) > ALIVE).all()):
        fail("Token 0 was replaced by another, but the logits of a row did not move.", inputs={"ids": ids})


@points(1, hint="Look ids up in an nn.Embedding, and use what every position gives.")
@cases(SEEDS, n=1)
def test_every_token_matters(models, seed):
    """Changing any one real token of a row changes its logits."""
    model, case = models(), rows(seed)
    ids = case.ids()
    row, position = (ids != case.pad_id).nonzero(as_tuple=True)
    asked = (row == case.lengths.index(case.length)) | (row == padded(case))
    row, position = row[asked], position[asked]
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
    every = torch.arange(1, VOCAB).unsqueeze(1)
    alike = same_answers(model.logits(every))
    if alike:
        a, b = (int(every[one]) for one in alike)
        fail(
            f"The tokens {a} and {b}, each in a row of its own, got the same logits: they have one embedding."
        )


def same_answers(logits: Tensor) -> list[int]:
    """Two rows with the same logits, but for rounding; none where all differ."""
    apart = (logits.unsqueeze(1) - logits).abs().amax(dim=-1).fill_diagonal_(1.0)
    return (~(apart > 1e-7)).nonzero().flatten().tolist()[:2]


@points(1, hint="Add an embedding of positions, torch.arange(length), to the embedded tokens.")
@cases(SEEDS, n=1)
def test_order_matters(models, seed):
    """The same tokens in another order give other logits."""
    model, ids = models(), rows(seed).tokens(3, 4)
    logits = model.logits(torch.cat([ids, ids.flip(1)]))
    if not float((logits[3:] - logits[:3]).abs().max()) > ALIVE:
        fail("The tokens were put in reverse order, and no logit moved: positions have no effect.")
    ids = rows(seed).tokens(1, MAX_LEN)
    pairs = [(i, j) for j in range(MAX_LEN) for i in range(j) if ids[0, i] != ids[0, j]]
    swapped = ids.repeat(len(pairs), 1)
    for row, (i, j) in zip(swapped, pairs, strict=True):
        row[[i, j]] = row[[j, i]]
    before, *others = model.logits(torch.cat([ids, swapped]))
    for (i, j), after in zip(pairs, others, strict=True):
        if not moved(before, after) > 1e-7:
            fail(f"The tokens {i} and {j} changed places, and no logit moved: they have one position.")


@points(1, hint="Without self-attention each token is encoded alone: use nn.TransformerEncoder or your own.")
@cases(SEEDS, n=1)
def test_tokens_see_each_other(models, seed):
    """What a token contributes depends on the other tokens of its row."""
    model, case = models(), rows(seed)
    first, second = case.tokens(1, 2), case.another(case.tokens(1, 2))
    a, b, c, d = *first[0].tolist(), *second[0].tolist()
    ids = torch.tensor([[a, b], [c, b], [a, d], [c, d]])
    kept, first, second, both = logits = model.logits(ids)
    # Were the tokens encoded each alone, replacing the first would do the same whatever the second is.
    interaction = float(((kept - first) - (second - both)).abs().max())
    if not interaction > 1e-5:
        fail("Replacing the first token does the same whatever the second is: there is no attention.")
    if first_sees_nothing_later(model.module, ids[:3], logits[:3]):
        fail(
            "Replacing the second token leaves what the first becomes as it was: tokens see only those "
            "before them, as with a causal mask."
        )


@points(1, hint="batch_first=True; positions along the row; no statistic over dimension 0.")
@cases(SEEDS, n=1)
def test_rows_independent(models, seed):
    """A row's logits do not depend on the other rows of the batch."""
    model = models()
    case, ids, logits = model.first(seed)
    others = wider(case, case.ids(salt=1))
    one_token = others.where(torch.arange(MAX_LEN) == 0, case.pad_id)
    # Two rows are kept, each at another place; the others are replaced, and there is one more.
    mixed = torch.stack([one_token[1], ids[3], others[2], others[1], ids[0]])
    model.logits(ids)  # what is kept from it is not right for the next, which has the same shape
    answer = model.logits(mixed)
    for row, place in ((0, 4), (3, 1)):
        change = moved(logits[row], answer[place])
        if change > STILL:
            fail(
                f"Row {row} was put among other rows, as row {place}, and its logits moved by {change:.3g}.",
                inputs={"ids": ids, "the other batch": mixed},
            )


@points(1, hint="Keep the batch axis in a batch of one; the table of positions has max_len rows.")
@cases([(1, 1, True), (2, MAX_LEN, False)])
def test_smallest_and_largest(models, case):
    """One row, one token and max_len tokens work; and the logits may be of either sign."""
    model = models()
    batch, length, grad = case
    ids = Rows((length,) * batch, length, 0, seed=batch).ids()
    logits = model.logits(ids, grad)
    if not bool(torch.isfinite(logits).all()):
        fail("The logits hold NaN or infinities.", got=logits)
    # All may be above 0 where the parameters are so; with all of these, never.
    answers = chain([logits], (model.logits(ids, state=state) for state in model.others()))
    if not any(bool((one < 0).any()) for one in answers):
        fail("Whatever the parameters are, no logit is below 0; logits may be of either sign.", got=logits)


@points(1, hint="Use nn.Dropout, which eval() switches off, or F.dropout(x, p, training=self.training).")
@cases(SEEDS, n=1)
def test_evaluation_repeats(student, models, seed):
    """In evaluation mode, equal inputs give equal logits, and a call leaves ids as they are."""
    model = models()
    case, ids, logits = model.first(seed)
    change = moved(logits, model.logits(ids, grad=True))
    if change > STILL:
        fail(f"The same ids were given twice in evaluation mode, and the logits differ by {change:.3g}.")
    # Where padding seemed to be nothing there is less of it now: if what was said of real tokens has only
    # been remembered, another guest says something else.
    ids = case.ids() if model.padding_ignored else ids
    change = moved(logits, model.elsewhere(student, ids))
    if change > STILL:
        fail(
            "A new model with the same parameters was given the same rows in evaluation mode, and a logit "
            f"differs by {change:.3g}."
        )
    # What is written over padding is often a 0, so the padding is another number here.
    ids = rows(seed, OTHER_PAD).ids()
    _, after = models(OTHER_PAD).module.with_inputs(ids)
    same(after[0], ids, what="ids after the call")


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
@cases(SEEDS, n=1)
def test_gradients_reach_embeddings(models, seed):
    """Gradients reach the embedding of every real token, and say how it changes the logits."""
    model = models()
    case, ids, before = model.first(seed)
    # Gradients are the word of the model; so the embeddings are moved a little, and the logits compared.
    steps = directions(model, case.ids().where(case.ids() != case.pad_id, case.ids()[:, :1]), case.seed)
    # The larger step is for what is computed in float32 on the way.
    for h, tolerance in ((3e-8, 1e-4), (1e-4, 0.02)) if model.dtype == torch.float64 else ((1e-3, 0.1),):
        state = dict(model.state)
        for name, step in steps.items():
            state[name] = state[name] + (h * step).to(state[name].dtype)
        model.load(state)
        gradients = model.module.gradients(ids, cotangent_seed=case.seed)
        found, after = gradients.parameters, tensor(gradients.output, shape=before.shape, what="the logits")
        reported, size = along(found, steps)
        if not 0 < size < float("inf"):
            fail("No gradient comes to the embeddings of the real tokens, so they could not be trained.")
        generator = torch.Generator().manual_seed(case.seed)
        cotangent = torch.randn(len(ids), CLASSES, generator=generator, dtype=torch.float64)
        slope = float(((after.double() - before.double()) * cotangent).sum()) / h
        if abs(slope - reported) < tolerance * max(size, abs(slope)):
            return
    fail(
        "The gradients for the embeddings are not how the logits change with them, so some token could not "
        "be trained."
    )


def along(gradients: dict[str, Tensor | None], steps: dict[str, Tensor]) -> tuple[float, float]:
    """How the gradients say that these steps change the total, and how large they are at the steps."""
    reported, square = 0.0, 0.0
    for name, step in steps.items():
        gradient = gradients.get(name)
        if gradient is not None and gradient.shape == step.shape:
            reported += float((gradient.double() * step).sum())
            square += float((gradient.double() * (step != 0)).square().sum())
    return reported, square**0.5
