"""Which answers say the same: a proposal that saves reading, and forces nobody.

Answers that are the same but for case, spaces and punctuation are one group without any library. Beyond
that, scikit-learn compares n-grams of characters and words, and joins answers of which every two are alike.
An answer and its opposite differ in little: so two are never joined that have other numbers, deny something
else, or have each a word of weight that the other lacks.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MOST_APART = 0.7  # cosine distance of two of a group; measured in docs/portal.md
MOST_OTHER = 1 / 8  # words that each has and the other lacks, of those that both have

_MARKUP = re.compile(r"[`*_$#>\\{}]|^\s*[-+]\s", re.MULTILINE)
_WORD = re.compile(r"\w+(?:'\w+)?")
_CLAUSE = re.compile(r"[,;:.()]|\b(?:because|since|so|but|or|and|if|when|while)\b")
_NEGATION = re.compile(r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|hardly)\b|\w+n't\b")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ENDINGS = (*("ations", "ation", "ating", "ated", "ates", "ings", "ing", "ies", "ied"), *("ed", "es", "ly"))
# Words without weight of their own; negations are told apart by what they deny.
_SMALL = frozenset(
    _WORD.findall(
        """a an the this that these those it its they their we you i he is are was were be been being do does
        did has have had can could may might must should will would shall of to in on at by for from with into
        as than then there here all any each every ones just only also very too such what which who how much
        many so because since if when while or and but get gets got make makes made able example e g about out
        through s else otherwise soon not no never none nothing neither nor without cannot hardly"""
    )
)


@dataclass(frozen=True)
class Points:
    """What must not differ between two answers that say the same."""

    numbers: tuple[str, ...]  # in their order: a shape is one too
    denied: frozenset[str]  # the stems of the words that a negation is about
    words: frozenset[str]  # the stems of the words of weight

    def agree(self, other: Points) -> bool:
        """Whether two answers may say the same."""
        few, many = sorted((set(self.numbers), set(other.numbers)), key=len)
        if self.numbers != other.numbers and not few < many:
            return False
        both, either = len(self.denied & other.denied), len(self.denied | other.denied)
        if either and both / either < 0.5:
            return False
        lacking = min(len(self.words - other.words), len(other.words - self.words))
        return lacking <= MOST_OTHER * len(self.words & other.words)


def can_compare() -> bool:
    """Whether scikit-learn is installed."""
    from importlib.util import find_spec

    return find_spec("sklearn") is not None


def groups_of(texts: Sequence[str]) -> list[list[int]]:
    """Return which texts say the same, each group by the numbers of its texts; only groups of two and more.

    The largest come first. Without scikit-learn only texts that are the same but for their looks are found.
    """
    return [list(group) for group in _groups(tuple(texts))]


@lru_cache(maxsize=64)
def _groups(texts: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    by_text: dict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        by_text[_same(normalised(text))].append(number)
    by_text.pop("", None)
    firsts = {normalised(texts[numbers[0]]): same for same, numbers in by_text.items()}
    joined = _alike(list(firsts)) if can_compare() else [[text] for text in firsts]
    groups = (sorted(number for text in some for number in by_text[firsts[text]]) for some in joined)
    return tuple(sorted((tuple(one) for one in groups if len(one) > 1), key=lambda one: (-len(one), one)))


def normalised(text: str) -> str:
    """Return a text without what changes its looks alone."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = _MARKUP.sub(" ", plain).replace("’", "'")
    return " ".join(re.findall(r"\w+(?:['.]\w+)*|[^\w\s.:!?\"]", plain))


def _same(text: str) -> str:
    """Return what two normalised texts have in common that differ in commas and the like alone."""
    return " ".join(re.sub(r"[,;]", " ", text).split())


def points_of(text: str) -> Points:
    """Return what a normalised text says: numbers, what it denies, and its words of weight."""
    words = [word for word in _WORD.findall(text) if word not in _SMALL and not word.endswith("n't")]
    numbers = (str(_NUMBERS.index(word)) if word in _NUMBERS else word for word in words if word != "one")
    return Points(tuple(one for one in numbers if one.isdigit()), _denied(text), frozenset(map(_stem, words)))


def _denied(text: str) -> frozenset[str]:
    """Return the stems of the three words of weight that follow each negation in its clause."""
    found: set[str] = set()
    for clause in _CLAUSE.split(text):
        for negation in _NEGATION.finditer(clause):
            after = [word for word in _WORD.findall(clause[negation.end() :]) if word not in _SMALL]
            found |= set(map(_stem, after[:3])) or {negation.group()[:3]}
    return frozenset(found)


def _stem(word: str) -> str:
    if word in _NUMBERS:
        return str(_NUMBERS.index(word))
    word = word.replace("'", "")
    for ending in (*_ENDINGS, "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1][:7] if len(word) > 3 and word[-1] == word[-2] else word[:7]


def _alike(texts: list[str]) -> list[list[str]]:
    """Return the texts in groups, most of them of one."""
    if len(texts) < 2:
        return [texts]
    import numpy
    from scipy.sparse import hstack
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_distances

    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    words = TfidfVectorizer(
        ngram_range=(1, 2), tokenizer=_WORD.findall, token_pattern=None, sublinear_tf=True
    )
    apart = cosine_distances(hstack([pieces.fit_transform(texts), words.fit_transform(texts)]))
    points = [points_of(text) for text in texts]
    for first, second in numpy.argwhere(numpy.triu(apart < MOST_APART, 1)):
        if not points[first].agree(points[second]):
            apart[first, second] = apart[second, first] = 2.0
    labels = AgglomerativeClustering(
        n_clusters=None, distance_threshold=MOST_APART, metric="precomputed", linkage="complete"
    ).fit_predict(apart)
    found: dict[int, list[str]] = defaultdict(list)
    for text, label in zip(texts, labels, strict=True):
        found[int(label)].append(text)
    return list(found.values())
