"""What is told at once to hold nothing that can be graded; what might be work never is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from graders.reading import UnreadableSubmission, read_submission, why_no_work
from tests.graders.reading.packed import PROGRAM, packed, save

WANTED = ["attention.py", "weights.pt"]
CONTENT_TYPES = b'<?xml version="1.0"?><Types/>'
WORD = packed({"[Content_Types].xml": CONTENT_TYPES, "word/document.xml": b"<?xml version='1.0'?><w/>"})
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
PDF = b"%PDF-1.7\n" + bytes(40)
RAR = b"Rar!\x1a\x07\x01\x00" + bytes(40)
PICKLE = b"\x80\x04\x95" + bytes(40)
NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}).encode()
EXPECTED = "a Python script (.py) or a notebook (.ipynb)"
HAND_IN = "hand in the .py or .ipynb file itself."

NO_WORK = [
    ({"essay.docx": WORD}, f"essay.docx is a Word document, not {EXPECTED}; {HAND_IN}"),
    ({"attention.py.docx": WORD}, f"attention.py.docx is a Word document, not {EXPECTED}; {HAND_IN}"),
    ({"IMG_1.jpeg": b"\xff\xd8\xff" + bytes(9)}, f"IMG_1.jpeg is a JPEG picture, not {EXPECTED}; {HAND_IN}"),
    ({"work.pdf": PDF}, f"work.pdf is a PDF document, not {EXPECTED}; {HAND_IN}"),
    ({"photo": PNG}, f"photo is a PNG picture, not {EXPECTED}; {HAND_IN}"),
    ({"work.rar": RAR}, f"work.rar is a RAR archive, not {EXPECTED}; {HAND_IN}"),
    ({"work.zip": RAR}, f"work.zip is a RAR archive, not a zip; expected {EXPECTED}: {HAND_IN}"),
    ({"work.zip": packed({})}, f"work.zip holds no files; expected {EXPECTED}: {HAND_IN}"),
    (
        {"work.zip": packed({"__MACOSX/._a.py": b"x", ".DS_Store": b"x"})},
        f"work.zip holds no files; expected {EXPECTED}: {HAND_IN}",
    ),
    (
        {"work.zip": packed({"hw/essay.docx": WORD, "hw/a.png": PNG, "hw/empty.dat": b""})},
        "work.zip holds a.png (a PNG picture), empty.dat (a .dat file), essay.docx (a Word document), "
        f"but not {EXPECTED}; {HAND_IN}",
    ),
    (
        {"essay.docx": WORD, "a.png": PNG},
        f"What came holds a.png (a PNG picture), essay.docx (a Word document), but not {EXPECTED}; {HAND_IN}",
    ),
]

MIGHT_BE_WORK = [
    {"attention.py": PROGRAM},
    {"attention.py": b"def ("},
    {"attention.py": PDF},  # it is called a script: a person may want to see it
    {"attention.ipynb": NOTEBOOK},
    {"attention.ipynb": NOTEBOOK[:40]},
    {"attention.ipynb.json": NOTEBOOK},
    {"notebook": NOTEBOOK},
    {"attention": PROGRAM},
    {"attention.txt": PROGRAM},
    {"attention.txt": PROGRAM.decode().encode("utf-16")},
    {"answers.md": b"Because it is scaled."},
    {"answers.md": b"<html>Because it is scaled.</html>"},
    {"notes.rst": b"Because it is scaled."},
    {"essay.tex": b"\\section{Because}"},
    {"attention.jl": b"f(x) = 2x"},
    {"unknown.bin": bytes(range(200))},
    {"weights.pt": PICKLE},  # asked for
    {"best.PT": PICKLE},
    {"work.zip": packed({"hw/attention.py": PROGRAM, "a.png": PNG})},
    {"work.zip": packed({"hw/answers.md": b"Because."})},
    {"work.zip": packed({"hw/attention.ipynb": NOTEBOOK[:40]})},
    {"work.zip": packed({"hw/more.zip": packed({"attention.py": PROGRAM})})},
    {"work.zip": packed({"hw/more.zip": packed({"attention.py": PROGRAM, "x.npy": b"x"})})},
    {"work.zip": packed({"attention.py": PROGRAM, "x.npy": b"x"})[:-30]},
    {"work.zip": packed({"attention.py": PROGRAM})[:-30]},
    {"work.zip": packed({"../attention.png": PNG})},
    {"work.zip": packed({".work/attention.py": PROGRAM})},
    {"work.zip": packed({f"{number}.png": PNG for number in range(2_000)})},
    {"more.zip": packed({"attention.py": PROGRAM}), "a.png": PNG},
    {"more": packed({"attention.py": PROGRAM})},
    {"more": packed({"attention.py": PROGRAM, "x.npy": b"x"})},
]


@pytest.mark.parametrize(("files", "sentence"), NO_WORK)
def test_what_holds_no_work_is_said_and_cannot_be_read_either(
    tmp_path: Path, files: Mapping[str, bytes], sentence: str
) -> None:
    assert why_no_work(files, WANTED) == sentence

    save(tmp_path / "files", files)
    path = tmp_path / "files" / next(iter(files)) if len(files) == 1 else tmp_path / "files"
    with pytest.raises(UnreadableSubmission):
        read_submission(path, WANTED, words="any")


@pytest.mark.parametrize("files", MIGHT_BE_WORK)
def test_what_might_be_work_is_never_said_to_be_none(files: Mapping[str, bytes]) -> None:
    assert why_no_work(files, WANTED) == ""
    for others, _ in NO_WORK:
        assert why_no_work({**others, **files}, WANTED) == ""


def test_a_file_that_is_not_asked_for_is_told_by_its_content() -> None:
    assert why_no_work({"weights.pt": PICKLE}) == f"weights.pt is a Python pickle, not {EXPECTED}; {HAND_IN}"
