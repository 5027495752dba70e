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
    ANSWER = 5  # "the averaged weights have the shape", "the answer is"


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


def _one_of(*patterns: str, after: str = "", then: str = "") -> re.Pattern[str]:
    return re.compile(f"{after}(?:{'|'.join(patterns)}){then}")


_FILL = r"(?:\s|\b(?:the|a|an|of|be|is|are|its?|have|has|in|just|simply|shape|size|with|to)\b|[:=,])*$"
_THING = (
    r"\b(?:inputs?|x|query|queries|q|keys?|k|k\s?\^?\s?t|values?|v|qkv|outputs?|context|embeddings?|"
    r"hidden states?|scores?|logits|energies|head_dim|transpose)\b"
)
_NAMES_A_THING = re.compile(_THING)
_DENIED_BEFORE = _one_of(
    *(r"\bnot", "n't", r"\bnever", r"\bneither", r"\bnor", r"\binstead of", r"\brather than", r"\bunlike"),
    *(r"\bno longer", r"\bas opposed to", r"\bcompared (?:to|with)", "≠", "!="),
    then=_FILL,
)
_DENIED_NEAR = _one_of(
    *(
        r"(?<!second )\bthought\b",
        r"\bat first\b",
        r"\b(?:might|could|(?<!\bi )would) (?:think|expect|guess)",
        r"\bone would\b",
    ),
    *(r"\binitially\b", r"\btempt", r"\b(?:wrong|incorrect|mistaken|misconception)\b", r"\bwould have\b"),
)
_DENIED_AFTER = _one_of(
    *("not", "wrong", "incorrect", "the wrong"),
    after=r"^\W*(?:(?:is|are|was|were|would be)\b ?)?(?:n't ?)?\b",
    then=r"\b|^[^.;\n]{0,40}\b(?:wrong|incorrect)\b|^\W*isn't",
)
_OF_A_THING = re.compile(
    _THING
    + r"(?:\W|\b(?:tensor|matrix|vectors?|sequence|batch|has|have|had|is|are|was|of|with|having|in|shapes?|"
    r"size|shaped|dimensions?|the|a|becomes?)\b)*$"
)
_THING_AFTER = re.compile(
    r"^\W*(?:is|are|was|as|for|would be)?\W*(?:the )?(?:shape of )?(?:the )?(?:input tensor\b|" + _THING + ")"
)
_FROM = _one_of(
    "from", "given", "for", "of input", "takes?", "of an", "before", after=r"\b", then=r"\W*(?:the|an?)?\W*$"
)
_ONE_HEAD = _one_of(
    *(
        r"\bper[- ]head\b",
        r"\b(?:each|every|single|one|individual) (?:attention )?heads?\b",
        r"\bheads? separately\b",
    ),
    *(
        r"\bfor (?:each|all|every)(?: of the)? heads?\b",
        r"\bweights (?:of|for) (?:all|the|all the) (?:\d+ )?heads\b",
    ),
    *(r"\bbefore (?:the )?(?:averag|mean)", r"\bun-?averaged\b", r"\bwithout (?:the )?averag", r"\bsplit"),
    *(
        r"(?:\bnot|n't) (?:averaged?|averaging)\b",
        r"average_attn_weights\s?=\s?false",
        r"\bkeeping the heads\b",
    ),
)
_SURELY = _one_of("answer", "averaged", r"final\w*", "average", "averaging", after=r"\b", then=r"\b")
_ANSWER = _one_of(
    *(
        "answer",
        "averaged",
        r"final\w*",
        "averaging",
        "average (?:attention|weights?|of|over|across)",
        "mean",
        "weights?",
    ),
    *("attn_?weights?", "attention (?:matrix|matrices|maps?)", "result"),
    after=r"\b",
    then=r"\b",
)
_SAID = _one_of(
    r"\b(?:shape|size|dimensions?|gives?|giving|get|got|yields?|returns?|leaves?|leaving|becomes?|remains?)\b",
    *(r"\b(?:so|hence|thus|therefore|is|are|be|have|has|it's)\b", "→", "->", "=>", "⇒", "==?", ":"),
    then=r"(?:\W|\b(?:the|a|an|of|is|are|be|to|it|it's|we|get|shaped?|size|still|exactly|just|again|also|only|then|"
    r"tensor|matrix|equals?)\b)*$",
)
_MEAN_NEXT = re.compile(r"\W*\.\s*(?:mean|sum)\(")
_ONE_SEQUENCE = _one_of(
    *("sequence", "example", "item", "batch", "batch element", "sentence", "sample"),
    after=r"\b(?:one|single|each|every|per) ",
    then=r"\b",
)
_LABEL = re.compile(r"\W*(?:the |my )?(?:answer|shape|result|weights)\W*(?:is\W*)?")
_ENDS = re.compile(r"\W*$|\s*[.;:,!)\n]|\s*(?:because|since|as|due)\b")
_SAME = _one_of(
    *("same", "identical", "unchanged", "equal to", "like the", "as the"),
    r"(?:have|has|is|are|be|get|keeps?) (?:the )?(?:shape|size|dimensions?) of (?:the |its )?inputs?",
    after=r"\b",
    then=r"\b",
)
_BREAKS = _one_of(
    *(r"[.;!?\n](?!\d)", r", (?=(?:and|so|not)\b)", r"\band (?=(?:then|not)\b)", r"\s[-–—]\s", "—"),
    r"\((?=\s?(?:and )?not\b)",
    r",? \b(?:but|while|whereas|although|though|however|because|since|which|instead)\b",
)
_MARK = re.compile(r"§(\d+)§")
# What may stand between such words and the shape that they are said of.
_FILLED = (
    r"(?:\W|\b(?:that|whether|if|it|it's|its|they|this|is|are|be|was|were|would|will|should|must|the|a|an|answer|shape|size|of|to|has|have|"
    r"we|get|for|with|on|still|rather|right|weights?|averaged|attention)\b)*$"
)
# "Perhaps …", "it could be …": a claim only as long as nothing else is said with more confidence.
_HEDGED = _one_of(
    *("perhaps", "maybe", "possibly", "conceivably", "might", "could", "may", "i guess", "(?:my|a) guess"),
    *("first (?:idea|guess|thought|instinct|impression)", "not sure", "unsure", "wonder(?:ed|ing)?"),
    after=r"\b",
    then=_FILLED,
)
_HEDGED_AFTER = re.compile(r"^\W*(?:maybe|perhaps|possibly|i guess|(?:i'?m |i am )?not sure)\b")
_COMMITTED = _one_of(
    "i (?:now |do |would |will |still )?(?:think|believe|say|claim|conclude|answer|choose|pick|take|go with)",
    "i'?(?:d|ll) (?:say|go with|answer|choose|pick|stick (?:with|to)|settle (?:on|for))",
    "i(?: a|')m (?:now |fairly |quite |pretty |rather )?(?:sure|certain|confident|convinced)",
    *("(?:go|going|went|stick|sticking) (?:with|to)", "settled? (?:on|for)", "decided? (?:on|for)"),
    *("(?:more|most) (?:likely|probably|plausibly)", "my (?:final )?(?:answer|choice|pick)", "in the end"),
    after=r"\b",
    then=_FILLED,
)
_COMMITTED_AFTER = _one_of(
    *("right", "correct", "likely", "plausible", "better", "my (?:final )?(?:answer|choice|pick)"),
    "what i (?:go with|choose|pick|answer)",
    after=r"^\W*(?:(?:it|that|which|this) )?(?:is|seems|looks|sounds|feels)(?: to be| much| far)? "
    r"(?:more |most |the )?",
    then=r"(?: one| answer)?\W*(?:$|[.;,!\n])",
)
# "…, no wait, …": what stood before is taken back for what comes now.
_TAKEN_BACK = _one_of(
    *("(?:no,? )?wait", "(?:scratch|strike|forget) (?:that|it|this)", "correction", "or rather", "but no"),
    *("on (?:second thoughts?|reflection)", "i take (?:that|it|this) back", "changed my mind", "sorry"),
    *(r"no(?:pe)?\s?(?=[,.:;!–—-])", "i meant?", "actually"),
    after=r"\b",
    then=r"(?:\b|(?=\W))" + _FILLED,
)
# What stands right behind a shape from which another is made: an arrow, or "and the mean of it leaves".
_STEP = re.compile(
    r"[^§.;\n]{0,60}(?:→|->|=>|⇒)[^§.;\n]{0,60}§"
    r"|[^§.;]{0,40}\b(?:mean|averag\w*)\b[^§.;]{0,60}\b(?:leaves?|leaving|gives?|giving|yields?|becomes?|to)\s{0,9}"
    r"(?:(?:a|an|the|shape|tensor|of) ){0,4}\s{0,9}§"
)
# What stands between two shapes of which the text will not say which it means.
_OR = re.compile(
    r"\W*(?:(?:or|also|maybe|perhaps|possibly|alternatively)\b\W*"
    r"(?:(?:or|else|maybe|perhaps|possibly|even|it|they|is|are|could|might|may|be|also)\b\W*){0,6}|/\s*)"
)
_UNLESS = re.compile(r"\W*(?:if|when|where|for|per|in|with|without|before|unless|were|had|as)\b")


def stated_shape(answer: Any, given: Sequence[int] = ()) -> Stated:
    """Return the shape that an answer gives; `given` is the shape that the question names.

    The answer is a text, or a value: a tuple, list, torch.Size or tensor of sizes.
    """
    if isinstance(answer, str):
        return _in_text(answer, given)
    items = answer.tolist() if isinstance(answer, torch.Tensor) and answer.dim() == 1 else answer
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
        StatedShape(sizes, written, _rank(marked, index, sizes, tuple(given), emphasised))
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
            if len(shape.sizes) > 2 or shape.rank is Rank.ANSWER or any(shape is one for one in doubted)
        ]
    highest = max(shape.rank for shape in claims)
    rivals = [shape for shape in claims if shape.rank is highest]
    if len({shape.sizes for shape in rivals}) > 1:
        return Stated(None, "", tuple(rivals), shapes)
    return Stated(rivals[0].sizes, rivals[0].text, (), shapes)


def _numbered(shape: StatedShape) -> bool:
    return sum(isinstance(size, int) for size in shape.sizes) >= 2


def _doubted(text: str, shapes: tuple[StatedShape, ...]) -> tuple[tuple[StatedShape, ...], list[StatedShape]]:
    """Give "this or that" one rank, which is a claim, and return which these are; also what a question asks.

    What is said of the first, that it is not the answer or that of something else, holds for the second.
    """
    ranked, between = list(shapes), _MARK.split(text)[::2]
    doubted: set[int] = set()
    for index in range(1, len(ranked)):
        first, second = ranked[index - 1], ranked[index]
        if (
            first.sizes == second.sizes
            or not (_numbered(first) and _numbered(second))
            or not _OR.fullmatch(between[index])
        ):
            continue
        if first.rank in (Rank.DENIED, Rank.OTHER):
            ranked[index] = replace(second, rank=min(first.rank, second.rank))
        elif second.rank not in (Rank.DENIED, Rank.OTHER) and not _UNLESS.match(between[index + 1]):
            if _OF_A_THING.search(_BREAKS.split(between[index - 1][-300:])[-1] or ""):
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
    ranked, between = list(shapes), _MARK.split(text)[::2]
    for index in range(1, len(ranked)):
        before, shape = ranked[index - 1], ranked[index]
        if before.sizes == shape.sizes or not _TAKEN_BACK.search(between[index]):
            continue
        if not _is_of_another(text, index, shape):
            ranked[:index] = [
                replace(one, rank=Rank.DENIED) if one.sizes == before.sizes else one for one in ranked[:index]
            ]
            ranked[index] = replace(shape, rank=Rank.ANSWER)
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
        if _COMMITTED.search(close) or _COMMITTED_AFTER.search(after):
            committed.append(index)
        elif _HEDGED.search(close) or _HEDGED_AFTER.match(after):
            hedged.append(index)
    guessed = {ranked[index].sizes for index in hedged}
    sure = {ranked[index].sizes for index in committed}
    if sure and guessed:
        for index in committed:
            ranked[index] = replace(ranked[index], rank=Rank.ANSWER)
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
        or _NAMES_A_THING.search(close)
        or _names_a_thing(close, after)
        or _FROM.search(close)
    )


def _place(text: str, index: int) -> tuple[int, int]:
    """Return where the mark of a shape begins and ends."""
    mark = f"§{index}§"
    at = text.index(mark)
    return at, at + len(mark)


def _rank(text: str, index: int, sizes: Sizes, given: Sizes, emphasised: bool) -> Rank:
    at, end = _place(text, index)
    clause, close, after = _around(text, at, end)
    if _DENIED_BEFORE.search(close) or _DENIED_AFTER.search(after) or _DENIED_NEAR.search(clause):
        return Rank.DENIED
    said = bool(_SAID.search(close))
    answer = bool(_ANSWER.search(clause))
    same = bool(_SAME.search(close)) and (answer or not _names_a_thing(close, after))
    if sizes == given and not same and not (said and answer and not _OF_A_THING.search(close)):
        return Rank.GIVEN
    part = _ONE_HEAD.search(close) or _ONE_HEAD.search(after[:60]) or _MEAN_NEXT.match(text[end:])
    if len(sizes) == 2:
        part = part or _ONE_SEQUENCE.search(clause)
    if part or (_FROM.search(close) and not said) or (_names_a_thing(close, after) and not same):
        return Rank.OTHER
    if _STEP.match(text[end : end + 200]):
        return Rank.NAMED
    alone = not re.search(r"\w", text[:at]) and _ENDS.match(text[end:])
    if alone or (answer and (said or _SURELY.search(clause))) or _LABEL.fullmatch(clause):
        return Rank.ANSWER
    return Rank.SAID if said or emphasised or _first(text, at) else Rank.NAMED


def _names_a_thing(close: str, after: str) -> bool:
    return bool(_OF_A_THING.search(close) or _THING_AFTER.search(after))


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Return the clause before a shape, that after the last other shape, and what follows."""
    before = _BREAKS.split(text[max(0, start - 300) : start])[-1] or ""
    after = _BREAKS.split(text[end : end + 200])[0] or ""
    return _MARK.sub(" ", before), _MARK.split(before)[-1], _MARK.split(after)[0]


def _first(text: str, at: int) -> bool:
    """Return whether nothing stands before this place in its paragraph."""
    return not re.search(r"\w", text[text.rfind("\n", 0, at) + 1 : at])
