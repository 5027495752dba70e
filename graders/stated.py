"""Which shape does a student's text give as its answer?

    stated_shape("Not (8, 32, 128) but 8 × 32 × 32, one row for each target.").sizes == (8, 32, 32)

Texts name other shapes too: that of the input, of a step on the way, of what the answer is not. Each shape
gets a rank by the words around it, and the answer is what stands alone at the highest rank; where two
shapes claim to be the answer, the text gives none, and the caller hears which. Nothing here knows what
is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, cast

import torch

from graders import claimwords as words
from graders.integers import whole
from graders.shapewords import Sizes, marked_shapes
from graders.showing import written

MOST_TEXT = 8_000  # letters; an answer to one question is a paragraph


class Rank(IntEnum):
    """How a text stands to a shape that it names."""

    DENIED = 0  # "not (8, 32, 128)"
    GIVEN = 1  # the input's own shape, quoted
    OTHER = 2  # the shape of something else: one head, the output, the transposed key
    NAMED = 3  # nothing tells what it is
    SAID = 4  # "the shape is", "gives", in bold, first in its paragraph
    ANSWER = 5  # "the weights have the shape", "the result is"
    SURE = 6  # "the averaged weights have the shape", "the answer is"


@dataclass(frozen=True)
class StatedShape:
    """One shape that a text names."""

    sizes: Sizes  # numbers, or a letter where the text gives no number for it
    text: str  # as it stands there
    rank: Rank


@dataclass(frozen=True)
class Stated:
    """What a text gives as its answer."""

    sizes: Sizes | None  # None: no shape, or more than one
    text: str  # as it stands there
    rivals: tuple[StatedShape, ...]  # the shapes that claim the same rank, where there are several
    shapes: tuple[StatedShape, ...]  # all of them, in their order


def stated_shape(answer: Any, given: Sequence[int] = ()) -> Stated:
    """Return the shape that an answer gives; `given` is the shape that the question names.

    The answer is a text, or a value: a tuple, list, torch.Size, dictionary or tensor of sizes.
    """
    if isinstance(answer, str):
        return _in_text(answer, given)
    items = answer.tolist() if isinstance(answer, torch.Tensor) and answer.dim() == 1 else answer
    if isinstance(answer, dict):  # {"batch": 8, "target": 32, "source": 32}
        items = list(answer.values())
    if isinstance(items, list | tuple) and items:
        sizes = tuple(item.strip().lower() if isinstance(item, str) else whole(item) for item in items)
        if all(size is not None for size in sizes):
            numbers = tuple(
                int(size) if isinstance(size, str) and size.isdecimal() else size for size in sizes
            )
            return Stated(cast(Sizes, numbers), written(answer), (), ())
    return Stated(None, "", (), ())


def _in_text(text: str, given: Sequence[int]) -> Stated:
    marked, found = marked_shapes(text[:MOST_TEXT])
    shapes = tuple(
        StatedShape(sizes, " ".join(written.split()), _rank(marked, index, sizes, tuple(given), emphasised))
        for index, (sizes, written, emphasised) in enumerate(found)
    )
    shapes, doubted = _doubted(marked, shapes)
    shapes = _decided(marked, _taken_back(marked, shapes))
    known = [shape for shape in shapes if _numbered(shape)]
    claims = [shape for shape in known or shapes if shape.rank is not Rank.DENIED]
    if not claims:
        return Stated(None, "", (), shapes)
    if any(len(shape.sizes) > 2 and shape.rank > Rank.GIVEN for shape in claims):
        # Two sizes are one matrix of it, unless the text says that they are all.
        claims = [
            shape
            for shape in claims
            if len(shape.sizes) > 2 or shape.rank >= Rank.ANSWER or any(shape is one for one in doubted)
        ]
    highest = max(shape.rank for shape in claims)
    rivals = [shape for shape in claims if shape.rank is highest]
    rivals = [shape for shape in rivals if not _part_of_another(shape, rivals, doubted)]
    fullest = max(rivals, key=lambda shape: sum(isinstance(size, int) for size in shape.sizes))
    if not all(_agree(shape.sizes, fullest.sizes) for shape in rivals):
        return Stated(None, "", tuple(rivals), shapes)
    return Stated(fullest.sizes, fullest.text, (), shapes)


def _part_of_another(
    shape: StatedShape, rivals: Sequence[StatedShape], doubted: Sequence[StatedShape]
) -> bool:
    """Return whether this is the matrix of which another shape holds many."""
    return len(shape.sizes) == 2 and any(
        other.sizes[1:] == shape.sizes and not any(shape is one for one in doubted) for other in rivals
    )


def _agree(first: Sizes, second: Sizes) -> bool:
    """Return whether (B, T, T) and (8, 32, 32) are one shape: where both have numbers, these are equal."""
    return len(first) == len(second) and all(
        one == other or isinstance(one, str) or isinstance(other, str)
        for one, other in zip(first, second, strict=True)
    )


def _numbered(shape: StatedShape) -> bool:
    return sum(isinstance(size, int) for size in shape.sizes) >= 2


def _doubted(text: str, shapes: tuple[StatedShape, ...]) -> tuple[tuple[StatedShape, ...], list[StatedShape]]:
    """Give "this or that" one rank, which is a claim, and return which these are; also what a question asks.

    What is said of the first, that it is not the answer or that of something else, holds for the second.
    """
    ranked, between = list(shapes), words.MARK.split(text)[::2]
    doubted: set[int] = set()
    for index in range(1, len(ranked)):
        first, second = ranked[index - 1], ranked[index]
        if (
            first.sizes == second.sizes
            or not (_numbered(first) and _numbered(second))
            or not words.OR.fullmatch(between[index])
        ):
            continue
        if first.rank in (Rank.DENIED, Rank.OTHER):
            ranked[index] = replace(second, rank=min(first.rank, second.rank))
        elif second.rank not in (Rank.DENIED, Rank.OTHER) and not words.UNLESS.match(between[index + 1]):
            if words.OF_A_THING.search(words.BREAKS.split(between[index - 1][-300:])[-1] or ""):
                continue  # "for an input of (8, 32, 128) or (8, 32, 64)"
            rank = max(first.rank, second.rank, Rank.SAID)
            ranked[index - 1 : index + 1] = replace(first, rank=rank), replace(second, rank=rank)
            doubted |= {index - 1, index}
    asked = [
        index
        for index in range(len(ranked) - 1)
        if re.match(r"[^.!?]*\?", between[index + 1]) and any(map(_numbered, ranked[index + 1 :]))
    ]
    for index in asked:  # a question is no answer where one comes after it
        for one in {index, index - 1} & doubted | {index}:
            ranked[one] = replace(ranked[one], rank=min(ranked[one].rank, Rank.OTHER))
            doubted.discard(one)
    return tuple(ranked), [ranked[index] for index in doubted]


def _taken_back(text: str, shapes: tuple[StatedShape, ...]) -> tuple[StatedShape, ...]:
    """Deny what a text takes back for the shape that it names next."""
    ranked, between = list(shapes), words.MARK.split(text)[::2]
    for index in range(1, len(ranked)):
        before, shape = ranked[index - 1], ranked[index]
        if before.sizes == shape.sizes or not words.TAKEN_BACK.search(between[index]):
            continue
        if not _is_of_another(text, index, shape):
            ranked[:index] = [
                replace(one, rank=Rank.DENIED) if one.sizes == before.sizes else one for one in ranked[:index]
            ]
            ranked[index] = replace(shape, rank=Rank.SURE)
    return tuple(ranked)


def _decided(text: str, shapes: tuple[StatedShape, ...]) -> tuple[StatedShape, ...]:
    """Let what a text commits itself to stand above its guesses; several guesses claim the same."""
    ranked = list(shapes)
    hedged: list[int] = []
    committed: list[int] = []
    for index, shape in enumerate(ranked):
        if _is_of_another(text, index, shape):
            continue
        _, close, after = _around(text, *_place(text, index))
        if words.COMMITTED.search(close) or words.COMMITTED_AFTER.search(after):
            committed.append(index)
        elif words.HEDGED.search(close) or words.HEDGED_AFTER.match(after):
            hedged.append(index)
    guessed = {ranked[index].sizes for index in hedged}
    sure = {ranked[index].sizes for index in committed}
    if sure and guessed:
        for index in committed:
            ranked[index] = replace(ranked[index], rank=Rank.SURE)
        for index in hedged:
            if ranked[index].sizes not in sure:
                ranked[index] = replace(ranked[index], rank=Rank.DENIED)
    elif len(guessed) > 1:
        for index in hedged:
            ranked[index] = replace(ranked[index], rank=max(ranked[index].rank, Rank.SAID))
    return tuple(ranked)


def _is_of_another(text: str, index: int, shape: StatedShape) -> bool:
    """Return whether a shape is denied, or that of the input or of one head, whatever is thought of it."""
    _, close, after = _around(text, *_place(text, index))
    return bool(
        shape.rank in (Rank.DENIED, Rank.OTHER)
        or not _numbered(shape)
        or words.NAMES_A_THING.search(close)
        or _names_a_thing(close, after)
        or words.FROM.search(close)
    )


def _place(text: str, index: int) -> tuple[int, int]:
    """Return where the mark of a shape begins and ends."""
    mark = f"§{index}§"
    at = text.index(mark)
    return at, at + len(mark)


def _rank(text: str, index: int, sizes: Sizes, given: Sizes, emphasised: bool) -> Rank:
    at, end = _place(text, index)
    clause, close, after = _around(text, at, end)
    if (
        words.DENIED_BEFORE.search(close)
        or words.DENIED_AFTER.search(after)
        or words.DENIED_NEAR.search(clause)
    ):
        return Rank.DENIED
    said = bool(words.SAID.search(close))
    answer = bool(words.ANSWER.search(clause))
    if words.ANSWER_AFTER.match(text[end : end + 120]):
        return Rank.SURE
    same = bool(words.SAME.search(close)) and (answer or not _names_a_thing(close, after))
    if sizes == given and not same and not (said and answer and not words.OF_A_THING.search(close)):
        return Rank.GIVEN
    part = (
        words.ONE_HEAD.search(close) or words.ONE_HEAD.search(after[:60]) or words.MEAN_NEXT.match(text[end:])
    )
    if len(sizes) == 2:
        part = part or words.ONE_SEQUENCE.search(clause) or words.ONE_SEQUENCE.search(after[:40])
    if part or (words.FROM.search(close) and not said) or (_names_a_thing(close, after) and not same):
        return Rank.OTHER
    return _claim(text, index, emphasised)


def _claim(text: str, index: int, emphasised: bool) -> Rank:
    """Return how firmly a text says that a shape is the answer; it is not that of something else."""
    at, end = _place(text, index)
    clause, close, _ = _around(text, at, end)
    said, answer = words.SAID.search(close), words.ANSWER.search(clause)
    if words.OTHERWISE.search(close) or words.STEP.match(text[end : end + 200]):
        return Rank.NAMED
    alone = not re.search(r"\w", text[:at]) and words.ENDS.match(text[end:])
    if answer and words.SURELY.search(clause):
        return Rank.SURE
    if words.WOULD.search(close):
        return Rank.NAMED
    answer = answer or words.HERE.search(clause)
    if alone or (answer and said) or words.LABEL.fullmatch(clause):
        return Rank.ANSWER
    return Rank.SAID if said or emphasised or _first(text, at) else Rank.NAMED


def _names_a_thing(close: str, after: str) -> bool:
    return bool(words.OF_A_THING.search(close) or words.THING_AFTER.search(after))


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Return the clause before a shape, that after the last other shape, and what follows."""
    before = words.BREAKS.split(text[max(0, start - 300) : start])[-1] or ""
    after, *more = words.MARK.split(words.BREAKS.split(text[end : end + 200])[0] or "")
    if more and re.match(r"\s*[,;|&]", after) and words.OF_A_THING.search(after):
        after = ""  # "weights (8, 32, 32), output (8, 32, 128)": said of the next one
    return words.MARK.sub(" ", before), words.MARK.split(before)[-1], after


def _first(text: str, at: int) -> bool:
    """Return whether nothing stands before this place in its paragraph."""
    return not re.search(r"\w", text[text.rfind("\n", 0, at) + 1 : at])
