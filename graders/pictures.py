"""Pictures that a check shows: who moves whom, who attends to whom, and where padding is wasted.

Data only, with the same in words beside it; how they are drawn is the report's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from graders.result import BatchesPicture, MapPicture, Row

LARGEST = 24  # rows and columns of a map; more cannot be read on a page
MOST_BATCHES = 40
MOST_SENTENCES = 3
MOVED = 1e-9  # in float64; rounding moves nothing by as much (see comparing.TOLERANCES)


def moved_by(
    ask: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    change: Callable[[torch.Tensor, int], torch.Tensor],
    *,
    by_more_than: float = MOVED,
) -> torch.Tensor:
    """Return which source positions move which target positions: bool, (targets, sources).

    `x` is one input (T, ...) and `ask` answers a batch of inputs (B, T, ...) with (B, T, ...). `change`
    returns a copy of `x` with one position changed. All is asked in one batch, whose first row is `x`.
    """
    batch = torch.stack([x, *(change(x, source) for source in range(len(x)))])
    answers = ask(batch).detach()
    differences = (answers[1:] - answers[:1]).abs().flatten(2).amax(-1)  # (sources, targets)
    # A nan or an infinity that comes or goes has moved as well.
    return ~(differences <= by_more_than).T


def influence_map(
    moved: torch.Tensor,
    allowed: torch.Tensor,
    *,
    title: str = "Which source moves which target",
    target: str = "target",
    source: str = "source",
) -> MapPicture:
    """Return a picture of `moved` beside `allowed`, both (targets, sources), with each difference marked."""
    moved, allowed = moved.bool()[:LARGEST, :LARGEST], allowed.bool()[:LARGEST, :LARGEST]
    marked = [(int(t), int(s)) for t, s in (moved != allowed).nonzero().tolist()]
    sentences = [
        f"{target.capitalize()} {t} is moved by {source} {s}, and must not be."
        if moved[t, s]
        else f"{target.capitalize()} {t} is not moved by {source} {s}, and should be."
        for t, s in marked
    ]
    return MapPicture(
        title=title,
        alt=_in_words(sentences, f"Every {target} is moved by just the {source}s that may move it."),
        got=_rows(moved),
        expected=_rows(allowed),
        marked=tuple(marked),
        rows=target,
        columns=source,
    )


def attention_map(
    weights: torch.Tensor,
    expected: torch.Tensor | None = None,
    *,
    title: str = "How much each target attends to each source",
    blocked: torch.Tensor | None = None,
) -> MapPicture:
    """Return a picture of attention weights (targets, sources) in [0, 1], written into their cells.

    With `expected`, weights of the same shape, what differs is marked; with `blocked`, a bool mask of that
    shape (True: may not be attended to), any weight there is.
    """
    weights = weights.detach().to(torch.float64)[:LARGEST, :LARGEST]
    wrong = torch.zeros(weights.shape, dtype=torch.bool)
    if expected is not None:
        expected = expected.detach().to(torch.float64)[:LARGEST, :LARGEST]
        wrong |= ~((weights - expected).abs() <= 1e-6)
    if blocked is not None:
        wrong |= blocked.bool()[:LARGEST, :LARGEST] & ~(weights.abs() <= 1e-6)
    marked = [(int(t), int(s)) for t, s in wrong.nonzero().tolist()]
    sentences = [
        f"Target {t} gives source {s} the weight {float(weights[t, s]):.3g}; "
        f"{0.0 if expected is None else float(expected[t, s]):.3g} was expected."
        for t, s in marked
    ]
    return MapPicture(
        title=title,
        alt=_in_words(sentences, _strongest(weights)),
        got=_rows(weights),
        expected=None if expected is None else _rows(expected),
        marked=tuple(marked),
        numbers=True,
    )


def batches_picture(
    batches: Sequence[Sequence[int]],
    beside: Sequence[Sequence[int]] = (),
    *,
    title: str = "Tokens and padding in each batch",
    beside_title: str = "",
) -> BatchesPicture:
    """Return a picture of batches, each the lengths in tokens of its sequences, and of others beside them."""
    words = f"{_waste(batches)} of what is computed is padding"
    if beside:
        words += f"; {beside_title or 'beside it'}: {_waste(beside)}"
    return BatchesPicture(
        title=title,
        alt=f"{words}.",
        batches=_cut(batches),
        beside=_cut(beside),
        beside_title=beside_title,
    )


def _waste(batches: Sequence[Sequence[int]]) -> str:
    computed = sum(max(batch) * len(batch) for batch in batches if batch)
    real = sum(sum(batch) for batch in batches)
    return f"{1 - real / computed:.0%}" if computed else "0%"


def _cut(batches: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(length) for length in batch[:MOST_BATCHES]) for batch in batches[:MOST_BATCHES])


def _rows(values: torch.Tensor) -> tuple[Row, ...]:
    # A picture has no shade for nan or beyond 0 and 1.
    shades = values.to(torch.float64).nan_to_num(nan=1.0).clamp(0.0, 1.0)
    return tuple(tuple(round(float(value), 4) for value in row) for row in shades.tolist())


def _in_words(sentences: Sequence[str], otherwise: str) -> str:
    if not sentences:
        return otherwise
    more = len(sentences) - MOST_SENTENCES
    rest = f" And {more} more." if more > 0 else ""
    return " ".join(sentences[:MOST_SENTENCES]) + rest


def _strongest(weights: torch.Tensor) -> str:
    if not weights.numel():
        return "There are no weights."
    named = [
        f"target {t} attends most to source {int(row.argmax())} ({float(row.max()):.2f})"
        for t, row in enumerate(weights[:8])
    ]
    words = "; ".join(named)
    return f"{words[:1].upper()}{words[1:]}."
