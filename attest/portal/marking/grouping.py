"""Which answers say the same: a proposal that saves reading, and forces nobody.

Answers that are the same but for case, spaces and punctuation are one group without any library. Beyond that,
scikit-learn compares n-grams of characters and words, and joins answers of which every two are alike.
Numbers, shapes, negations and words that turn a sentence round ("before", "after") must be the same in all of
a group: an answer and its opposite differ in little else.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

MOST_APART = 0.62  # between two of a group, 0 to 1; measured in docs/portal.md
INSTALL = "pip install 'attest-grader[marking]'"

_MARKUP = re.compile(r"[`*_$#>\\{}]|^\s*[-+]\s", re.MULTILINE)
_SHAPE = re.compile(r"[(\[]?\s*\d+(?:\s*[,x×·*]\s*\d+)+\s*,?\s*[)\]]?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_WORD = re.compile(r"\w+")
_NEGATION = re.compile(
    r"\b(?:not?|never|none|nothing|neither|nor|without|cannot|hardly|ignor\w+|independent\w*)\b|n['’]t\b"
)
# Words that make another answer out of a sentence that is otherwise the same.
_TURNING = {
    **dict.fromkeys(("before", "earlier", "previous", "past", "left"), "before"),
    **dict.fromkeys(("after", "later", "future", "next", "right"), "after"),
    **dict.fromkeys(
        ("more", "larger", "greater", "bigger", "higher", "longer", "increases", "grows"), "more"
    ),
    **dict.fromkeys(("less", "smaller", "lower", "fewer", "shorter", "decreases", "shrinks"), "less"),
    **dict.fromkeys(("row", "rows"), "rows"),
    **dict.fromkeys(("column", "columns"), "columns"),
    **dict.fromkeys(("query", "queries", "target", "targets"), "target"),
    **dict.fromkeys(("key", "keys", "source", "sources"), "source"),
    **dict.fromkeys(("value", "values"), "value"),
    **dict.fromkeys(("sum", "sums", "summed"), "sum"),
    **dict.fromkeys(("mean", "average", "averaged", "averages"), "mean"),
    **dict.fromkeys(("head", "heads"), "heads"),
    **dict.fromkeys(("batch", "batches"), "batch"),
    **dict.fromkeys(("always",), "always"),
    **dict.fromkeys(("sometimes",), "sometimes"),
    **dict.fromkeys(("true", "yes"), "yes"),
    **dict.fromkeys(("false", "wrong"), "no"),
}


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
        by_text[normalised(text)].append(number)
    by_text.pop("", None)
    joined = _alike(list(by_text)) if can_compare() else [[text] for text in by_text]
    groups = (sorted(number for text in some for number in by_text[text]) for some in joined)
    return tuple(sorted((tuple(one) for one in groups if len(one) > 1), key=lambda one: (-len(one), one)))


def normalised(text: str) -> str:
    """Return a text without what changes its looks alone."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = _MARKUP.sub(" ", plain).replace("’", "'")
    return " ".join(re.findall(r"\w+(?:['.]\w+)*|[^\w\s.;:!?\"]", plain))


def turning_points(text: str) -> tuple[frozenset[str], int, frozenset[str]]:
    """Return what must be the same in two answers that say the same: numbers, negations, turning words."""
    shapes = {re.sub(r"\D+", ",", shape).strip(",") for shape in _SHAPE.findall(text)}
    numbers = set(_NUMBER.findall(_SHAPE.sub(" ", text)))
    turning = {_TURNING[word] for word in _WORD.findall(text) if word in _TURNING}
    return frozenset(shapes | numbers), len(_NEGATION.findall(text)) % 2, frozenset(turning)


def _alike(texts: list[str]) -> list[list[str]]:
    by_points: dict[object, list[str]] = defaultdict(list)
    for text in texts:
        by_points[turning_points(text)].append(text)
    return [group for some in by_points.values() for group in _clusters(some)]


def _clusters(texts: list[str]) -> list[list[str]]:
    if len(texts) < 2:
        return [texts]
    from scipy.sparse import hstack
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer

    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, norm="l2")
    words = TfidfVectorizer(
        ngram_range=(1, 2), tokenizer=_WORD.findall, token_pattern=None, sublinear_tf=True, norm="l2"
    )
    matrix = hstack([pieces.fit_transform(texts), words.fit_transform(texts)]).toarray()
    labels = AgglomerativeClustering(
        n_clusters=None, distance_threshold=MOST_APART, metric="cosine", linkage="complete"
    ).fit_predict(matrix)
    found: dict[int, list[str]] = defaultdict(list)
    for text, label in zip(texts, labels, strict=True):
        found[int(label)].append(text)
    return list(found.values())
