"""Diagnosis: does a failing submission behave like one of the exercise's variants, or like two at once?

The variants are the author's code and run here, in the grader, on the inputs that the student's code was
given. A name is given only where the variant answers every call of the check as the student did, and every
call of the same form in other checks, differs from the model solution on at least one, and no other variant
does. A wrong name is worse than none.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import torch

from graders import pairs, replay
from graders.assignment import Exercise, Variant
from graders.calls import Call, tensors
from graders.remaking import Sizes
from graders.replay import CannotReplay, Implementation, TookTooLong, answer_of, kept_in, same_answer
from graders.result import Compared, Diagnosis, NamedError

# For one check and one submission: what has not been tried by then names nothing.
SECONDS = 2.5  # of CPU, since a busy machine must give the same names
SUBMISSION_SECONDS = 4.0
PAIR_SECONDS = 1.0  # of one submission
WAY_SECONDS = 0.5
MOST_CALLS = 40
MOST_CALLS_OF_A_PAIR = 12
MOST_PAIRS = 300
MOST_WAYS = 24  # to make a module again, tried with the model solution
MOST_WAYS_OF_A_VARIANT = 4
MOST_AGREEING_WAYS = 2
MOST_CALLS_FOR_WAYS = 12


@dataclass(frozen=True)
class Rest:
    """What the submission did in all the exercise's checks."""

    calls: Sequence[Call]
    passed: frozenset[str]  # ids of checks
    failed: frozenset[str]


@dataclass(frozen=True)
class Finding:
    """What a failing check was compared with, and what came of it."""

    compared: Compared
    alike: tuple[Diagnosis, ...] = ()  # known errors that fit; one of them is the diagnosis

    @property
    def diagnosis(self) -> Diagnosis | None:
        return self.alike[0] if len(self.alike) == 1 else None


def settled(findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Return the findings of one exercise's checks, where one error explains several checks.

    A check that cannot tell some errors apart shows the one of them that another check names.
    """
    named = {found.diagnosis.variant for found in findings.values() if found.diagnosis}
    result = dict(findings)
    for check, found in findings.items():
        known = [one for one in found.alike if one.variant in named]
        if len(found.alike) > 1 and len(known) == 1:
            result[check] = replace(found, alike=(known[0],))
    return result


@dataclass
class Evidence:
    """One failing check: its calls, and calls of the same form of the submission's other checks."""

    exercise: Exercise
    rest: Rest
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
        found = [self._differs(one) for one in dict.fromkeys([way, *self.ways])]
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

    def __init__(self, *, name_rivals: bool = False) -> None:
        self._loaded: dict[object, Implementation | None] = {}
        self._sizes: Sizes = {}
        self._left, self._left_for_pairs = SUBMISSION_SECONDS, PAIR_SECONDS
        self._name_rivals = name_rivals  # say too what would be named if the variant that fits were not known

    def diagnose(self, exercise: Exercise, failing: Sequence[Call], rest: Rest) -> Finding | None:
        """Return the variant, or pair of variants, that answers a failing check's calls as the student did.

        Of the other checks' calls those of the same form must fit too, so that a chance likeness in one small
        case names nothing. Other forms may show another error besides. A variant that loses none of the
        checks that failed is another error. None where there is nothing to compare.
        """
        variants = [one for one in exercise.variants if one.diagnose and one.path.suffix == ".py"]
        model = self._model(exercise)
        calls = [call for call in reversed(failing) if call.answered or call.raised][:MOST_CALLS]
        if not variants or model is None or not calls:
            return None
        known = len(variants)
        variants = [one for one in variants if rest.failed & set(one.loses)]
        for variant in variants:
            self._load(variant.path)
        _warm_up()
        started = time.process_time()
        forms = {_form(call) for call in calls}
        more = [call for call in rest.calls if _form(call) in forms and (call.answered or call.raised)]
        evidence = Evidence(
            exercise, rest, calls, more[:MOST_CALLS], started + min(SECONDS, self._left), model
        )
        try:
            evidence.ways = _likeliest(evidence)
            # Those that lose nothing that passed are likelier, and mostly all that need be tried.
            likelier = [one for one in variants if not rest.passed & set(one.loses)]
            fitting, way = self._singles(evidence, likelier)
            if not fitting:
                evidence.ways = evidence.ways[:1]
                fitting, way = self._singles(evidence, [one for one in variants if one not in likelier])
            return self._finding(evidence, known, variants, fitting, way)
        except TookTooLong:
            return None
        finally:
            self._left -= time.process_time() - started

    def forget(self) -> None:
        """Drop what is known of one submission's calls."""
        for implementation in self._loaded.values():
            if implementation is not None:
                implementation.forget()
        self._left, self._left_for_pairs = SUBMISSION_SECONDS, PAIR_SECONDS

    def _finding(
        self,
        evidence: Evidence,
        compared: int,
        variants: Sequence[Variant],
        fitting: Sequence[Variant],
        way: int,
    ) -> Finding:
        by_name = {one.name: one for one in evidence.exercise.variants}
        roots = list(dict.fromkeys(_root(one) for one in fitting))
        if evidence.late:
            return Finding(Compared(variants=compared))
        alike, seen = [Diagnosis(**_named(by_name[root]).model_dump()) for root in roots], roots
        if not roots or (self._name_rivals and len(roots) == 1):
            rest = [one for one in variants if _root(one) not in roots]
            started = time.process_time()
            found = self._pairs(evidence, rest, way)
            self._left_for_pairs -= time.process_time() - started
            seen = [*roots, *("+".join((one.name, other.name)) for one, other in found)]
            if not roots and len(found) == 1:
                one, other = found[0]
                alike = [Diagnosis(**_named(one).model_dump(), also=(_named(other),))]
        return Finding(Compared(variants=compared, alike=tuple(seen)), tuple(alike))

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
        lose one of the checks that the submission lost.
        """
        differs = evidence.model_differs(way)
        return bool(evidence.rest.failed & set(variant.loses)) if differs is None else differs

    def _pairs(
        self, evidence: Evidence, variants: Sequence[Variant], way: int
    ) -> list[tuple[Variant, Variant]]:
        """Return the pairs of variants whose errors together answer as the student did; none if late."""
        deadline = min(evidence.deadline, time.process_time() + self._left_for_pairs)
        calls = evidence.calls[:MOST_CALLS_OF_A_PAIR]
        visible = self._visible(variants, calls, evidence.model, way)
        fitting: list[tuple[Variant, Variant]] = []
        candidates = sorted(
            itertools.combinations(visible, 2), key=lambda two: -sum(visible[one] for one in two)
        )
        tried = 0
        for pair in candidates:
            if _root(pair[0]) == _root(pair[1]):
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
            self._loaded[key] = (
                replay.load(source, f"{one.name}+{other.name}", self._sizes) if source else None
            )
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
            self._loaded[path] = replay.load(path.read_bytes(), str(path), self._sizes)
        return self._loaded[path]


def _likeliest(evidence: Evidence) -> list[int]:
    """Return the ways to make the student's modules again that are worth trying.

    Most errors do not show in every call: a way in which the model solution answers some call as the student
    did is likelier than any other.
    """
    calls = [call for call in (*evidence.calls, *evidence.rest.calls) if kept_in(call) and call.answered]
    if not any(kept_in(call) for call in evidence.calls):
        return [0]
    calls = sorted(calls, key=lambda call: call.size)[:MOST_CALLS_FOR_WAYS]
    agreeing: dict[int, int] = {}
    until = min(evidence.deadline, time.process_time() + WAY_SECONDS)
    for way in range(MOST_WAYS):
        if time.process_time() > until or not any(evidence.model.can(call, way) for call in calls):
            break
        found = sum(evidence.model.fits([call], way) for call in calls)
        if found:
            agreeing[way] = found
        if found > len(calls) // 2:
            break
    ways = sorted(agreeing, key=lambda way: -agreeing[way])[:MOST_AGREEING_WAYS]
    # Some calls, such as those of one token, agree in many ways: so the first ones are tried besides.
    return list(dict.fromkeys([*ways, *range(MOST_WAYS_OF_A_VARIANT)]))[:MOST_WAYS_OF_A_VARIANT]


@cache
def _warm_up() -> None:
    """Have torch import what it imports with its first masked attention: that is no student's time."""
    layer = torch.nn.MultiheadAttention(1, 1, batch_first=True)
    layer(*[torch.zeros(1, 1, 1)] * 3, key_padding_mask=torch.zeros(1, 1, dtype=torch.bool))


def _script(exercise: Exercise) -> Path:
    return next(path for path in exercise.solutions if path.suffix == ".py")


def _root(variant: Variant) -> str:
    return variant.same_as or variant.name


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
