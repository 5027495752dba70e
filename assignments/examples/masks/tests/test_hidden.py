"""Other lengths, other layers, both masks at once."""

from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

import reference
from graders import CheckFailure, cases, close, fail, fresh_tensor, points, same, tensor


@points(2, hint="Make the mask from `length` each time; do not cut it out of one of a fixed size.")
@cases([1, 2, 3, 7, 16, 17, 33, 64, 65, 129, 257])
def test_causal_any_length(student, length):
    """The causal mask is right for every length, from 1 to beyond 256."""
    same(student.causal_mask(length), reference.causal_mask(length), what="the causal mask")


@st.composite
def padded_lengths(draw):
    max_len = draw(st.integers(1, 9))
    lengths = draw(st.lists(st.integers(1, max_len), min_size=1, max_size=5))
    return torch.tensor(lengths), max_len


@points(2, hint="Compare torch.arange(max_len) with lengths.unsqueeze(1), using >=.")
@cases(padded_lengths())
def test_padding_any_lengths(student, case):
    """The padding mask is right for full rows, for rows of one token and where no row is full."""
    lengths, max_len = case
    same(
        student.padding_mask(lengths, max_len),
        reference.padding_mask(lengths, max_len),
        what="the padding mask",
    )


@dataclass(frozen=True)
class Setting:
    """A layer, and rows to run it on."""

    nhead: int
    head_dim: int
    norm_first: bool
    length: int
    lengths: tuple[int, ...]
    seed: int

    @property
    def d_model(self) -> int:
        return self.nhead * self.head_dim

    @property
    def real(self) -> Tensor:
        return ~reference.padding_mask(torch.tensor(self.lengths), self.length)

    def x(self) -> Tensor:
        return fresh_tensor(len(self.lengths), self.length, self.d_model, seed=self.seed)

    def layers(self, student, dropout=0.25):
        """The same layer twice, in evaluation mode: in the guest and here."""
        sizes = {
            "d_model": self.d_model,
            "nhead": self.nhead,
            "dim_feedforward": 2 * self.d_model,
            "dropout": dropout,
            "norm_first": self.norm_first,
            "batch_first": True,
        }
        here = nn.TransformerEncoderLayer(**sizes).to(student.dtype).eval()
        state = {
            name: fresh_tensor(*value.shape, seed=self.seed + i) / value.shape[-1] ** 0.5
            for i, (name, value) in enumerate(here.state_dict().items())
        }
        here.load_state_dict(state)
        there = student.torch("TransformerEncoderLayer", **sizes).eval()
        there.load_state_dict(state)
        return there, here


@st.composite
def settings(draw, full=False, longest=7):
    length = draw(st.integers(3, longest))
    batch = draw(st.integers(2, 4).filter(lambda size: size != length))
    if full:
        lengths = [length] * batch
    else:
        lengths = draw(
            st.lists(st.integers(1, length), min_size=batch, max_size=batch).filter(
                lambda all_: min(all_) < length and len(set(all_)) > 1
            )
        )
    return Setting(
        nhead=draw(st.integers(1, 3)),
        head_dim=draw(st.integers(6, 8)),  # a norm over two or three numbers leaves hardly more than signs
        norm_first=draw(st.booleans()),
        length=length,
        lengths=tuple(lengths),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


def real_outputs(answer, x: Tensor, real: Tensor) -> Tensor:
    """The outputs at real positions, (real tokens, d_model): padded targets are nobody's business."""
    return tensor(answer, shape=x.shape, dtype=x.dtype)[real]


def compare(student, case: Setting, causal: bool):
    """With autograd and without: under no_grad PyTorch takes a faster path that treats masks differently."""
    there, here = case.layers(student)
    x, lengths = case.x(), torch.tensor(case.lengths)
    with torch.no_grad():
        expected = reference.run_layer(here, x, lengths, causal)[case.real]
    got = student.run_layer(there, x, lengths, causal)
    close(real_outputs(got, x, case.real), expected, what="the output at real positions")
    got = student.run_layer.no_grad(there, x, lengths, causal)
    close(
        real_outputs(got, x, case.real), expected, what="the output at real positions, under torch.no_grad()"
    )


@points(
    3,
    section="Masks: True means blocked",
    hint="Pass padding_mask(lengths, x.shape[1]) as src_key_padding_mask: it blocks sources, not targets.",
)
@cases(settings(), n=10)
def test_layer_with_padding(student, case):
    """With padding, real tokens get what the layer gives when padding is blocked."""
    compare(student, case, causal=False)


@points(
    2,
    section="Masks: True means blocked",
    hint="Pass causal_mask(x.shape[1]) as src_mask. is_causal=True alone blocks nothing.",
)
@cases(settings(full=True), n=10)
def test_layer_with_causal(student, case):
    """With causal=True, every token gets what the layer gives when the future is blocked."""
    compare(student, case, causal=True)


@points(2, section="Masks: True means blocked", hint="Pass both masks in the same call of the layer.")
@cases(settings(), n=10)
def test_layer_with_both_masks(student, case):
    """With padding and causal=True, both are blocked at once."""
    compare(student, case, causal=True)


@points(1, hint="Masks hold in training too: do not look at layer.training and do not change it.")
@cases(settings(), n=5)
def test_layer_in_training(student, case):
    """In training mode the masks hold as well (judged with dropout 0)."""
    there, here = case.layers(student, dropout=0.0)
    there.train()
    x, lengths = case.x(), torch.tensor(case.lengths)
    for causal in (False, True):
        with torch.no_grad():
            expected = reference.run_layer(here, x, lengths, causal)[case.real]
        got = student.run_layer(there, x, lengths, causal)
        close(real_outputs(got, x, case.real), expected, what="the output at real positions")


def moved(before: Tensor, after: Tensor) -> float:
    """The largest change; NaN counts as infinite."""
    return float((after - before).abs().nan_to_num(nan=torch.inf).max()) if before.numel() else 0.0


def still(student) -> float:
    """How far correct outputs of the same shape may move: rounding only."""
    return 1e-9 if student.dtype == torch.float64 else 1e-5


ALIVE = 1e-4


@points(
    2,
    section="Masks: True means blocked",
    hint="The causal mask is True where source > target: triu with diagonal=1, not tril, not 0 or 2.",
)
@cases([1, 2, 3, 7, 15, 16, 17, 31, 32, 33])
def test_past_ignores_future(student, prefix):
    """With causal=True, changing all tokens from some position on moves no output before it."""
    length = 35
    case = Setting(2, 6, norm_first=False, length=length, lengths=(length, length), seed=prefix)
    there, _ = case.layers(student)
    x, lengths = case.x(), torch.tensor(case.lengths)
    changed = torch.cat([x[:, :prefix], x[:, prefix:].flip(-1) + 1], dim=1)
    before = tensor(student.run_layer(there, x, lengths, True), shape=x.shape)
    after = tensor(student.run_layer(there, changed, lengths, True), shape=x.shape)
    change = moved(before[:, :prefix], after[:, :prefix])
    if change > still(student):
        message = (
            f"Tokens {prefix} to {length - 1} were changed, and an output before token {prefix} moved "
            f"by {change:.3g}: the future leaks into the past."
        )
        # From 16 tokens on, PyTorch's attention on the CPU reads additive float32 masks wrongly in float64
        # (seen in 2.13), without a word: ask again in float32, where such work is right.
        raise CheckFailure(message, precision=True)
    change = float((after - before)[:, prefix].abs().max())
    if not change > ALIVE:
        message = f"Token {prefix} was changed, but the output there did not move: a token must see itself."
        raise CheckFailure(message, precision=True)


@points(
    2,
    section="Masks: True means blocked",
    hint="Zeroing padding is not enough: a zero vector still gets attention. Block it as a source.",
)
@cases(st.tuples(settings(), st.booleans()), n=10)
def test_real_ignores_padding(student, case):
    """Real outputs do not move when padding gets other content or more columns, but follow real tokens."""
    case, causal = case
    there, _ = case.layers(student)
    x, lengths, real = case.x(), torch.tensor(case.lengths), case.real
    for run in (student.run_layer, student.run_layer.no_grad):
        before = real_outputs(run(there, x, lengths, causal), x, real)
        other = torch.where(real.unsqueeze(-1), x, 10 * x.flip(-1) + 3)
        change = moved(before, real_outputs(run(there, other, lengths, causal), x, real))
        if change > still(student):
            fail(f"Only the content of the padding changed, and a real output moved by {change:.3g}.")
        wider = torch.cat([x, 3 - x[:, :2]], dim=1)
        wide_real = torch.cat([real, torch.zeros_like(real[:, :2])], dim=1)
        change = moved(before, real_outputs(run(there, wider, lengths, causal), wider, wide_real))
        if change > 1e-5:
            fail(f"Two more columns of padding were added, and a real output moved by {change:.3g}.")
        first = torch.cat([x[:, :1].flip(-1) + 1, x[:, 1:]], dim=1)
        change = moved(before, real_outputs(run(there, first, lengths, causal), x, real))
        if not change > ALIVE:
            fail("The first token of every row changed, but no real output moved.")


@points(1, hint="No layer.eval() or layer.train() in run_layer, and no assignment into x.")
def test_layer_left_as_it_was(student):
    """run_layer leaves the layer's mode and parameters, and x, as they were."""
    case = Setting(nhead=2, head_dim=6, norm_first=False, length=5, lengths=(2, 5, 3), seed=7)
    there, _ = case.layers(student, dropout=0.5)
    x, lengths = case.x(), torch.tensor(case.lengths)
    parameters = there.state_dict()
    for training in (False, True):
        there.train() if training else there.eval()
        output, after = student.with_inputs("run_layer", there, x, lengths, True)
        other = student.run_layer(there, x.flip(-1) + 1, lengths, True)
        if torch.equal(tensor(output, shape=x.shape), tensor(other, shape=x.shape)):
            fail("Every token was changed, but the output came out the same.")
        same(after[1], x, what="x after the call")
        same(after[2], lengths, what="lengths after the call")
        again = tensor(there(x)), tensor(there(x))
        if torch.equal(*again) is training:
            was, now = ("training", "evaluation") if training else ("evaluation", "training")
            fail(f"The layer was in {was} mode before the call and is in {now} mode after it.")
    for name, value in there.state_dict().items():
        same(value, parameters[name], what=f"the layer's {name} after the call")
