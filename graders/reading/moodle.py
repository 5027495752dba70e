"""Moodle's "Download all submissions": a folder per student and kind of submission.

    Jane Doe_23_assignsubmission_file/attention.py             Moodle 4.1 and later
    Jane Doe_23_assignsubmission_file_/attention.py            before
    Jane Doe_23_assignsubmission_file_attention.py             not in folders
    Jane Doe_23_assignsubmission_onlinetext/onlinetext.html    typed into Moodle
    Group A-Jane Doe_23_…                                      with groups
    Participant_23_…                                           blind marking, in the teacher's language

The number is the participant's in this assignment, as in the grading worksheet; it is not the user's id.
Moodle writes blanks for the underscores of a name.
"""

from __future__ import annotations

import re
from collections import defaultdict

from graders.reading.container import Container, Member, safe_name
from graders.reading.hand_in import HandIn, Reading

PATTERN = "NAME_NUMBER_assignsubmission_file/FILE"
_ENTRY = re.compile(
    r"(?P<name>[^/]*?)_(?P<participant>\d{1,12})_assignsubmission_(?P<plugin>[a-z]+)(?:_?/|_)(?P<file>.+)",
    re.DOTALL,
)


def read(container: Container) -> Reading:
    """Return what Moodle packed."""
    found: dict[str, list[tuple[re.Match[str], Member]]] = defaultdict(list)
    strangers = []
    for piece in container.pieces:
        match = _ENTRY.fullmatch(piece.name)
        if match is None:
            strangers.append(piece)
        else:
            found[match["participant"]].append((match, _member(match, piece.place)))
    hand_ins = tuple(
        HandIn(
            label=f"{files[0][0]['name']}_{participant}" if files[0][0]["name"] else participant,
            members=tuple(member for _, member in files),
            source=files[0][0].string.rpartition("/")[0] or files[0][0].string,
            name=files[0][0]["name"],
            ids=(("moodle", participant),),
        )
        for participant, files in found.items()
    )
    return Reading(hand_ins, tuple(strangers))


def _member(match: re.Match[str], place: str) -> Member:
    if match["plugin"] == "onlinetext" and match["file"] == "onlinetext.html":
        return Member(place, "text_entry_answers.md", is_html=True)
    return Member(place, safe_name(match["file"]))
