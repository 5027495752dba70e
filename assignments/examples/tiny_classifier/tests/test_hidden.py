"""Other rows, lengths and ids; padding by the mask alone; what is out of range.

The model is judged by behaviour: it is built once, its parameters are moved to fresh values (a head or
positions that start at zero would otherwise hide everything), and then its inputs are changed. Asking takes
long, so all checks share what it answers to the first questions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import CheckFailure, RemoteModule, cases, fail, fresh_tensor, points, raises, same, tensor
from graders.last_states import first_sees_nothing_later
from graders.single import NEAR, far, single

# Hypothesis begins with the smallest, which would be the same case whatever the secret seed is.
SEEDS = st.integers(0, 2**32 - 1).filter(lambda seed: seed > 1000)
STILL = 1e-5  # padded against unpadded moves correct float32 models by 5e-7
ALIVE = 1e-4  # an allowed change moves them by about 1
# Nobody's width, so that the table of tokens can be told by its shape.
VOCAB, MAX_LEN, CLASSES = 101, 13, 5
SECTION, MASKS = "A tiny classifier", "Masks: True means blocked"


def twins_of(ids: Tensor, padding_mask: Tensor | None) -> Tensor:
    """Which pairs of rows have their padding in common, but not their tokens."""
    padding = torch.zeros_like(ids, dtype=torch.bool) if padding_mask is None else padding_mask
    same_padding = (padding == padding.unsqueeze(1)).all(dim=-1)
    return same_padding & ((ids != ids.unsqueeze(1)) & ~padding).any(dim=-1)


@dataclass
class Model:
    """The student's model in evaluation mode, every parameter moved."""

    module: RemoteModule
    state: dict[str, Tensor] = field(repr=False)
    dtype: torch.dtype
    alive: bool = False
    changed: bool = False  # a check has left it in another dtype
    padding_ignored: bool = False  # as a check has found
    known: dict[bool, "Asked"] = field(default_factory=dict)

    def __call__(self, ids: Tensor, padding_mask: Tensor | None = None, grad: bool = False) -> Tensor:
        """The logits. Without autograd they take less time, and real positions get the same."""
        masks = () if padding_mask is None else (padding_mask,)
        answer = self.module(ids, *masks) if grad else self.module.no_grad(ids, *masks)
        logits = tensor(answer, shape=(len(ids), CLASSES), what="the logits", finite=True)
        twins = torch.zeros(len(ids), len(ids)) if self.alive else twins_of(ids, padding_mask)
        if bool(twins.any()):
            # What ignores its input passes every check in which something must not move.
            change = (logits - logits.unsqueeze(1)).abs().amax(dim=-1)
            if bool((change[twins] <= 1e-6).all()):
                fail("The tokens were replaced by others, but the logits came out the same.")
            self.alive = True
        return logits

    def restore(self) -> None:
        """Give it its dtype and its parameters again, where a check has changed them."""
        if self.changed:
            self.module.to(self.dtype)
            self.module.load_state_dict(self.state)
            self.changed = False

    def first(self, seed: int, grad: bool) -> "Asked":
        """The rows that a check was the first to ask about, and their logits: all checks share these."""
        if grad not in self.known:
            # One seed for both, so that their logits can be compared.
            seed = self.known[not grad].seed if self.known else seed
            self.known[grad] = ask_first(self, seed, grad)
        return self.known[grad]


@pytest.fixture(scope="module")
def built():
    """The model of the submission that is graded now."""
    return {}


@pytest.fixture
def model(student, built):
    found = built.get(student.dtype)
    module = found and found.module.asked_by(student)
    if module is None:
        module = student.build("TinyTransformerClassifier", VOCAB, MAX_LEN, CLASSES).eval()
        module.no_grad(torch.tensor([[1, 2], [3, 4]]))  # lazy layers have no parameters before
        state = drawn(module, module.state_dict())
        module.load_state_dict(state)
        found = built[student.dtype] = Model(module, state, student.dtype)
    found.module = module
    found.restore()
    return found


def drawn(module: RemoteModule, state: dict[str, Tensor], first_seed: int = 0) -> dict[str, Tensor]:
    """The state with every parameter moved."""
    state = dict(state)
    for i, name in enumerate(
        sorted(p.name for p in module.parameters() if p.name in state), start=first_seed
    ):
        value = state[name]
        table = VOCAB in value.shape or MAX_LEN in value.shape
        scale = 0.5 if table or not value.dim() else 0.5 * value.shape[-1] ** -0.5
        state[name] = value + (scale * fresh_tensor(*value.shape, seed=i)).to(value.dtype)
    return state


def others(model: Model) -> Iterator[dict[str, Tensor]]:
    """Other states: drawn anew, then with the sign of each parameter turned, as that of a large head."""
    for draw in range(5):
        yield drawn(model.module, model.state, first_seed=1000 * (draw + 1))
    for name in sorted(one.name for one in model.module.parameters() if one.name in model.state):
        yield {**model.state, name: -model.state[name]}


def tokens(*shape: int, seed: int) -> Tensor:
    """Ids; next to each other they differ, and each row holds a 0, which is a token like any other."""
    steps = torch.randint(1, VOCAB - 1, shape, generator=torch.Generator().manual_seed(seed))
    ids = steps.cumsum(-1) % VOCAB
    return (ids - ids[..., :1]) % VOCAB


LENGTH = 6


def lengths_of(seed: int) -> tuple[int, ...]:
    """The real tokens of four rows: one, all, and some."""
    return ((1, 6, 3, 4), (6, 2, 1, 5), (4, 1, 6, 2))[seed % 3]


def rows(seed: int) -> tuple[Tensor, Tensor]:
    """Ids of four rows of different lengths, and their padding mask. What is padded holds tokens too."""
    return tokens(4, LENGTH, seed=seed), reference.padding_mask(torch.tensor(lengths_of(seed)), LENGTH)


@dataclass(frozen=True)
class Asked:
    """Four rows of ids and their logits; and those that come when ids in the padding are others."""

    seed: int
    ids: Tensor
    padding: Tensor
    batch: Tensor  # all that was asked at once: rows of these four, with other ids in the padding or in front
    logits: Tensor
    others: tuple[Tensor, Tensor]  # with other ids in the padding
    following: Tensor  # with another first token


def ask_first(model: Model, seed: int, grad: bool) -> Asked:
    """Ask with autograd about rows that are padded up to MAX_LEN, and without it about shorter ones."""
    ids, padding = rows(seed)
    if grad:
        ids = torch.cat([ids, tokens(4, MAX_LEN - LENGTH, seed=seed + 1)], dim=1)
        padding = reference.padding_mask(torch.tensor(lengths_of(seed)), MAX_LEN)
    first = ids.clone()
    first[:, 0] += 1
    batch = torch.cat(
        [ids, torch.where(padding, (ids + 7) % VOCAB, ids), torch.where(padding, 0, ids), first]
    )
    logits, *others, following = model(batch, padding.repeat(4, 1), grad).chunk(4)
    return Asked(seed, ids, padding, batch, logits, tuple(others), following)


def moved(before: Tensor, after: Tensor) -> float:
    """The largest change, next to values of size one."""
    size = max(1.0, float(before.abs().max()))
    return float((after - before).abs().max()) / size


@points(
    3,
    section=MASKS,
    hint="Only padding_mask says what is padding: block it in the attention and the pooling.",
)
@cases(SEEDS, n=1)
def test_content_of_padding(model, seed):
    """Which ids stand in the padding changes no logit, with autograd and under torch.no_grad()."""
    for grad in (True, False):
        asked = model.first(seed, grad)
        change = max(moved(asked.logits, one) for one in asked.others)
        if change > STILL:
            where = "" if grad else " (under torch.no_grad())"
            fail(
                f"Only the ids in the padding were changed, and a logit moved by {change:.3g}{where}.",
                inputs={"ids": asked.ids, "padding_mask": asked.padding},
            )
        if not moved(asked.logits, asked.following) > ALIVE:
            fail("With padding, the first token of every row was changed, and no logit moved.")
    model.padding_ignored = True


@points(3, section=MASKS, hint="Divide by the number of real tokens; count positions from the left.")
@cases(SEEDS, n=1)
def test_amount_of_padding(model, seed):
    """A row's logits are the same alone and unpadded, in a batch, and with padding up to max_len."""
    asked, wide = model.first(seed, grad=False), model.first(seed, grad=True)
    lengths = lengths_of(asked.seed)
    row = next(row for row, length in enumerate(lengths) if length in (4, 5))
    ids, padding = (one[row : row + 1, : lengths[row]] for one in (asked.ids, asked.padding))
    change = moved(asked.logits[row : row + 1], model(ids, padding))
    if change > STILL:
        fail(
            f"Row {row} has {lengths[row]} real tokens. Alone and without padding its logits differ by "
            f"{change:.3g} from those in the batch (under torch.no_grad())."
        )
    # One padded row alone, as short as can be.
    row = lengths.index(1)
    for columns in (LENGTH, 2):
        alone = model(asked.ids[row : row + 1, :columns], asked.padding[row : row + 1, :columns])
        change = moved(asked.logits[row : row + 1], alone)
        if change > STILL:
            fail(
                f"Row {row} has one real token. Alone, with {columns} columns, its logits differ by "
                f"{change:.3g} from those in the batch (under torch.no_grad())."
            )
    change = moved(asked.logits, wide.logits)
    if change > STILL:
        fail(
            f"Padding was added up to max_len, and a logit moved by {change:.3g}.",
            inputs={"ids": wide.ids, "padding_mask": wide.padding},
        )


@points(1, section=MASKS, hint="padding_mask=None means that all tokens are real, those with id 0 too.")
@cases(SEEDS, n=1)
def test_no_mask(model, seed):
    """Without a mask all tokens are real, those with id 0 too, as with a mask that is False everywhere."""
    ids, padding = rows(seed)
    ids[:, -1] = 0
    logits = model(ids)
    change = moved(logits, model(ids, torch.zeros_like(ids, dtype=torch.bool)))
    if change > STILL:
        fail(f"With a mask that is False everywhere, the logits differ by {change:.3g} from those without.")
    model(ids, padding)
    change = moved(logits, model(ids))
    if change > STILL:
        fail(f"After a call with a mask, the logits without one differ by {change:.3g} from those before.")
    if not moved(logits, model(ids[:, :-1])) > ALIVE:
        fail("The last token of every row, 0, was taken away, and no logit moved: it was taken for padding.")


@points(2, section=SECTION, hint="Embed every id, and pool so that each real token can reach the logits.")
@cases(SEEDS, n=1)
def test_every_token_matters(model, seed):
    """Changing any one real token of a row changes its logits, the token 0 too."""
    ids, padding = rows(seed)
    asked = ~padding & (torch.tensor(lengths_of(seed)) > 3).unsqueeze(1)
    row, position = asked.nonzero(as_tuple=True)
    other = ids[row]
    other[torch.arange(len(row)), position] = (ids[row, position] + 1) % VOCAB
    logits = model(torch.cat([ids, other]), torch.cat([padding, padding[row]]))
    change = (logits[len(ids) :] - logits[: len(ids)][row]).abs().amax(dim=1)
    still = (~(change > ALIVE)).nonzero()
    if len(still):
        which = int(still[0])
        fail(
            f"Token {int(position[which])} of row {int(row[which])} was replaced by another, "
            "but its logits did not move.",
            inputs={"ids": ids, "padding_mask": padding},
        )


@points(2, section="Positions", hint="Add an embedding of torch.arange(length) to the embedded tokens.")
@cases(SEEDS, n=1)
def test_order_matters(model, seed):
    """The same tokens in another order give other logits."""
    ids = tokens(1, MAX_LEN, seed=seed)
    pairs = [(i, j) for j in range(MAX_LEN) for i in range(j) if ids[0, i] != ids[0, j]]
    swapped = ids.repeat(len(pairs), 1)
    for row, (i, j) in zip(swapped, pairs, strict=True):
        row[[i, j]] = row[[j, i]]
    before, reverse, *others = model(torch.cat([ids, ids.flip(1), swapped]))
    if not moved(before, reverse) > ALIVE:
        fail("The tokens were put in reverse order, and no logit moved: positions have no effect.")
    for (i, j), after in zip(pairs, others, strict=True):
        if not moved(before, after) > 1e-7:
            fail(f"The tokens {i} and {j} changed places, and no logit moved: they have one position.")


@points(
    2, section=SECTION, hint="Without self-attention each token is encoded alone: use nn.TransformerEncoder."
)
@cases(SEEDS, n=1)
def test_tokens_see_each_other(model, seed):
    """What a token contributes depends on the other tokens of its row, far ones too."""
    a, b, *between = tokens(1, LENGTH, seed=seed)[0].tolist()
    c, d = a + 1, (b + 1) % VOCAB
    rows = [[first, *between, last] for first, last in ((a, b), (c, b), (a, d), (c, d))]
    kept, first, last, both = model(torch.tensor(rows))
    # Were the tokens encoded each alone, or with their neighbours, replacing the first would do the same
    # whatever the last is. Rounding moves nothing by as much.
    least = 1e-7 if model.dtype == torch.float64 else 1e-5
    if not float(((kept - first) - (last - both)).abs().max()) > least:
        fail(
            f"In rows of {LENGTH} tokens, replacing the first does the same whatever the last is: they "
            "do not see each other."
        )
    if first_sees_nothing_later(model.module, torch.tensor(rows[:3]), torch.stack([kept, first, last])):
        fail(
            f"In rows of {LENGTH} tokens, replacing the last leaves what the first becomes as it was: tokens "
            "see only those before them, as with a causal mask."
        )


@points(2, section=SECTION, hint="batch_first=True; positions along the row; no statistic over the batch.")
@cases(SEEDS, n=1)
def test_rows_independent(model, seed):
    """A row's logits do not depend on the other rows of the batch."""
    asked = model.first(seed, grad=False)
    ids, padding = asked.ids, asked.padding
    # Two rows are kept, each at another place; the others are replaced, and there is one more.
    kept, others = {0: 3, 2: 1}, (ids + 5) % VOCAB
    mixed = torch.stack([others[1], ids[2], others[0], ids[0], others[3]])
    logits = model(mixed, torch.stack([padding[i] for i in (3, 2, 1, 0, 2)]))
    for row, place in kept.items():
        change = moved(asked.logits[row], logits[place])
        if change > STILL:
            fail(f"Row {row} was put among other rows, as row {place}, and its logits moved by {change:.3g}.")


@points(1, hint="Keep the batch axis in a batch of one; the table of positions has max_len rows.")
def test_smallest_and_largest(model):
    """One token works, as do max_len tokens with every id; and the logits may be of either sign."""
    for ids in (torch.tensor([[VOCAB - 1]]), torch.arange(VOCAB + 3).reshape(8, MAX_LEN) % VOCAB):
        if not bool(torch.isfinite(model(ids, grad=len(ids) == 1)).all()):
            fail("The logits hold NaN or infinities.", inputs={"ids": ids})
    # All may be above 0 where the parameters are so; with all of these, never.
    model.changed = True
    for state in others(model):
        if bool((model(ids) < 0).any()):
            return
        model.module.load_state_dict(state)
    if not bool((model(ids) < 0).any()):
        fail("Whatever the parameters are, no logit is below 0; logits may be of either sign.")


@points(1, hint="Use nn.Dropout, which eval() switches off, or F.dropout(x, p, training=self.training).")
@cases(SEEDS, n=1)
def test_evaluation_repeats(model, seed):
    """In evaluation mode, equal inputs give equal logits, and a call leaves its inputs as they are."""
    asked = model.first(seed, grad=False)
    change = moved(asked.logits, model(asked.batch, asked.padding.repeat(4, 1))[:4])
    if change > STILL:
        fail(f"The same ids were given twice in evaluation mode, and the logits differ by {change:.3g}.")
    _, after = model.module.with_inputs(asked.ids, asked.padding)
    for name, was, now in zip(("ids", "padding_mask"), (asked.ids, asked.padding), after, strict=True):
        same(now, was, what=f"{name} after the call")


def refuses(model: Model, ids: Tensor, number: int, limits: tuple[int, ...]) -> None:
    """Fail unless these ids are refused with an error that names the number and one of the limits."""
    for limit in limits:
        try:
            raises(lambda: model.module(ids), "ValueError", mentions=(str(number), str(limit)))
        except CheckFailure as failure:
            failure.inputs = {"ids": ids}
            if limit == limits[-1]:
                raise
        else:
            return


@points(
    2,
    section=SECTION,
    hint="Compare ids.min() and ids.max() with 0 and vocab_size; ids == vocab_size is too large.",
)
@cases(SEEDS, n=1)
def test_ids_out_of_range(model, seed):
    """An id below 0, or of vocab_size and more, is refused with a ValueError that names it and the limit."""
    ids = tokens(3, 4, seed=seed)
    for wrong, limits in ((VOCAB + 37, (VOCAB, VOCAB - 1)), (VOCAB, (VOCAB, VOCAB - 1)), (-7, (0,))):
        bad = ids.clone()
        bad[seed % 3, seed % 4] = wrong
        refuses(model, bad, wrong, limits)


@points(1, section=SECTION, hint="Compare ids.shape[1] with max_len before the positions are looked up.")
@cases(SEEDS, n=1)
def test_length_out_of_range(model, seed):
    """A row longer than max_len is refused with a ValueError that names its length and max_len."""
    for length in (MAX_LEN + 1, MAX_LEN + 16):
        refuses(model, tokens(2, length, seed=seed), length, (MAX_LEN,))


@points(1, hint="No torch.no_grad(), detach() or .data between the embeddings and the logits.")
@cases(SEEDS, n=1)
def test_gradients_reach_embeddings(model, seed):
    """Gradients reach the embedding of every token."""
    ids = tokens(3, 5, seed=seed)
    found = model.module.gradients(ids, cotangent_seed=seed).parameters
    used = torch.zeros(VOCAB, dtype=torch.bool)
    used[ids.flatten()] = True
    used[0] = False  # that of padding_idx=0 is never trained, which is no harm
    reached = torch.zeros_like(used)
    tables = [name for name in found if name in model.state and VOCAB in model.state[name].shape]
    for name in tables:
        gradient = found[name]
        if gradient is not None:
            axis = list(gradient.shape).index(VOCAB)
            reached |= gradient.movedim(axis, 0).flatten(1).abs().sum(dim=1) > 0
    if not tables:  # then any parameter must do
        reached[:] = any(one is not None and bool(one.any()) for one in found.values())
    if not bool(reached[used].all()):
        fail("No gradient comes to the embeddings of the tokens, so they could not be trained.")


def compare_new_in_float32(student, model: Model, asked: Asked) -> None:
    """Fail unless a new model with the same parameters, in a guest of its own, answers the same in float32.

    Where padding seemed to be nothing it holds other ids now: if what was said of real tokens has only been
    remembered, this guest says something else.
    """
    module = model.module.made_again(student.elsewhere).eval().to(torch.float32)
    module.no_grad(torch.tensor([[1, 2], [3, 4]]))  # lazy layers have no parameters before
    module.load_state_dict({name: single(value) for name, value in model.state.items()})
    ids = asked.ids
    if model.padding_ignored:
        ids = torch.where(asked.padding, (ids + 3) % VOCAB, ids)
    got = tensor(module.no_grad(ids, asked.padding), shape=asked.logits.shape)
    change = far(got, asked.logits)
    if change > NEAR:
        fail(
            f"A new model with the same parameters was asked in float32, with padding, and a logit differs "
            f"by {change:.3g} from that in float64.",
            inputs={"ids": ids, "padding_mask": asked.padding},
        )


@points(1, hint="Keep positions that are no parameter with register_buffer, or make them in the dtype of x.")
@cases(SEEDS, n=1)
def test_other_dtype(student, model, seed):
    """The model works in float32 as in float64, and torch.bfloat16: all it holds is parameter or buffer."""
    if model.dtype == torch.float64:
        compare_new_in_float32(student, model, model.first(seed, grad=False))
    ids, padding = rows(seed)
    model.module.to(torch.bfloat16)
    model.changed = True
    try:
        logits = model(ids, padding)
    except Exception:
        model.restore()
        model(ids, padding)  # what it answers in its own dtype, for the diagnosis
        raise
    if logits.dtype != torch.bfloat16 or not bool(torch.isfinite(logits).all()):
        fail("After .to(torch.bfloat16), finite logits of that dtype were expected.", got=logits)
