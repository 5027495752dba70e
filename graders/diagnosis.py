"""Diagnosis: does a failing submission behave like one of the exercise's variants, or like two at once?

The variants are the author's code and run here, in the grader, on the inputs that the student's code was
given. A name is given only where the variant answers every call of the check as the student did, and every
call of the same form in other checks, differs from the model solution on at least one, and no other variant
does. A wrong name is worse than none.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graders import pairs, replay
from graders.arrangements import layout
from graders.assignment import Exercise, Variant
from graders.calls import Call, tensors
from graders.replay import CannotReplay, Implementation, TookTooLong, answer_of, kept_in, same_answer
from graders.result import Compared, Diagnosis, NamedError

# For one check and one submission: what has not been tried by then names nothing.
SECONDS = 2.0  # of CPU, since a busy machine must give the same names
SUBMISSION_SECONDS = 6.0
PAIR_SECONDS = 1.0
MOST_CALLS = 40
MOST_CALLS_OF_A_PAIR = 12
MOST_PAIRS = 300
MOST_WAYS = 32
WAYS_OF_MODEL = 8


@dataclass(frozen=True)
class Finding:
    """What a failing check was compared with, and what came of it."""

    compared: Compared
    diagnosis: Diagnosis | None = None


@dataclass
class Evidence:
    """One failing check: its calls, and calls of the same form of the submission's other checks."""

    exercise: Exercise
    check: str
    calls: list[Call]
    more: list[Call]
    deadline: float
    model: Implementation
    ways: list[int] = field(default_factory=list)
    _model_is: dict[int, bool | None] = field(default_factory=dict)

    @property
    def late(self) -> bool:
        return time.process_time() > self.deadline

    def model_differs(self, way: int) -> bool | None:
        """Return whether the model solution answers otherwise than the student; None: it cannot be asked."""
        found = [self._differs(one) for one in dict.fromkeys([way, *self.ways[:WAYS_OF_MODEL]])]
        if False in found:
            return False
        return True if True in found else None

    def _differs(self, way: int) -> bool | None:
        if way not in self._model_is:
            known: list[bool] = []
            for call in self.calls:
                try:
                    known.append(not same_answer(self.model.answer(call, way), answer_of(call)))
                except CannotReplay:
                    continue
                if known[-1]:
                    break
            self._model_is[way] = any(known) if known else None
        return self._model_is[way]


class Diagnoser:
    """The variants of an assignment's exercises, loaded when they are first needed."""

    def __init__(self, *, leave_out: bool = False) -> None:
        self._loaded: dict[object, Implementation | None] = {}
        self._likeliest: dict[object, int] = {}  # the way that fitted, by layout
        self._left = SUBMISSION_SECONDS
        self._leave_out = leave_out  # say too what would be named if the variant that fits were not known

    def diagnose(
        self, exercise: Exercise, check: str, failing: Sequence[Call], others: Sequence[Call]
    ) -> Finding | None:
        """Return the variant, or pair of variants, that answers the failing check's calls as the student did.

        `others` are calls of the submission's other checks: those of the same form must fit too, so that a
        chance likeness in one small case names nothing. Other forms may show another error besides. None
        where there is nothing to compare.
        """
        variants = [one for one in exercise.variants if one.diagnose and one.path.suffix == ".py"]
        model = self._model(exercise)
        calls = [call for call in reversed(failing) if call.answered or call.raised][:MOST_CALLS]
        if not variants or model is None or not calls:
            return None
        started = time.process_time()
        forms = {_form(call) for call in calls}
        more = [call for call in others if _form(call) in forms and (call.answered or call.raised)]
        evidence = Evidence(
            exercise, check, calls, more[:MOST_CALLS], started + min(SECONDS, self._left), model
        )
        layouts = frozenset(layout(kept.state) for call in calls for kept in kept_in(call))
        first = self._likeliest.get(layouts, 0)
        evidence.ways = list(dict.fromkeys([first, *range(MOST_WAYS)])) if layouts else [0]
        try:
            fitting, way = self._singles(evidence, variants)
            if fitting:
                self._likeliest[layouts] = way
            return self._finding(evidence, variants, fitting, way)
        except TookTooLong:
            return None
        finally:
            self._left -= time.process_time() - started

    def forget(self) -> None:
        """Drop what is known of one submission's calls."""
        for implementation in self._loaded.values():
            if implementation is not None:
                implementation.forget()
        self._left = SUBMISSION_SECONDS

    def _finding(
        self, evidence: Evidence, variants: Sequence[Variant], fitting: Sequence[Variant], way: int
    ) -> Finding:
        known = {one.name: one for one in evidence.exercise.variants}
        roots = list(dict.fromkeys(one.same_as or one.name for one in fitting))
        if evidence.late:
            return Finding(Compared(variants=len(variants)))
        alike = tuple(roots)
        if len(roots) == 1:
            if self._leave_out:
                rest = [one for one in variants if (one.same_as or one.name) != roots[0]]
                alike += tuple(
                    "+".join(one.name for one in pair) for pair in self._pairs(evidence, rest, way)
                )
            named = _named(known[roots[0]])
            return Finding(Compared(variants=len(variants), alike=alike), Diagnosis(**named.model_dump()))
        compared = Compared(variants=len(variants), alike=alike)
        if roots:
            return Finding(compared)
        found = self._pairs(evidence, variants, way)
        if len(found) != 1:
            return Finding(compared)
        one, other = found[0]
        return Finding(compared, Diagnosis(**_named(one).model_dump(), also=(_named(other),)))

    def _singles(self, evidence: Evidence, variants: Sequence[Variant]) -> tuple[list[Variant], int]:
        """Return the variants that fit in the likeliest way in which any does, and that way."""
        for way in evidence.ways:
            fitting, possible = [], False
            for variant in variants:
                if evidence.late:
                    return [], 0
                implementation = self._load(variant.path)
                if implementation is None:
                    continue
                try:
                    if implementation.fits(evidence.calls, way) and self._is_wrong(evidence, variant, way):
                        fitting.append(variant)
                    possible = possible or implementation.can(evidence.calls[0], way)
                except TookTooLong:
                    self._loaded[variant.path] = None
            fitting = [one for one in fitting if self._fits(one.path, evidence.more, way)]
            if fitting:
                return fitting, way
            if not possible and way:
                break
        return [], evidence.ways[0]

    def _is_wrong(self, evidence: Evidence, variant: Variant, way: int) -> bool:
        """Return whether to behave like this variant is an error in these calls.

        Where the model solution's module cannot be had in the student's shape, the variant must be known to
        lose this check.
        """
        differs = evidence.model_differs(way)
        return evidence.check in variant.loses if differs is None else differs

    def _pairs(
        self, evidence: Evidence, variants: Sequence[Variant], way: int
    ) -> list[tuple[Variant, Variant]]:
        """Return the pairs of variants whose errors together answer as the student did; none if late."""
        deadline = min(evidence.deadline, time.process_time() + PAIR_SECONDS)
        calls = evidence.calls[:MOST_CALLS_OF_A_PAIR]
        visible = self._visible(variants, calls, evidence.model, way)
        fitting: list[tuple[Variant, Variant]] = []
        candidates = sorted(
            itertools.combinations(visible, 2), key=lambda two: -sum(visible[one] for one in two)
        )
        tried = 0
        for pair in candidates:
            if (pair[0].same_as or pair[0].name) == (pair[1].same_as or pair[1].name):
                continue
            path = self._merge(evidence.exercise, *pair)
            implementation = self._loaded.get(path) if path else None
            if implementation is None:
                continue
            tried += 1
            if tried > MOST_PAIRS or time.process_time() > deadline:
                return []
            try:
                fits = implementation.fits(evidence.calls, way) and implementation.fits(evidence.more, way)
                if fits and self._shows(pair, evidence, way):
                    fitting.append(pair)
            except TookTooLong:
                self._loaded[path] = None
        return fitting

    def _visible(
        self, variants: Sequence[Variant], calls: Sequence[Call], model: Implementation, way: int
    ) -> dict[Variant, int]:
        """Return the variants that these calls tell from the model, and how many each answers so."""
        found: dict[Variant, int] = {}
        for variant in variants:
            implementation = self._load(variant.path)
            if implementation is None:
                continue
            same, differs = 0, False
            for call in calls:
                try:
                    answer = implementation.answer(call, way)
                    same += same_answer(answer, answer_of(call))
                    differs = differs or not same_answer(answer, model.answer(call, way))
                except CannotReplay:
                    continue
                except TookTooLong:
                    self._loaded[variant.path] = None
                    break
            if differs:
                found[variant] = same
        return found

    def _shows(self, pair: Sequence[Variant], evidence: Evidence, way: int) -> bool:
        """Return whether floating-point answers tell the pair from each of its errors and from the model.

        Booleans and errors raised agree by chance too easily.
        """
        alone = [self._load(one.path) for one in pair]
        for implementation in (*alone, evidence.model):
            if implementation is None:
                return False
            if not any(_is_other(implementation, call, way) for call in (*evidence.calls, *evidence.more)):
                return False
        return True

    def _merge(self, exercise: Exercise, one: Variant, other: Variant) -> tuple[Path, Path] | None:
        """Load the program with both errors; return the key under which it is known."""
        key = one.path, other.path
        if key not in self._loaded:
            source = pairs.merged(_script(exercise), one.path, other.path)
            self._loaded[key] = replay.load(source, f"{one.name}+{other.name}") if source else None
        return key

    def _fits(self, key: object, calls: Sequence[Call], way: int) -> bool:
        implementation = self._loaded.get(key)
        try:
            return implementation is not None and implementation.fits(calls, way)
        except TookTooLong:
            self._loaded[key] = None
            return False

    def _model(self, exercise: Exercise) -> Implementation | None:
        scripts = [path for path in exercise.solutions if path.suffix == ".py"]
        return self._load(scripts[0]) if scripts else None

    def _load(self, path: Path) -> Implementation | None:
        if path not in self._loaded:
            self._loaded[path] = replay.load(path.read_bytes(), str(path))
        return self._loaded[path]


def _script(exercise: Exercise) -> Path:
    return next(path for path in exercise.solutions if path.suffix == ".py")


def _named(variant: Variant) -> NamedError:
    return NamedError(variant=variant.name, title=variant.title, section=variant.section, hint=variant.hint)


def _is_other(implementation: Implementation, call: Call, way: int) -> bool:
    """Return whether it answers this call otherwise than the student, who answered with real numbers."""
    if not any(tensor.is_floating_point() and tensor.numel() for tensor in tensors(call.output)):
        return False
    try:
        return not same_answer(implementation.answer(call, way), answer_of(call))
    except CannotReplay:
        return True


def _form(call: Call) -> tuple[object, ...]:
    """Return what calls of one form share: with and without a mask are two forms."""
    given = tuple(value is not None for value in call.args)
    return call.name, call.method, given, tuple(sorted(call.kwargs))
