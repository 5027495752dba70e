"""A student's test is asked about many models: those that leak it must reject, those that are right accept.

Each model is asked about once, the two sorts mixed in an order that is secret, so that nothing but the
model's own answers can tell them apart.
"""

import runpy
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import strategies as st

from graders import cases, fail, held, points
from sandbox.errors import GuestError, StudentRaised

MODELS = runpy.run_path(str(Path(__file__).with_name("models.py")))
RIGHT, LEAKY, SOMETIMES = ({kind.words for kind in MODELS[name]} for name in ("RIGHT", "LEAKY", "SOMETIMES"))
SLIPS, REFUSALS = 8, 4  # so many, and nothing is left of the points
ABOUT = {"vocab_size": MODELS["VOCAB"], "max_len": MODELS["MAX_LEN"]}

seeds = st.integers(2**10, 2**32)


@lru_cache(maxsize=4)
def lent(seed):
    """What the models are, beside each as the student's test gets it."""
    return tuple(
        (
            kind.words,
            held(
                model,
                attributes=ABOUT,
                methods=("embed", "from_embedded"),
                elements=2**15,
                longest=2**12,
            ),
        )
        for kind, model in MODELS["drawn"](seed)
    )


@pytest.fixture(scope="module")
def known():
    """What the test of the submission that is graded now said of each model, so that it is asked once."""
    return {}


def verdicts(student, known, seed):
    """By the words for a model: a Rejection, or the error that the student's test raised in its place."""
    if not known:
        known.update(asked(student, [one for one in lent(seed) if one[0] not in SOMETIMES]))
    errors = [said for said in known.values() if isinstance(said, StudentRaised)]
    if len(errors) == len(known):
        raise errors[0]
    return known


def asked(student, pairs):
    """What the test says of each of these models."""
    answers = student.rejects_each("check_causal", *((model,) for _, model in pairs), errors=True)
    return dict(zip((words for words, _ in pairs), answers, strict=True))


def rejected(said):
    return not isinstance(said, StudentRaised) and said.rejected


def accepted(said):
    return not isinstance(said, StudentRaised) and not said.rejected


def listed(words):
    """A list in words, of six at most."""
    words = sorted(words)
    return "; ".join(words[:6]) + (f"; and {len(words) - 6} more" if len(words) > 6 else "")


def errors_in(said):
    """A sentence on errors that are no AssertionError, where there are any."""
    errors = [error for error in said.values() if isinstance(error, StudentRaised)]
    if not errors:
        return ""
    kind, message = errors[0].type_name, errors[0].message
    return f" For {len(errors)} models it raised {kind} in place of an AssertionError: {message}"


@points(
    10,
    hint="Compare the logits of all positions before the change, and change more than one place.",
    requires=["test_tells_with_from_without"],
)
@cases(seeds, n=1)
def test_rejects_broken_masks(student, known, seed):
    """The test rejects every model whose causal mask is broken."""
    said = {words: one for words, one in verdicts(student, known, seed).items() if words in LEAKY}
    slipped = [words for words, one in said.items() if not rejected(one)]
    caught = len(said) - len(slipped)
    student.fact("Broken masks rejected", f"{caught} of {len(said)}")
    if slipped:
        words = f"{len(slipped)} of {len(said)} broken masks slipped through: {listed(slipped)}."
        fail(
            words + errors_in(said),
            inputs={"model": listed(slipped[:1])},
            earned=1 - len(slipped) / SLIPS,
        )


@points(
    6,
    hint="Put the model into evaluation mode, change nothing but later tokens, and allow for rounding.",
    requires=["test_tells_with_from_without"],
)
@cases(seeds, n=1)
def test_accepts_working_masks(student, known, seed):
    """The test accepts every model that looks at no later token, however it is built."""
    every = verdicts(student, known, seed)
    said = {words: one for words, one in every.items() if words in RIGHT}
    refused = [words for words, one in said.items() if not accepted(one)]
    student.fact("Working masks accepted", f"{len(said) - len(refused)} of {len(said)}")
    if refused:
        first = said[refused[0]]
        why = f" Of the first it said: {first.message}" if rejected(first) and first.message else ""
        fail(
            f"{len(refused)} of {len(said)} models that are right {'was' if len(refused) == 1 else 'were'} "
            f"rejected: {listed(refused)}.{why}"
            f"{errors_in(said)}",
            inputs={"model": listed(refused[:1])},
            earned=1 - len(refused) / REFUSALS,
        )
    if all(rejected(one) for words, one in every.items() if words in LEAKY):
        beyond(student, seed)


def beyond(student, seed):
    """Tell which leaks the test finds that are there only sometimes. They were not asked for."""
    try:
        said = asked(student, [one for one in lent(seed) if one[0] in SOMETIMES])
    except GuestError:
        return  # it took too long: what was asked for has been answered
    missed = [words for words, one in said.items() if not rejected(one)]
    found = len(said) - len(missed)
    student.fact(
        "Beyond what was asked", f"{found} of {len(SOMETIMES)} leaks that show only at times were found"
    )
    if missed:
        student.fact("Found by a stronger test", listed(missed))
