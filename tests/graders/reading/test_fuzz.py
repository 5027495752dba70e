"""Whatever is handed in ends as a Submission or as one clear sentence, never as another exception."""

from __future__ import annotations

import io
import json
import tempfile
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from graders.reading import ReadingLimits, Submission, UnreadableSubmission, find_submissions, read_submission
from graders.reading.names import clean, relative_name, shown

TIGHT = ReadingLimits(
    file_bytes=20_000, total_bytes=50_000, archive_bytes=50_000, files=20, entries=50, cells=50
)
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"language": "python"}},
        "cells": [
            {"cell_type": "code", "source": ["x = 1\n", "y"], "outputs": [], "metadata": {}, "id": "a"},
            {"cell_type": "markdown", "source": "é", "metadata": {}},
        ],
    }
).encode()
OLD_NOTEBOOK = (Path(__file__).parent / "data" / "nbformat3.ipynb").read_bytes()


def zip_of(entries: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, data) in enumerate(entries):
            info = zipfile.ZipInfo(f"{number}")
            info.filename = name
            archive.writestr(info, data)
    return buffer.getvalue()


ZIP = zip_of([("hw/attention.py", b"x = 1"), ("hw/a.ipynb", NOTEBOOK)])


def is_one_sentence(message: str) -> bool:
    return message.endswith(".") and clean(message, "!") == message and len(message) < 600


def check(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        submission, message = None, ""
        try:
            submission = read_submission(path, ["attention.py"], names=["f"], limits=TIGHT)
        except UnreadableSubmission as error:
            message = str(error)
        if submission is None:
            assert is_one_sentence(message), message
        else:
            check_submission(submission)
        for found in find_submissions([path], ["attention.py"]).found if not name.endswith(".zip") else ():
            assert found.student.id == unicodedata.normalize("NFC", found.student.id)


def check_submission(submission: Submission) -> None:
    assert submission.programs
    assert sum(map(len, submission.files.values())) <= 3 * TIGHT.total_bytes  # latin-1 may grow in UTF-8
    for name in submission.files:
        assert relative_name(name) == name
    for program in submission.programs:
        assert program.path in submission.files
        assert program.cells
        "".join(program.cells).encode()
        assert "\x00" not in "".join(program.cells)
        assert not program.numbers or len(program.numbers) == len(program.cells)
    assert all(is_one_sentence(note) for note in submission.notes), submission.notes


def mutated(original: bytes) -> st.SearchStrategy[bytes]:
    """Cut, repeat, overwrite and insert in a valid file."""
    cuts = st.tuples(
        st.integers(0, len(original)),
        st.integers(0, len(original)),
        st.one_of(
            st.binary(max_size=8),
            st.sampled_from([b"null", b"[[[[", b"NaN", b'"', b"\xff\xfe", b"1e999", b"-1"]),
        ),
    )

    def apply(edits: list[tuple[int, int, bytes]]) -> bytes:
        data = original
        for start, end, piece in edits:
            data = data[:start] + piece + data[min(end, start + 12) if start < end else start :]
        return data

    return st.lists(cuts, max_size=5).map(apply)


@unhurried
@given(st.sampled_from(["attention.py", "a.ipynb", "a.zip", "a.txt", "a.json", "a"]), st.binary(max_size=400))
@example("attention.py", b"\xff\xfe\x00")
@example("a.zip", b"PK\x05\x06" + b"\xff" * 18)
def test_random_bytes(name: str, data: bytes) -> None:
    check(name, data)


@unhurried
@given(
    st.sampled_from(["attention.py", "a.ipynb", "a.txt"]),
    st.text(max_size=200),
    st.sampled_from(["utf-8", "utf-16", "cp1252"]),
)
def test_random_text(name: str, text: str, codec: str) -> None:
    check(name, text.encode(codec, "replace"))


@unhurried
@given(st.one_of(mutated(NOTEBOOK), mutated(OLD_NOTEBOOK)))
def test_mutated_notebooks(data: bytes) -> None:
    check("a.ipynb", data)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
cells = st.one_of(
    json_values,
    st.dictionaries(
        st.sampled_from(["cell_type", "source", "input", "outputs", "metadata", "level"]),
        st.one_of(
            json_values,
            st.sampled_from(["code", "markdown", "heading"]),
            st.lists(st.text(max_size=5), max_size=3),
        ),
    ),
)


@unhurried
@given(
    st.one_of(st.integers(-1, 5), json_values),
    st.one_of(json_values, st.lists(cells, max_size=4)),
    st.one_of(
        json_values,
        st.lists(
            st.one_of(json_values, st.fixed_dictionaries({"cells": st.lists(cells, max_size=3)})), max_size=2
        ),
    ),
    json_values,
)
def test_notebooks_of_wrong_types(major: object, new: object, old: object, metadata: object) -> None:
    check("a.ipynb", json.dumps({"nbformat": major, "metadata": metadata, "cells": new}).encode())
    check("a.ipynb", json.dumps({"nbformat": major, "metadata": metadata, "worksheets": old}).encode())


@unhurried
@given(mutated(ZIP))
def test_mutated_zips(data: bytes) -> None:
    check("a.zip", data)


names = st.text(
    st.sampled_from("aB.é\u0301/\\:.. \u202e\x1b\n\x00~") | st.characters(codec="utf-8"),
    min_size=1,
    max_size=30,
)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@unhurried
@given(st.lists(st.tuples(names, st.binary(max_size=30)), max_size=8))
def test_zips_of_odd_names(entries: list[tuple[str, bytes]]) -> None:
    check("a.zip", zip_of([*entries, ("attention.py", b"x = 1")]))


@given(st.text())
def test_cleaning_is_final_and_showing_is_bounded(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert len(shown(text)) <= 80
    name = relative_name(text)
    assert name is None or relative_name(name) == name
