"""Results for the tests of reports: real documents, invented students."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from graders.result import (
    Answer,
    AnswerPiece,
    CellResult,
    Counterexample,
    Diagnosis,
    LoadResult,
    MapPicture,
    NamedValue,
    Result,
    RubricResult,
    ShownText,
    Status,
    StudentError,
    SubmissionInfo,
    Verdict,
    Visibility,
)
from tests.reports.result_maker import passing, result, tensor

NO_SCALING = Diagnosis(
    variant="no_scaling", title="attention without the 1/√d_k scaling", section="Why divide by √d_k?"
)

FULL = result("ada", "Ada Lovelace")

TYPICAL = result(
    "bela",
    "Béla Kovács",
    checks=passing(
        test_lesson_numbers={
            "verdict": Verdict.FAILED,
            "message": "The weights differ in 4 of 4 elements; the largest difference is 0.061.",
            "hint": "Divide the scores by `math.sqrt(d_k)` **before** the softmax.",
            "diagnosis": NO_SCALING,
            "counterexample": Counterexample(
                call="scaled_dot_product_attention(query, key, value)",
                inputs=(
                    NamedValue(name="query", value=tensor([[1.0, 0.0], [0.0, 1.0]])),
                    NamedValue(name="key", value=tensor([[1.0, 0.0], [0.0, 1.0]])),
                    NamedValue(name="value", value=tensor([[1.0, 2.0], [3.0, 4.0]])),
                ),
                got=tensor([[0.7311, 0.2689], [0.2689, 0.7311]], marked=(0, 1, 2, 3)),
                expected=tensor([[0.6698, 0.3302], [0.3302, 0.6698]]),
                largest_difference=0.0613,
            ),
        },
        test_values={
            "verdict": Verdict.FAILED,
            "message": "The weights differ from the ones expected in 3 of 12 elements.",
            "diagnosis": NO_SCALING,
            "counterexample": Counterexample(
                call="scaled_dot_product_attention(query, key, value)",
                inputs=(
                    NamedValue(
                        name="query",
                        value=tensor([[[0.1 * i + j for i in range(4)] for j in range(3)] for _ in range(2)]),
                    ),
                ),
                got=tensor(
                    [[[0.25 + 0.01 * i for i in range(4)] for _ in range(3)] for _ in range(2)],
                    marked=(1, 13, 14),
                ),
                expected=tensor([[[0.25] * 4 for _ in range(3)] for _ in range(2)]),
                largest_difference=0.03,
            ),
        },
        test_mask_blocks={
            "verdict": Verdict.SKIPPED,
            "requires": ("test_values",),
            "message": "Skipped because “Context and weights agree with the formula.” did not pass.",
        },
        test_mean_over_real_tokens={
            "verdict": Verdict.ERROR,
            "message": "Your code raised RuntimeError.",
            "hint": "Divide by the number of real tokens, not by the sequence length.",
            "error": StudentError(
                type="RuntimeError",
                message="The size of tensor a (3) must match the size of tensor b (2) at dimension 1",
                traceback=(
                    "attention.py, line 41, in masked_mean_pool",
                    "    kept = hidden * padding_mask",
                ),
            ),
            "stdout": "hidden torch.Size([2, 3, 4])\nmask torch.Size([2, 3])\n",
            "counterexample": Counterexample(
                call="masked_mean_pool(hidden, padding_mask)",
                inputs=(
                    NamedValue(name="hidden", value=tensor([[[1.0, 2.0], [3.0, 4.0]]])),
                    NamedValue(name="padding_mask", value=tensor([[False, True]], dtype="bool")),
                ),
            ),
        },
    ),
)

EVERY_VERDICT = result(
    "chidi",
    "Chidi Okafor",
    checks=passing(
        test_lesson_numbers={
            "verdict": Verdict.TIMEOUT,
            "message": "Your code ran for more than 10 seconds and was stopped.",
        },
        test_values={"verdict": Verdict.MEMORY, "message": "Your code asked for more than 2 GB of memory."},
        test_mask_blocks={
            "verdict": Verdict.OUTPUT,
            "message": "Your code printed more than 16 MB.",
            "output_truncated": True,
            "stdout": "loop\n" * 4000,
        },
        test_shapes={"verdict": Verdict.CRASHED, "message": "Your code ended Python with signal SIGSEGV."},
        test_causal_mask_values={
            "verdict": Verdict.MISSING,
            "message": "causal_mask is not defined by your file. Did you mean casual_mask?",
            "hint": "Name it exactly `causal_mask`.",
        },
        test_padding_mask={
            "verdict": Verdict.BROKEN,
            "message": "",
            "internal": "KeyError: 'lengths' in test_hidden.py, line 88",
        },
        test_future_does_not_move_past={
            "verdict": Verdict.FAILED,
            "message": "Position 1 moved when position 2 was changed.",
            "pictures": (
                MapPicture(
                    title="Who looks at whom",
                    got=((1, 0, 0), (1, 1, 1), (1, 1, 1)),
                    expected=((1, 0, 0), (1, 1, 0), (1, 1, 1)),
                    marked=((1, 2),),
                    alt="Target 0 looks at source 0; target 1 at source 1, and at 2, which it must not.",
                ),
            ),
        },
        test_mean_over_real_tokens={
            "verdict": Verdict.ERROR,
            "error": StudentError(type="NotImplementedError", message=""),
        },
        test_padding_is_inert={
            "verdict": Verdict.SKIPPED,
            "requires": ("mean_pool/test_mean_over_real_tokens",),
        },
    ),
)

NOTEBOOK = result(
    "dana",
    "Dana Levi",
    submission=SubmissionInfo(source="cohort/dana.ipynb", files=("week 3 (final) v2.ipynb",), attempt=3),
    load=LoadResult(
        path="week 3 (final) v2.ipynb",
        kind="notebook",
        notes=(
            "Cell 2: `!pip install einops` was skipped.",
            "Cell 9: `%cd /content/drive` was left out: the folder is not here.",
        ),
        cells=(
            CellResult(number=2, status="skipped", note="`!pip install einops` was skipped."),
            CellResult(
                number=5,
                status="raised",
                error=StudentError(
                    type="NameError",
                    message="name 'pad_msk' is not defined",
                    traceback=(
                        "week 3 (final) v2.ipynb, cell 5, line 2, in <module>",
                        "    print(padding_mask(lengths, pad_msk))",
                    ),
                ),
            ),
            CellResult(
                number=12,
                status="stopped",
                note="The training loop ran for 20 seconds and was stopped; later cells ran.",
            ),
        ),
        stdout="epoch 1 loss 0.69\n" * 300,
        stderr="UserWarning: mismatched src_key_padding_mask\n",
    ),
    checks=passing(
        test_padding_mask={
            "verdict": Verdict.MISSING,
            "message": "padding_mask is not defined by your notebook.",
        },
        test_future_does_not_move_past={"verdict": Verdict.SKIPPED, "requires": ("test_padding_mask",)},
    ),
)

SYNTAX = result(
    "emil",
    "Emil",
    load=LoadResult(
        path="attention.py",
        kind="script",
        cells=(
            CellResult(
                number=14,
                status="raised",
                error=StudentError(
                    type="SyntaxError",
                    message="'(' was never closed",
                    traceback=("attention.py, line 14", "    return torch.softmax(scores, dim=-1"),
                ),
            ),
        ),
    ),
    checks=tuple(
        c.model_copy(
            update={
                "verdict": Verdict.MISSING,
                "points": 0.0,
                "message": "The name is not defined by your file.",
            }
        )
        for c in passing()
    ),
)

HUGE = result(
    "huge",
    "Wolfeschlegelsteinhausenbergerdorff" * 8,
    checks=passing(
        test_values={
            "verdict": Verdict.FAILED,
            "message": "word " * 2000,
            "stdout": ("x" * 5000 + "\n") * 10,
            "stderr": "\n" * 20 + "tqdm: 10%\r20%\r30%\n" * 500,
            "output_truncated": True,
            "error": StudentError(type="E" * 500, message="m" * 9000, traceback=("t" * 3000,) * 90),
            "counterexample": Counterexample(
                call="f(" + "x, " * 400 + ")",
                inputs=tuple(
                    NamedValue(
                        name=f"input {n}",
                        value=tensor(
                            [[float(i * j) / 7 for i in range(30)] for j in range(10)], truncated=True
                        ),
                    )
                    for n in range(6)
                ),
                got=tensor(
                    [
                        [[[i + 0.5 * j for i in range(4)] for j in range(4)] for _ in range(3)]
                        for _ in range(4)
                    ],
                    marked=(100, 190),
                ),
                expected=tensor(
                    [
                        [[[i + 0.5 * j for i in range(4)] for j in range(4)] for _ in range(3)]
                        for _ in range(4)
                    ]
                ),
            ),
        },
        test_padding_mask={
            "verdict": Verdict.FAILED,
            "message": "The shape is (3,), expected ().",
            "counterexample": Counterexample(
                inputs=(
                    NamedValue(name="lengths", value=tensor([3, 1, 0], dtype="int64")),
                    NamedValue(name="max_len", value=ShownText(text="3")),
                ),
                got=tensor([1.0, float("nan"), float("-inf")], marked=(1, 2)),
                expected=tensor(2.5),
            ),
        },
        test_padding_is_inert={
            "verdict": Verdict.FAILED,
            "message": "The logits move by 3e-7.",
            "counterexample": Counterexample(
                got=tensor([0.12345678, 1e-9], marked=(0,)),
                expected=tensor([0.12345648, 0.0]),
                largest_difference=3e-7,
            ),
        },
    ),
)

RTL = result("ר-7", "ליאת כהן", load=LoadResult(path="תרגיל.py", kind="script"))
ARABIC = result(
    "mona",
    "منى عبد الله‎",
    checks=passing(test_shapes={"verdict": Verdict.FAILED, "message": "Shape (2, 3), expected (3, 2)."}),
)
UNREADABLE = result(
    "finn",
    "Finn",
    status=Status.UNREADABLE,
    message="essay.docx is a Word document; a .py or .ipynb file was expected. Export it as .ipynb.",
    checks=(),
    load=LoadResult(path="", kind="none"),
)
NOT_GRADED = result(
    "grace",
    "Grace",
    status=Status.NOT_GRADED,
    message="The sandbox could not be started.",
    internal="SandboxBroken: bwrap: setting up uid map: Permission denied",
    checks=(),
    load=LoadResult(path="attention.py", kind="none"),
)
WITHHELD = result(
    "hana",
    "Hana Mori",
    checks=passing(
        test_values={
            "verdict": Verdict.FAILED,
            "message": "secret-hidden-message",
            "visibility": Visibility.HIDDEN,
            "title": "secret-hidden-title",
        },
        test_mask_blocks={
            "verdict": Verdict.SKIPPED,
            "requires": ("test_values",),
            "message": "Skipped: secret-hidden-title",
        },
        test_padding_mask={
            "verdict": Verdict.FAILED,
            "message": "secret-due-message",
            "visibility": Visibility.AFTER_DUE,
            "title": "secret-due-title",
        },
        test_mean_over_real_tokens={"visibility": Visibility.HIDDEN, "title": "secret-hidden-title"},
    ),
)

_WORDS = (
    AnswerPiece(
        where="mean_pool.ipynb, Markdown cell 7",
        text="Padding has an embedding too, and it is **not** zero:\n\n"
        "- with it in the mean, a short sentence is pulled towards the padding vector\n"
        "- and a <b>longer</b> batch would change the answer   (three   blanks stay)",
    ),
    AnswerPiece(where="answers.md", text="Pooling alone is not enough: attention mixes tokens before it."),
)
_MARKED_AT = datetime(2026, 3, 9, 16, 30, tzinfo=UTC)


def words(*items: RubricResult, pieces: tuple[AnswerPiece, ...] = _WORDS, student: str = "ines") -> Result:
    """Return a Result in which an answer in words is asked for."""
    return result(
        student,
        student.title(),
        rubric=items,
        answers=(
            Answer(
                exercise="mean_pool",
                asks="Why must the mean skip padding, and why is pooling alone not enough?",
                pieces=pieces,
            ),
        ),
    )


def item(name: str, title: str, **fields: Any) -> RubricResult:
    """Return a rubric item of two points."""
    return RubricResult(
        id=f"mean_pool/{name}",
        exercise="mean_pool",
        title=title,
        max_points=2,
        guidance="GUIDANCE: accept any words for this.",
        **fields,
    )


_MEAN, _ATTENTION = "Says what padding does to a mean.", "Says why the attention needs a mask as well."
WAITING = words(item("mean", _MEAN), item("attention", _ATTENTION))
MARKED = words(
    item("mean", _MEAN, points=2, marked_at=_MARKED_AT, comment="Clear, and the example is good."),
    item(
        "attention",
        _ATTENTION,
        points=0.5,
        marked_at=_MARKED_AT,
        comment="Which sources does a real token still see?\nSay it with the mask.",
        answer_changed=True,
    ),
    student="jan",
)
UNANSWERED = words(
    item("mean", _MEAN, points=0, answered=False, comment="No answer was found."),
    item("attention", _ATTENTION, points=0, answered=False, comment="No answer was found."),
    pieces=(),
    student="kira",
)
ALL: dict[str, Result] = {
    "waiting": WAITING,
    "marked": MARKED,
    "unanswered": UNANSWERED,
    "full": FULL,
    "typical": TYPICAL,
    "verdicts": EVERY_VERDICT,
    "notebook": NOTEBOOK,
    "syntax": SYNTAX,
    "huge": HUGE,
    "rtl": RTL,
    "arabic": ARABIC,
    "unreadable": UNREADABLE,
    "not_graded": NOT_GRADED,
    "withheld": WITHHELD,
}
