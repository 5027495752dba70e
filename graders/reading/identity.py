"""Students' ids from what their files are called, one id for each submission whatever they are called.

Two ids that differ only in capitals count as the same: files made from them would overwrite each other on
many computers, and a person takes them for one student.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from graders.reading.names import bare_stem, clean, listed, shown

_LONGEST_ID = 100

Named = tuple[str, bool, str]
"""A submission's file name, whether it is a folder, and its path relative to the cohort."""


def student_id(name: str, *, is_folder: bool) -> str:
    """Return "lee" for "lee.py", "lee.ipynb", "lee.zip" or the folder "lee"; NFC, one line, bounded."""
    return _bounded(name if is_folder else bare_stem(name))


def distinct_ids(named: Sequence[Named]) -> list[str]:
    """Return one id for each submission; where several would share one, theirs are made of their paths."""
    ids: dict[int, str] = {}
    taken: set[str] = set()
    groups = _groups(named)
    # First those who share no id: they keep theirs whatever others are called.
    for members in sorted(groups.values(), key=len):
        for index in members:
            name, is_folder, source = named[index]
            wish = student_id(name, is_folder=is_folder) if len(members) == 1 else _bounded(source)
            ids[index], number = wish, 2
            while ids[index].casefold() in taken:
                ids[index] = f"{wish} ({number})"
                number += 1
            taken.add(ids[index].casefold())
    return [ids[index] for index in range(len(named))]


def clashes(named: Sequence[Named]) -> list[str]:
    """Return a sentence for each id that several submissions share: their paths, and what they are now."""
    sentences = []
    ids = distinct_ids(named)
    for members in _groups(named).values():
        if len(members) > 1:
            shared = sorted({student_id(named[index][0], is_folder=named[index][1]) for index in members})
            what = f"the student id {shown(shared[0])}"
            if len(shared) > 1:
                what = f"student ids that differ only in capitals ({listed(shared)})"
            paths = listed([named[index][2] for index in members])
            sentences.append(
                f"{len(members)} submissions have {what}: {paths}; they are graded as "
                f"{listed([ids[index] for index in members])}, so rename or remove all but one."
            )
    return sentences


def _groups(named: Sequence[Named]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for index, (name, is_folder, _) in enumerate(named):
        groups[student_id(name, is_folder=is_folder).casefold()].append(index)
    return groups


def _bounded(text: str) -> str:
    one_line = " ".join(clean(text).split())
    if len(one_line) <= _LONGEST_ID:
        return one_line or "unnamed"
    mark = hashlib.sha256(one_line.encode()).hexdigest()[:8]
    return f"{one_line[: _LONGEST_ID - 9]}~{mark}"
