"""Grading one submission: its checks in order, each with a verdict, in guests replaced when they die.

Used by `graders.session`, which owns the pytest session. What is asked twice (in float32, or of the model
solution) and what is asked again in a smaller case is decided here.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch

from graders import checkresult
from graders.calls import Call, Record
from graders.casebook import SHRINK_SUBMISSION_SECONDS, CaseBook, CaseError, measure
from graders.checks import Cases, Check
from graders.deadline import deadline
from graders.diagnosis import Diagnoser, Finding, Rest, settled
from graders.fresh import grading_dtype
from graders.guests import Guests, TimeUsedUp
from graders.keeping import kept_calls
from graders.plugin import Collected
from graders.result import CheckResult, Verdict
from graders.showing import describe, line
from graders.spent import Spent
from graders.student import Student
from graders.verdicts import Outcome, asks_for_float32, judge, unusable
from sandbox import Foreseen, Sandbox
from sandbox.errors import GuestGone, SandboxBroken

IN_FLOAT32 = "Judged in float32."
SMALL = 24  # a case of this size needs no shrinking: a person reads it at a glance
SLOW = 0.1  # seconds; a case that takes longer is not tried again and again
MET = (Verdict.PASSED, Verdict.BROKEN)  # a fault of ours must not cost the checks that build on it
MORE_CASES = 3  # run for the diagnosis only
MOST_KEPT_BYTES = 64 * 2**20  # of one submission's calls, for the diagnosis


class Skip(Exception):
    """Raised in place of a check whose required checks did not pass."""


@dataclass
class Attempt:
    """One run of one check: everything that is known while it runs."""

    collected: Collected
    guests: Guests
    dtype: torch.dtype
    seed: int
    shrink_seconds: float
    skip: bool = False
    record: Record = field(default_factory=Record)
    failing: list[Call] = field(default_factory=list)  # the calls of the case that is shown
    spent: Spent | None = None
    shrinking: float = 0.0

    @property
    def check(self) -> Check:
        return self.collected.check

    @property
    def key(self) -> tuple[str, torch.dtype]:
        return self.check.id, self.dtype

    @property
    def asks_by_itself(self) -> bool:
        """Return whether no fixture can bring an answer of the submission into the calls of the test."""
        return set(self.collected.item.fixturenames) <= {"student"}

    def judge(self, ended: BaseException | None) -> Outcome:
        """Return the outcome of having ended so."""
        return judge(ended, self.guests, self.collected.exercise.run_as)

    def stop_meters(self) -> Spent:
        """Return what the check used, once."""
        if self.spent is None:
            self.spent = self.guests.end_check()
        return self.spent


class Grading:
    """Grades submissions one after another with the same cases."""

    def __init__(
        self,
        sandbox: Sandbox,
        seed: int,
        model: Callable[[Collected], Guests | None],
        *,
        name_rivals: bool = False,
        watch: Callable[[CheckResult], None] | None = None,
    ) -> None:
        self._watch = watch or _nobody_watches
        self._sandbox = sandbox
        self._seed = seed
        self._model = model
        self._book = CaseBook(seed)
        self._diagnoser = Diagnoser(name_rivals=name_rivals)
        self._sound: dict[tuple[str, torch.dtype], bool] = {}
        self._asked: dict[tuple[str, torch.dtype], tuple[Foreseen, ...]] = {}
        self._now: Attempt | None = None

    def grade(self, checks: Sequence[Collected], guests: Guests) -> tuple[CheckResult, ...]:
        """Return the result of every check. Raises SandboxBroken."""
        results: dict[str, CheckResult] = {}
        failed: list[tuple[Collected, list[Call]]] = []
        calls: dict[str, list[Call]] = {}
        shrink_seconds = SHRINK_SUBMISSION_SECONDS
        room = MOST_KEPT_BYTES
        titles = {one.check.id: one.check.title for one in checks}
        for index, one in enumerate(checks):
            following = checks[index + 1] if index + 1 < len(checks) else None
            unmet = [name for name in one.check.requires if results[name].verdict not in MET]
            if unmet:
                self._run(Attempt(one, guests, torch.float64, 0, 0.0, skip=True), following)
                results[one.check.id] = checkresult.skipped(one.check, titles[unmet[0]])
                self._watch(results[one.check.id])
                continue
            attempt, outcome = self._check(one, following, guests, shrink_seconds)
            shrink_seconds -= attempt.shrinking
            results[one.check.id] = _result(attempt, outcome)
            self._watch(results[one.check.id])
            kept = kept_calls(attempt.record, attempt.failing, outcome) if room > 0 else []
            room -= sum(call.size for call in kept)
            calls.setdefault(one.exercise.id, []).extend(kept)
            if outcome.verdict in (Verdict.FAILED, Verdict.ERROR) and not outcome.unwritten:
                failed.append((one, kept))
        for check, found in self._findings(failed, calls, results).items():
            known: dict[str, Any] = {"compared": found.compared}
            if found.diagnosis is not None:
                # A check's own hint may be about another way to fail it.
                known |= {"diagnosis": found.diagnosis, "hint": found.diagnosis.hint}
            results[check] = results[check].model_copy(update=known)
        self._diagnoser.forget()
        return tuple(results.values())

    def make_student(self) -> Student:
        """Return the `student` of the check that runs now."""
        attempt = self._attempt
        exercise, guests = attempt.collected.exercise, attempt.guests
        return Student(
            lambda name: guests.find(name, exercise.run_as),
            attempt.dtype,
            attempt.seed,
            attempt.record,
            written=guests.written.get(exercise.id, ""),
            ran=partial(guests.ran, exercise.files, exercise.run_as) if exercise.record else None,
            asked=exercise.names[-1] if exercise.names else None,
            second=lambda name: guests.find(name, exercise.run_as, second=True),
        )

    def before(self) -> None:
        """Raise Skip before anything of a check that is skipped is set up."""
        if self._attempt.skip:
            raise Skip

    def carry_out(
        self, collected: Collected, fixtures: dict[str, Any], test: Callable[..., Any], cases: Cases | None
    ) -> None:
        """Call the test, for each of its cases. Raises what the test raises, for the smallest case found."""
        attempt = self._attempt
        if cases is None:
            with deadline():
                test(**fixtures)
            return

        def run(case: Any) -> None:
            test(**fixtures, **{cases.parameter: case})

        for index, case in enumerate(self._book.cases(collected.check.id, cases, attempt.dtype)):
            try:
                with deadline():
                    self._try_case(attempt, run, case)
            except Exception as ended:
                raise self._smallest(attempt, cases, run, index, ended) from None

    @property
    def _attempt(self) -> Attempt:
        assert self._now is not None
        return self._now

    def _check(
        self, one: Collected, following: Collected | None, guests: Guests, shrink_seconds: float
    ) -> tuple[Attempt, Outcome]:
        """Run one check, in float32 too and on the model solution too where that decides the verdict."""
        attempt = self._new_attempt(one, guests, torch.float64, shrink_seconds)
        outcome = self._run(attempt, following)
        if asks_for_float32(outcome, attempt.record):
            first = attempt
            attempt = self._new_attempt(one, guests, torch.float32, shrink_seconds)
            outcome = self._run(attempt, following)
            attempt.spent = (first.spent or Spent()) + (attempt.spent or Spent())
            outcome = replace(outcome, message=line(f"{outcome.message} {IN_FLOAT32}", 2000).strip())
        if outcome.doubtful and self._is_sound(one, following, attempt.dtype):
            last = [call.output for call in attempt.record.calls if call.answered]
            outcome = unusable(outcome, describe(last[-1]) if last else None)
        return attempt, outcome

    def _new_attempt(
        self, one: Collected, guests: Guests, dtype: torch.dtype, shrink_seconds: float
    ) -> Attempt:
        seed = hash_seed(self._seed, one.check.id)
        return Attempt(one, guests, dtype, seed, shrink_seconds)

    def _run(self, attempt: Attempt, following: Collected | None) -> Outcome:
        """Run the item of a check once."""
        before, self._now = self._now, attempt
        token = grading_dtype.set(attempt.dtype)
        try:
            if not attempt.skip:
                attempt.guests.begin_check(self._asked.get(attempt.key, ()))
            ended = attempt.collected(following)
            attempt.failing = attempt.failing or attempt.record.current
            if not isinstance(ended, SandboxBroken):
                attempt.stop_meters()
        except TimeUsedUp as used_up:
            ended, attempt.spent = used_up, Spent()
        finally:
            grading_dtype.reset(token)
            self._now = before
        outcome = attempt.judge(ended)
        if outcome.verdict is Verdict.PASSED and attempt.asks_by_itself:
            # What it asked is what it will ask of every submission.
            self._asked.setdefault(attempt.key, attempt.guests.asked)
        return outcome

    def _is_sound(self, one: Collected, following: Collected | None, dtype: torch.dtype) -> bool:
        """Return whether the model solution passes this check, asked once per run."""
        key = (one.check.id, dtype)
        if key not in self._sound:
            guests = self._model(one)
            if guests is None:
                self._sound[key] = False
            else:
                with guests:
                    outcome = self._run(self._new_attempt(one, guests, dtype, 0.0), following)
                self._sound[key] = outcome.verdict is Verdict.PASSED
        return self._sound[key]

    def _try_case(self, attempt: Attempt, run: Callable[[Any], None], case: Any) -> None:
        attempt.record.begin_case()
        tensors = self._book.tensors(case)
        before = [tensor._version for tensor in tensors]
        run(case)
        if before != [tensor._version for tensor in tensors]:
            self._book.forget(attempt.check.id)
            raise CaseError(
                f"{attempt.check.id} changes its case in place; the next submission would meet another."
            )

    def _smallest(
        self, attempt: Attempt, cases: Cases, run: Callable[[Any], None], index: int, ended: Exception
    ) -> Exception:
        """Return the exception of the smallest case found that fails in the same way, and keep its calls."""
        attempt.failing = attempt.record.current
        outcome = attempt.judge(ended)
        if outcome.verdict not in (Verdict.FAILED, Verdict.ERROR) or asks_for_float32_in(attempt, outcome):
            return ended
        if attempt.stop_meters().seconds > SLOW * (index + 1):
            return ended
        started = time.monotonic()
        case = self._book.cases(attempt.check.id, cases, attempt.dtype)[index]
        smallest = ended

        def fails(smaller: Any) -> bool:
            nonlocal smallest
            other = self._try_again(attempt, run, smaller)
            if other is None or attempt.judge(other).kind != outcome.kind:
                return False
            smallest, attempt.failing = other, attempt.record.current
            return True

        if measure(case) > SMALL and attempt.shrink_seconds > 0:
            self._book.shrink(
                attempt.check.id, cases, attempt.dtype, index, fails=fails, seconds=attempt.shrink_seconds
            )
        if attempt.collected.exercise.variants:
            # What the student's code answers in some of the largest cases, for the diagnosis.
            for more in self._book.cases(attempt.check.id, cases, attempt.dtype)[-MORE_CASES:]:
                if isinstance(self._try_again(attempt, run, more), GuestGone | TimeUsedUp):
                    break
        attempt.shrinking = time.monotonic() - started
        return smallest

    def _try_again(self, attempt: Attempt, run: Callable[[Any], None], case: Any) -> Exception | None:
        """Run one more case of a check whose verdict is known; return how it ended."""
        try:
            attempt.guests.begin_check()
            self._try_case(attempt, run, case)
        except SandboxBroken:
            raise
        except Exception as ended:
            return ended
        finally:
            attempt.guests.end_check()
        return None

    def _findings(
        self,
        failed: Sequence[tuple[Collected, list[Call]]],
        calls: Mapping[str, Sequence[Call]],
        results: Mapping[str, CheckResult],
    ) -> dict[str, Finding]:
        """Return what the failed checks were compared with, by check."""
        passed = frozenset(name for name, one in results.items() if one.verdict is Verdict.PASSED)
        lost = frozenset(one.check.id for one, _ in failed)
        found: dict[str, dict[str, Finding]] = {}
        for one, own in failed:
            try:
                finding = self._diagnoser.diagnose(
                    one.exercise, own, Rest(calls[one.exercise.id], passed, lost)
                )
            except Exception:  # noqa: S112 - a variant is the author's code; no name is a fair answer to its faults
                continue
            if finding is not None:
                found.setdefault(one.exercise.id, {})[one.check.id] = finding
        return {check: one for each in found.values() for check, one in settled(each).items()}


def _nobody_watches(_result: CheckResult) -> None:
    """Let a check end unseen."""


def asks_for_float32_in(attempt: Attempt, outcome: Outcome) -> bool:
    """Return whether this outcome will be replaced by that of a float32 repetition."""
    return attempt.dtype is torch.float64 and asks_for_float32(outcome, attempt.record)


def hash_seed(seed: int, check: str) -> int:
    """Return a seed of 63 bits for the calls of one check, the same in every process."""
    return int.from_bytes(hashlib.sha256(f"{seed}\0calls\0{check}".encode()).digest()[:8], "big") >> 1


def _result(attempt: Attempt, outcome: Outcome) -> CheckResult:
    call = attempt.failing[-1] if attempt.failing and attempt.failing[-1].intact() else None
    signature = None
    if call is not None and outcome.verdict is not Verdict.PASSED:
        method = None if call.made_by is None else call.method or "forward"
        signature = attempt.guests.signature(call.name, method)
    return checkresult.result(
        attempt.check, outcome, attempt.spent or Spent(), attempt.record, call=call, signature=signature
    )
