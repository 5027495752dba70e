"""Everything that is fuzzed: a corpus of good inputs, what damages them, and what must hold of each."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz import files, frames, mutation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

FOUND = Path(__file__).with_name("found")  # inputs that once broke a property: TARGET-HASH


@dataclass(frozen=True)
class Target:
    """One kind of input. `check` raises for an input of which a property does not hold."""

    name: str
    check: Callable[[bytes], None]
    make_corpus: Callable[[], Sequence[bytes]]
    mutate: mutation.Mutator

    @cached_property
    def corpus(self) -> tuple[bytes, ...]:
        """The good inputs."""
        found = tuple(self.make_corpus())
        assert found, f"no corpus for {self.name}"
        return found

    def inputs(self, rng: random.Random, count: int) -> Sequence[bytes]:
        """As many damaged inputs."""
        return [self.mutate(rng, self.corpus) for _ in range(count)]

    def built(self) -> SearchStrategy[bytes]:
        """Inputs that Hypothesis can shrink: damaged ones, and where there is a way made from nothing."""
        from hypothesis import strategies as st

        odd = st.one_of(
            st.sampled_from(mutation.TOKENS), st.sampled_from(mutation.LINES), st.binary(max_size=12)
        )
        cut = st.tuples(st.floats(0, 1), st.integers(0, 40), odd)

        def damaged(data: bytes, cuts: list[tuple[float, int, bytes]]) -> bytes:
            for where, length, piece in cuts:
                place = int(where * len(data))
                data = data[:place] + piece + data[place + length :]
            return data

        found = st.builds(damaged, st.sampled_from(self.corpus), st.lists(cut, max_size=4)) | st.binary(
            max_size=200
        )
        return found | st.composite(frames.built)() if self.name in ("answer", "callback") else found


TARGETS = {
    target.name: target
    for target in (
        Target("answer", frames.check_answer, frames.answers, frames.damaged),
        Target("question", frames.check_question, frames.questions, frames.damaged),
        Target("callback", frames.check_callback, frames.callbacks, frames.damaged),
        Target("packet", frames.check_packet, frames.packets, mutation.of_msgpack),
        Target("reply", frames.check_reply, frames.packets, mutation.of_msgpack),
        Target("zip", files.reading("hw.zip", ".py", ".ipynb", "the zip"), files.zips, mutation.of_zip),
        Target("cohort", files.check_cohort, files.zips, mutation.of_zip),
        Target("notebook", files.reading("attention.ipynb"), files.notebooks, mutation.of_json),
        Target("script", files.reading("attention.py"), files.scripts, mutation.of_lines),
        Target("words", files.reading("answers.md"), files.words, mutation.of_lines),
        Target("assignment", files.check_assignment, files.assignments, mutation.of_lines),
        Target("sheet", files.check_sheet, files.sheets, mutation.of_lines),
        Target("marks", files.check_marks, files.mark_files, mutation.of_json),
        Target("adjustments", files.check_adjustments, files.adjustment_files, mutation.of_json),
        Target("run", files.check_run, files.runs, mutation.of_json),
        Target("result", files.check_result, files.results, mutation.of_json),
    )
}
