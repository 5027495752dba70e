"""Other rows, lengths and pad ids; the mean and the attention mask apart.

A model is judged by behaviour alone: it is built, its parameters are moved to fresh values (a head or
positions that start at zero would otherwise hide everything), and then its inputs are changed.
"""

from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import RemoteModule, cases, close, fail, fresh_tensor, points, same, tensor

SEEDS = st.integers(0, 2**32 - 1)
STILL = 1e-5  # padded against unpadded moves correct float32 models by 5e-7
ALIVE = 1e-4  # an allowed change moves them by about 1


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
    length = draw(st.integers(1, 6))
    batch = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(1, length), min_size=batch, max_size=batch))
    return Pooling(length, tuple(lengths), draw(st.integers(1, 5)), draw(SEEDS))


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Set padding to zero, add up over the tokens, divide by the number of real tokens of each row.",
)
@cases(poolings())
def test_pool_values(student, case):
    """masked_mean_pool gives each row's mean over its real tokens, whatever stands in the padding."""
    hidden, padding_mask = case.hidden(), case.padding_mask()
    hidden = torch.where(padding_mask.unsqueeze(-1), 25 * hidden + 50, hidden)
    expected = reference.masked_mean_pool(hidden, padding_mask)
    # A small eps in the denominator is no mistake.
    close(student.masked_mean_pool(hidden, padding_mask), expected, what="the mean", atol=1e-4, rtol=1e-4)


@points(1, hint="Use masked_fill or a product, which make a new tensor, not hidden[mask] = 0.")
@cases(poolings(), n=5)
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
    """Rows of ids of different lengths, and the model that they are for."""

    lengths: tuple[int, ...]
    length: int
    pad_id: int
    seed: int

    vocab_size = 13
    max_len = 9
    classes = 3

    def tokens(self, *shape: int, salt: int = 0) -> Tensor:
        """Ids of real tokens; next to each other they differ."""
        generator = torch.Generator().manual_seed(self.seed + salt)
        steps = torch.randint(1, self.vocab_size - 1, shape, generator=generator)
        ids = steps.cumsum(-1) % (self.vocab_size - 1)
        return ids + (ids >= self.pad_id)

    def another(self, ids: Tensor) -> Tensor:
        """For each id another real token."""
        following = (ids + 1) % self.vocab_size
        return following.masked_fill(following == self.pad_id, (self.pad_id + 1) % self.vocab_size)

    def ids(self, salt: int = 0) -> Tensor:
        ids = self.tokens(len(self.lengths), self.length, salt=salt)
        return ids.masked_fill(reference.padding_mask(torch.tensor(self.lengths), self.length), self.pad_id)

    def model(self, student) -> RemoteModule:
        """The student's model in evaluation mode, every parameter moved."""
        model = student.build(
            "MeanPoolClassifier", self.vocab_size, self.max_len, self.classes, pad_id=self.pad_id
        ).eval()
        trained = {parameter.name for parameter in model.parameters()}
        state = model.state_dict()
        for i, name in enumerate(sorted(trained & state.keys())):
            value = state[name]
            table = self.vocab_size in value.shape or self.max_len in value.shape
            scale = 0.5 if table or not value.dim() else 0.5 * value.shape[-1] ** -0.5
            step = fresh_tensor(*value.shape, seed=self.seed + i) * scale
            if value.shape[:1] == (self.vocab_size,) and not bool(value[self.pad_id].any()):
                step[self.pad_id] = 0  # the row of padding_idx is never trained
            state[name] = value + step.to(value.dtype)
        model.load_state_dict(state)
        # What ignores its input passes every check in which something must not move.
        ids = self.tokens(2, 2)
        if torch.equal(self.logits(model, ids), self.logits(model, self.another(ids))):
            fail("All tokens were replaced by others, but the logits came out the same.", inputs={"ids": ids})
        return model

    def tables(self, model) -> list[str]:
        """The names of parameters that have an axis of the vocabulary's size."""
        return [parameter.name for parameter in model.parameters() if self.vocab_size in parameter.shape]

    def logits(self, model, ids: Tensor, grad: bool = True) -> Tensor:
        answer = model(ids) if grad else model.no_grad(ids)
        return tensor(answer, shape=(len(ids), self.classes), what="the logits")


@st.composite
def rows(draw, pads=(0,)):
    """Four rows or five: one of a single token, one full, two in between; fewer columns than max_len."""
    length = draw(st.sampled_from([6, 7]))
    between = draw(st.lists(st.integers(2, length - 1), min_size=2, max_size=3))
    lengths = draw(st.permutations([1, length, *between]))
    return Rows(tuple(lengths), length, draw(st.sampled_from(pads)), draw(SEEDS))


def moved(before: Tensor, after: Tensor) -> float:
    """The largest change, next to values of size one; NaN counts as infinite."""
    size = max(1.0, float(before.abs().nan_to_num(nan=0).max()))
    return float((after - before).abs().nan_to_num(nan=torch.inf).max()) / size


def wider(case: Rows, ids: Tensor) -> Tensor:
    """The same rows with padding up to max_len."""
    more = torch.full((len(ids), case.max_len - ids.shape[1]), case.pad_id)
    return torch.cat([ids, more], dim=1)


def padding_changes(case: Rows, model, ids: Tensor, grad: bool) -> str | None:
    """Say how padding changes the logits, if it does."""
    logits = case.logits(model, ids, grad)
    change = moved(logits, case.logits(model, wider(case, ids), grad))
    where = "" if grad else " (under torch.no_grad())"
    if change > STILL:
        return f"Padding was added up to max_len, and a logit moved by {change:.3g}{where}."
    for row, length in enumerate(case.lengths):
        change = moved(logits[row : row + 1], case.logits(model, ids[row : row + 1, :length], grad))
        if change > STILL:
            return (
                f"Row {row} has {length} real tokens. Alone and without padding its logits differ by "
                f"{change:.3g} from those in the batch{where}."
            )
    return None


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Padding must count neither in the attention (src_key_padding_mask) nor in the mean.",
)
@cases(rows(), n=4)
def test_row_alone(student, case):
    """A row's logits are the same alone and unpadded, in a batch, and with padding up to max_len."""
    model = case.model(student)
    for grad in (True, False):
        problem = padding_changes(case, model, case.ids(), grad)
        if problem:
            fail(problem)


def mixes(case: Rows, model, ids: Tensor, hidden: Tensor) -> bool:
    """Whether these hidden states come after the attention: other tokens of the row move them."""
    other = ids.clone()
    row = case.lengths.index(max(case.lengths))
    other[row, 0] = case.another(ids[row, 0])
    changed = model.hidden(other)
    return (
        changed is not None
        and changed.shape == hidden.shape
        and moved(hidden[row, 1 : case.lengths[row]], changed[row, 1 : case.lengths[row]]) > 1e-6
    )


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Pass src_key_padding_mask=(ids == pad_id) to the encoder: True where a source is padding.",
)
@cases(rows(), n=4)
def test_attention_ignores_padding(student, case):
    """In the attention, padding is blocked: what real tokens become does not depend on it."""
    model, ids = case.model(student), case.ids()
    hidden, padded = model.hidden(ids), model.hidden(wider(case, ids))
    problem = padding_changes(case, model, ids, grad=True)
    if problem and hidden is not None and padded is not None and mixes(case, model, ids, hidden):
        # Looked at before the mean, so that a mistake there does not count twice.
        real = ids != case.pad_id
        change = moved(hidden[real], padded[:, : ids.shape[1]][real])
        problem = f"Padding was added up to max_len, and what a real token becomes moved by {change:.3g}."
        if change <= STILL:
            return
    if problem:
        fail(problem, inputs={"ids": ids})


# Rows of two tokens a and b whose means agree, and one whose mean differs.
AGREE = ("ab", "abab", "ba", "bbaa")
DIFFERS = "aab"


def hidden_rows(patterns, a: Tensor, b: Tensor, length: int, seed: int) -> Tensor:
    """Hidden states (rows, length, width) that spell the patterns; behind them stands padding."""
    hidden = 3 * fresh_tensor(len(patterns), length, len(a), seed=seed)
    for row, pattern in enumerate(patterns):
        for position, letter in enumerate(pattern):
            hidden[row, position] = a if letter == "a" else b
    return hidden


def apart(logits: dict[str, Tensor], still: float) -> str | None:
    """Say how rows of equal means disagree, if they do."""
    for pattern in AGREE[1:]:
        change = moved(logits["ab"], logits[pattern])
        if change > still:
            return (
                f"With hidden states a and b, the rows a, b and {', '.join(pattern)} have the same mean, "
                f"but their logits differ by {change:.3g}."
            )
    return None


def alike(logits: dict[str, Tensor], still: float) -> str | None:
    """Say that another mean makes no difference, if it makes none."""
    if moved(logits["ab"], logits[DIFFERS]) > max(ALIVE, 2 * still):
        return None
    return "With hidden states a and b, the rows a, b and a, a, b have other means, but the same logits."


def hidden_with_padding(case: Rows, model, width: int) -> dict[str, Tensor]:
    """Logits where these hidden states stand in the place of the last that the model makes, then padding."""
    # The longest rows first, and full: some models sort by length, some cut common padding off.
    patterns, length = sorted((*AGREE, DIFFERS), key=len, reverse=True), 4
    here = Rows(tuple(map(len, patterns)), length, case.pad_id, case.seed)
    a, b = 3 * fresh_tensor(2, width, seed=case.seed)
    answer = model.call_with_hidden(here.ids(), hidden=hidden_rows(patterns, a, b, length, case.seed + 1))
    return dict(zip(patterns, tensor(answer, shape=(len(patterns), case.classes)), strict=True))


def without_padding(case: Rows, run) -> dict[str, Tensor]:
    """Logits for rows of one length at a time; `run` answers for patterns of equal length."""
    logits: dict[str, Tensor] = {}
    for patterns in (("ab", "ba", "ab"), ("abab", "bbaa", "abab"), ("aab", "aab")):
        answer = tensor(run(patterns), shape=(len(patterns), case.classes), what="the logits")
        logits.update(zip(patterns, answer, strict=True))
    return logits


def by_hidden(case: Rows, model, width: int, scale: float):
    """Put hidden states so large that whatever is added to them afterwards vanishes."""
    a, b = scale * fresh_tensor(2, width, seed=case.seed)

    def run(patterns):
        ids = case.tokens(len(patterns), len(patterns[0]))
        return model.call_with_hidden(ids, hidden=hidden_rows(patterns, a, b, ids.shape[1], case.seed))

    return run


def by_ids(case: Rows, model, factors: dict[str, float]):
    """Ask with ids, after multiplying parameters and buffers by factors."""
    state = model.state_dict()

    def run(patterns):
        model.load_state_dict({name: value * factors.get(name, 1) for name, value in state.items()})
        first, second = case.tokens(1, 2)[0].tolist()
        answer = model(torch.tensor([[first if letter == "a" else second for letter in p] for p in patterns]))
        model.load_state_dict(state)
        return answer

    return run


def passes_through(case: Rows, model, hidden: Tensor) -> bool:
    """Whether all that the logits know of the tokens is in these hidden states."""
    ids, other = case.ids(), case.ids(salt=1)
    first, second = (tensor(model.call_with_hidden(x, hidden=hidden)) for x in (ids, other))
    return moved(first, second) <= STILL


@points(
    3,
    section="Exercise 4: mean over real tokens only",
    hint="Feed the head with masked_mean_pool(hidden, padding_mask): not a sum, a maximum or one token.",
)
@cases(rows(), n=3)
def test_classifier_takes_the_mean(student, case):
    """The head sees the mean over the real tokens: rows of other length but equal mean get equal logits."""
    model, ids = case.model(student), case.ids()
    hidden = model.hidden(ids)
    after_attention = hidden is not None and mixes(case, model, ids, hidden)
    problem, runs = None, []
    scale, still = (1e6, 1e-3) if student.dtype == torch.float64 else (1e4, 1e-2)
    if hidden is not None:
        logits = hidden_with_padding(case, model, hidden.shape[-1])
        problem = apart(logits, 10 * STILL) or alike(logits, 10 * STILL)
        if problem is None:
            return
        if hidden.shape[-1] == 1:
            fail("The tokens are weighed by scores; their plain mean was expected.")
        if after_attention and passes_through(case, model, hidden):
            fail(problem)
        logits = without_padding(case, by_hidden(case, model, hidden.shape[-1], scale))
        if after_attention and not apart(logits, still) and alike(logits, still):
            fail(problem)
        runs.append(logits)
    # The last module may come before positions, attention or a residual. Then the same is asked in other
    # ways, one of which fits, and together with what padding does.
    padded = padding_changes(case, model, ids, grad=True)
    if padded:
        fail(problem or padded)
    positions = [name for name, value in model.state_dict().items() if case.max_len in value.shape]
    for factors in (dict.fromkeys(case.tables(model), scale), dict.fromkeys(positions, 0.0)):
        runs.append(without_padding(case, by_ids(case, model, factors)))
    problems = [apart(logits, still) or alike(logits, still) for logits in runs]
    if all(problems):
        fail(problem or problems[-1])


@points(
    2,
    hint="Compare with self.pad_id, everywhere: in the mask and in the mean.",
)
@cases(rows(pads=(12, 5, 1)), n=4)
def test_other_pad_id(student, case):
    """Padding is where ids equal pad_id, and token 0 is a token like any other."""
    model = case.model(student)
    ids = case.ids()
    ids[:, 0] = 0
    for grad in (True, False):
        problem = padding_changes(case, model, ids, grad)
        if problem:
            fail(problem)
    other = ids.clone()
    other[:, 0] = case.another(ids[:, 0])
    change = (case.logits(model, other) - case.logits(model, ids)).abs().amax(dim=1)
    if not bool((change > ALIVE).all()):
        fail("Token 0 was replaced by another, but the logits of a row did not move.", inputs={"ids": ids})


@points(1, hint="Look ids up in an nn.Embedding, and use what every position gives.")
@cases(rows(), n=3)
def test_every_token_matters(student, case):
    """Changing any one real token of a row changes its logits."""
    model, ids = case.model(student), case.ids()
    logits = case.logits(model, ids)
    for position in range(case.length):
        other = ids.clone()
        changed = ids[:, position] != case.pad_id
        other[changed, position] = case.another(ids[changed, position])
        change = (case.logits(model, other) - logits).abs().amax(dim=1)
        if not bool((change[changed] > ALIVE).all()):
            fail(f"Token {position} of a row was replaced by another, but its logits did not move.")


@points(1, hint="Add an embedding of positions, torch.arange(length), to the embedded tokens.")
@cases(rows(), n=2)
def test_order_matters(student, case):
    """The same tokens in another order give other logits."""
    model, ids = case.model(student), case.tokens(3, 4)
    change = (case.logits(model, ids.flip(1)) - case.logits(model, ids)).abs().max()
    if not float(change) > ALIVE:
        fail("The tokens were put in reverse order, and no logit moved: positions have no effect.")


@points(1, hint="Without self-attention each token is encoded alone: use nn.TransformerEncoder or your own.")
@cases(rows(), n=2)
def test_tokens_see_each_other(student, case):
    """What a token contributes depends on the other tokens of its row."""
    model = case.model(student)
    first, second = case.tokens(1, 2), case.another(case.tokens(1, 2))
    a, b, c, d = *first[0].tolist(), *second[0].tolist()
    kept, first, second, both = case.logits(model, torch.tensor([[a, b], [c, b], [a, d], [c, d]]))
    # Were the tokens encoded each alone, replacing the first would do the same whatever the second is.
    interaction = float(((kept - first) - (second - both)).abs().max())
    if not interaction > 1e-5:
        fail("Replacing the first token does the same whatever the second is: there is no attention.")


@points(1, hint="batch_first=True; positions along the row; no statistic over dimension 0.")
@cases(rows(), n=3)
def test_rows_independent(student, case):
    """A row's logits do not depend on the other rows of the batch."""
    model, ids = case.model(student), case.ids()
    other = case.ids(salt=1)
    for row in range(len(ids)):
        for others in (other, other.where(torch.arange(case.length) == 0, case.pad_id)):
            mixed = torch.where(torch.arange(len(ids)).unsqueeze(1) == row, ids, others)
            change = moved(case.logits(model, ids)[row], case.logits(model, mixed)[row])
            if change > STILL:
                fail(f"All rows but row {row} were changed, and its logits moved by {change:.3g}.")
    change = moved(case.logits(model, ids), case.logits(model, ids.flip(0)).flip(0))
    if change > STILL:
        fail(f"The rows were put in reverse order, and their logits moved by {change:.3g}.")


@points(1, hint="Keep the batch axis in a batch of one; the table of positions has max_len rows.")
@cases([(1, 1), (1, 9), (2, 9), (5, 1)])
def test_smallest_and_largest(student, case):
    """Batches of one row, rows of one token and rows of max_len tokens work."""
    batch, length = case
    task = Rows((length,) * batch, length, 0, seed=batch)
    model = task.model(student)
    for grad in (True, False):
        logits = task.logits(model, task.ids(), grad)
        if not bool(torch.isfinite(logits).all()):
            fail("The logits hold NaN or infinities.", got=logits)


@points(1, hint="Use nn.Dropout, which eval() switches off, or F.dropout(x, p, training=self.training).")
@cases(rows(), n=2)
def test_evaluation_repeats(student, case):
    """In evaluation mode, equal inputs give equal logits."""
    model, ids = case.model(student), case.ids()
    change = moved(case.logits(model, ids), case.logits(model, ids))
    if change > STILL:
        fail(f"The same ids were given twice in evaluation mode, and the logits differ by {change:.3g}.")


@points(1, hint="No torch.no_grad(), detach() or .data between the embeddings and the logits.")
@cases(rows(), n=2)
def test_gradients_reach_embeddings(student, case):
    """Gradients reach the embedding of every real token."""
    model, ids = case.model(student), case.ids()
    found = model.gradients(ids, cotangent_seed=case.seed).parameters
    used = ids[ids != case.pad_id].unique()
    tables = {name: found[name] for name in case.tables(model) if name in found}
    reached = []
    for name, gradient in (tables or found).items():
        if gradient is None or not bool(torch.isfinite(gradient).all()):
            continue
        size = gradient.abs()
        if name in tables:
            size = size.movedim(list(size.shape).index(case.vocab_size), 0).flatten(1).amax(dim=1)[used]
        reached.append(bool((size > 0).all() if name in tables else (size > 0).any()))
    if not any(reached):
        fail("No gradient comes to the embeddings of some real tokens, so they could not be trained.")
