"""Are the variants named for what they are, and would a bug that is not among them be named wrongly?

Both are read off the results of a validation: a failing check keeps the known errors that answer as the
submission does, so that what would be named without the variant itself can be seen too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graders.assignment import Variant
from graders.result import CheckResult, Result, Verdict

SHARE = 0.9  # of an exercise's variants must be named


@dataclass(frozen=True)
class Naming:
    """How many of an exercise's variants are named right."""

    exercise: str
    named: int
    unnamed: tuple[str, ...]  # by the name of the variant
    left_out: int  # variants with diagnose = false, or that lose no check by what they answer

    @property
    def of(self) -> int:
        return self.named + len(self.unnamed)

    @property
    def enough(self) -> bool:
        return self.named >= SHARE * self.of

    @property
    def text(self) -> str:
        """Return it in words."""
        if not self.of:
            return "no variant can be named"
        out = f"; {self.left_out} left out" if self.left_out else ""
        lacking = f"; not named: {', '.join(self.unnamed)}" if self.unnamed else ""
        return f"{self.named} of {self.of} variants named{out}{lacking}"


def naming(exercise: str, rows: Sequence[tuple[Variant, Sequence[Result]]]) -> Naming:
    """Return how many variants are named right: under every seed by some check, and by none wrongly."""
    judged = [(one, results) for one, results in rows if one.diagnose and any(map(_shown, results))]
    unnamed = tuple(
        one.name
        for one, results in judged
        if not all(_is_named(one, result) for result in results if _shown(result))
    )
    return Naming(exercise, len(judged) - len(unnamed), unnamed, len(rows) - len(judged))


def wrong_names(variant: Variant, one: CheckResult) -> Iterator[str]:
    """Say which wrong names a check gives to a variant, or would give if the variant were not known."""
    own = variant.same_as or variant.name
    fair = {own, *variant.like}
    if one.diagnosis is not None:
        given = "+".join((one.diagnosis.variant, *(other.variant for other in one.diagnosis.also)))
        if given not in fair:
            yield f"is diagnosed as {given}, which is another variant"
            return
    if one.compared is None or own not in one.compared.alike:
        return
    others = [name for name in one.compared.alike if name != own]
    singles = [name for name in others if "+" not in name] or others
    if len(singles) == 1 and singles[0] not in fair:
        yield (
            f"would be diagnosed as {singles[0]} if this variant were not known; tell them apart, "
            f'or declare like = ["{singles[0]}"] in [variants.{variant.name}] where the name is fair'
        )


def _shown(result: Result) -> list[CheckResult]:
    return [one for one in result.checks if one.verdict in (Verdict.FAILED, Verdict.ERROR)]


def _is_named(variant: Variant, result: Result) -> bool:
    own = variant.same_as or variant.name
    names = {one.diagnosis.variant for one in _shown(result) if one.diagnosis and not one.diagnosis.also}
    return own in names
