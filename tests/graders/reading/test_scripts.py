"""Scripts in every encoding and state in which students save them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from graders.reading import ReadingLimits, Submission, UnreadableSubmission, read_submission

SOURCE = 'def name():\n    return "é"\n'


def read(folder: Path, data: bytes, name: str = "attention.py") -> Submission:
    (folder / name).write_bytes(data)
    return read_submission(folder / name)


def why_not(folder: Path, data: bytes, name: str = "attention.py") -> str:
    with pytest.raises(UnreadableSubmission) as caught:
        read(folder, data, name)
    return str(caught.value)


def result_of(submission: Submission) -> object:
    """Run our own harmless source, as a guest would."""
    space: dict[str, object] = {}
    exec(compile(submission.programs[0].cells[0], "attention.py", "exec"), space)
    return space["name"]()  # type: ignore[operator]


def test_a_plain_script_is_one_cell_and_needs_no_note(tmp_path: Path) -> None:
    submission = read(tmp_path, SOURCE.encode())
    (program,) = submission.programs
    assert (program.kind, program.path, program.cells) == ("script", "attention.py", (SOURCE,))
    assert submission.files == {"attention.py": SOURCE.encode()}
    assert submission.notes == ()
    assert submission.content_hash.startswith("sha256:")


@pytest.mark.parametrize(
    ("data", "noted"),
    [
        (b"\xef\xbb\xbf" + SOURCE.encode(), ""),
        (SOURCE.encode("utf-16"), "UTF-16"),
        (SOURCE.encode("utf-16-le"), "UTF-16"),
        (SOURCE.encode("utf-16-be"), "UTF-16"),
        (SOURCE.encode("utf-32"), "UTF-32"),
        (SOURCE.encode("latin-1"), "Windows-1252"),
        (b"# -*- coding: latin-1 -*-\n" + SOURCE.encode("latin-1"), ""),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n" + SOURCE.encode("cp1252"), ""),
        (b"# coding: no-such-codec\n" + SOURCE.encode(), "no-such-codec"),
        (b"# coding: utf-7\n" + SOURCE.encode(), "utf-7"),
        (b"# coding: ascii\n" + SOURCE.encode("latin-1"), "Windows-1252"),
        (b"\xef\xbb\xbf# coding: latin-1\n" + SOURCE.encode(), ""),
        (SOURCE.encode() + b"\x00" * 64, "null bytes"),
        (SOURCE.replace("\n", "\r\n").encode(), ""),
        (SOURCE.replace("\n", "\r").encode(), ""),
    ],
    ids=[
        "utf8-bom",
        "utf16-bom",
        "utf16-le",
        "utf16-be",
        "utf32",
        "latin1-undeclared",
        "latin1-declared",
        "second-line-declaration",
        "unknown-declaration",
        "utf7-declaration",
        "wrong-declaration",
        "bom-and-declaration",
        "null-bytes",
        "crlf",
        "cr",
    ],
)
def test_any_encoding_gives_the_text_that_was_meant(tmp_path: Path, data: bytes, noted: str) -> None:
    submission = read(tmp_path, data)
    assert result_of(submission) == "é"
    assert "\r" not in submission.programs[0].cells[0]
    assert noted in "".join(submission.notes)
    assert bool(submission.notes) == bool(noted)


@pytest.mark.parametrize("codec", ["utf-16", "latin-1"])
def test_a_rescued_helper_can_be_imported_and_keeps_its_hash(tmp_path: Path, codec: str) -> None:
    written = f"# coding: koi8-r\n{SOURCE}" if codec == "utf-16" else SOURCE
    first = read(tmp_path, written.encode(codec))
    stored = first.files["attention.py"]
    space: dict[str, object] = {}
    exec(compile(stored, "attention.py", "exec"), space)  # from bytes, as an import does
    assert space["name"]() == "é"  # type: ignore[operator]
    assert read(tmp_path, stored).content_hash != first.content_hash


def test_mostly_utf8_with_one_damaged_byte_stays_utf8(tmp_path: Path) -> None:
    submission = read(tmp_path, "# café, naïve, über\n".encode() + b"# \xff\nx = 1\n")
    assert "café, naïve, über" in submission.programs[0].cells[0]
    assert "damaged" in submission.notes[0]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"PK\x03\x04....[Content_Types].xml....word/document.xml", "a Word document"),
        (b"PK\x03\x04....archive/data.pkl", "a PyTorch checkpoint"),
        (b"PK\x03\x04....solution.py", "a zip archive"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a PNG picture"),
        (b"\x1f\x8b\x08\x00abc", "a gzip archive"),
        (b"\x7fELF\x02\x01\x01\x00", "a compiled Linux program"),
        (b"\x80\x04\x95\x10\x00", "a Python pickle"),
        (b"\xa7\x0d\x0d\x0a\x00\x00\x00\x00abc", "compiled Python"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"),
        (bytes(range(256)) * 20, "binary data"),
        (b"\x00\x01" * 500 + b"x", "binary data"),
    ],
)
def test_what_is_no_text_is_named_for_what_it_is(tmp_path: Path, data: bytes, found: str) -> None:
    message = why_not(tmp_path, data)
    assert message.startswith("attention.py ")
    assert found in message
    assert "a Python script (.py) or a notebook (.ipynb)" in message


def test_a_function_called_ftype_is_not_taken_for_a_film(tmp_path: Path) -> None:
    assert read(tmp_path, b"def ftype(): pass\n").programs


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("lee.docx", "a Word document"),
        ("lee.R", "an R script"),
        ("lee.txt", "a text file"),
        ("lee.xyz", "a .xyz file"),
    ],
)
def test_a_wrong_kind_of_file_is_named(tmp_path: Path, name: str, found: str) -> None:
    message = why_not(tmp_path, b"attention is all you need", name)
    assert name in message
    assert found in message
    assert "hand in the .py or .ipynb file" in message


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\x00\x00"])
@pytest.mark.parametrize("name", ["attention.py", "attention.ipynb"])
def test_an_empty_file_is_called_empty(tmp_path: Path, data: bytes, name: str) -> None:
    message = why_not(tmp_path, data, name)
    assert "is empty" in message or "nothing but blank space" in message


@pytest.mark.parametrize("name", ["attention.py.txt", "attention.txt", "attention"])
def test_a_script_under_another_extension_is_read_with_a_note(tmp_path: Path, name: str) -> None:
    submission = read(tmp_path, b"import torch\n\ndef f():\n    pass\n", name)
    assert submission.programs[0].kind == "script"
    assert "call it .py" in submission.notes[0]


def test_a_script_called_ipynb_is_read_with_a_note(tmp_path: Path) -> None:
    submission = read(tmp_path, b"import torch\n\ndef f():\n    pass\n", "attention.ipynb")
    assert submission.programs[0].kind == "script"
    assert "not a notebook" in submission.notes[0]


def test_a_file_over_the_cap_is_refused_and_read_no_further(tmp_path: Path) -> None:
    path = tmp_path / "attention.py"
    with path.open("wb") as file:
        file.truncate(50 * 2**20)
    with pytest.raises(UnreadableSubmission, match=r"attention\.py holds 50\.0 MB, more than the 20\.0 MB"):
        read_submission(path)


def test_a_notebook_over_the_cap_is_told_to_clear_its_outputs(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b"{" + b" " * 2000)
    with pytest.raises(UnreadableSubmission, match="clear all outputs"):
        read_submission(tmp_path / "a.ipynb", limits=ReadingLimits(file_bytes=1000))


def test_a_million_parentheses_are_only_text_here(tmp_path: Path) -> None:
    assert read(tmp_path, b"x = " + b"(" * 1_000_000).programs


def test_a_missing_path_and_an_impossible_one_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSubmission, match=r"gone\.py does not exist; check the path\."):
        read_submission(tmp_path / "gone.py")
    for path in ("nul\x00byte.py", "x" * 4096 + ".py"):
        with pytest.raises(UnreadableSubmission, match="check the path") as caught:
            read_submission(path)
        assert len(str(caught.value)) < 300


def test_a_file_without_permission_is_a_sentence() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "attention.py"
        path.write_bytes(b"x = 1")
        path.chmod(0)
        user = os.geteuid()
        try:
            if user == 0:
                os.seteuid(65534)  # root may read everything
            with pytest.raises(UnreadableSubmission, match=r"may not be read by this user; permit it"):
                read_submission(path)
        finally:
            os.seteuid(user)


@pytest.mark.parametrize("kind", ["link", "pipe", "device"])
def test_nothing_but_a_regular_file_is_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "attention.py"
    if kind == "link":
        (tmp_path / "real.py").write_bytes(b"x = 1")
        path.symlink_to("real.py")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path = Path("/dev/zero")
    with pytest.raises(UnreadableSubmission, match=r"symbolic link|named pipe|device"):
        read_submission(path)


def test_an_odd_name_is_shown_and_stored_safely(tmp_path: Path) -> None:
    name = "a\u202egnp.\x1b[31m\nb\u0301.py"
    submission = read(tmp_path, b"x = 1", name)
    (stored,) = submission.files
    assert stored == "a_gnp._[31m_b\u0301.py"
    assert stored == submission.programs[0].path
    message = why_not(tmp_path, b"", name)
    assert "\n" not in message
    assert "\x1b" not in message
    assert "\u202e" not in message


def test_the_hash_follows_name_and_content(tmp_path: Path) -> None:
    hashes = {
        read(tmp_path, b"x = 1", "a.py").content_hash,
        read(tmp_path, b"x = 2", "a.py").content_hash,
        read(tmp_path, b"x = 1", "b.py").content_hash,
    }
    assert len(hashes) == 3
    assert read(tmp_path, b"x = 1", "a.py").content_hash in hashes


def test_a_text_by_another_name_hears_what_to_call_it_where_words_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "my thoughts.md"
    path.write_text("# Exercise 1\n\nThe shape is (8, 32, 32).\n")
    with pytest.raises(UnreadableSubmission, match=r"name it answers\.md"):
        read_submission(path, words="answers")
    assert read_submission(path, words="any").word_files
    with pytest.raises(UnreadableSubmission, match=r"Markdown text"):
        read_submission(path)
