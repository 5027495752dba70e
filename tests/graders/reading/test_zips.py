"""Zips, honest and hostile. Nothing may be written, followed, unpacked without bound or silently lost."""

from __future__ import annotations

import io
import os
import stat
import struct
import time
import zipfile
from pathlib import Path

import pytest

from graders.reading import ReadingLimits, Submission, UnreadableSubmission, read_submission


def entry(name: str, mode: int | None = None) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("placeholder")
    info.filename = info.orig_filename = name  # as a hostile tool writes it, unchanged
    if mode is not None:
        info.create_system = 3
        info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def packed(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name if isinstance(name, zipfile.ZipInfo) else entry(name), data)
    return buffer.getvalue()


def read(folder: Path, data: bytes, limits: ReadingLimits = ReadingLimits()) -> Submission:  # noqa: B008
    (folder / "lee.zip").write_bytes(data)
    before = sorted(folder.rglob("*"))
    try:
        return read_submission(folder / "lee.zip", ["attention.py"], limits=limits)
    finally:
        assert sorted(folder.rglob("*")) == before, "reading wrote something"


def why_not(folder: Path, data: bytes, limits: ReadingLimits = ReadingLimits()) -> str:  # noqa: B008
    with pytest.raises(UnreadableSubmission) as caught:
        read(folder, data, limits)
    return str(caught.value)


GOOD = ("attention.py", b"x = 1")


def test_a_zip_reads_like_the_folder_it_was_made_of(tmp_path: Path) -> None:
    zipped = read(
        tmp_path,
        packed(("hw/attention.py", b"import masks"), ("hw/masks.py", b"x = 1"), ("hw/d/t.csv", b"1")),
    )
    folder = tmp_path / "hw"
    (folder / "d").mkdir(parents=True)
    (folder / "attention.py").write_bytes(b"import masks")
    (folder / "masks.py").write_bytes(b"x = 1")
    (folder / "d" / "t.csv").write_bytes(b"1")
    assert read_submission(folder, ["attention.py"]) == zipped


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("hostile", "said"),
    [
        (("../../evil.py", b"y"), "points outside the zip"),
        (("/etc/evil.py", b"y"), "points outside the zip"),
        (("C:\\Windows\\evil.py", b"y"), "points outside the zip"),
        (("c:evil.py", b"y"), "points outside the zip"),
        (("a\\..\\..\\evil.py", b"y"), "points outside the zip"),
        (("\\\\server\\share\\evil.py", b"y"), "points outside the zip"),
        ((entry("link.py", stat.S_IFLNK | 0o777), b"/etc/passwd"), "symbolic link"),
        ((entry("device.py", stat.S_IFCHR | 0o666), b""), "a device"),
        ((entry("pipe.py", stat.S_IFIFO | 0o666), b""), "a named pipe"),
        (("inner.zip", packed(GOOD)), "a zip inside the submission, which is not opened"),
        (("x/" * 40 + "deep.py", b"y"), "16 folders deep"),
    ],
)
def test_a_hostile_entry_is_left_out_and_the_rest_is_read(
    tmp_path: Path, hostile: tuple[str | zipfile.ZipInfo, bytes], said: str
) -> None:
    submission = read(tmp_path, packed(hostile, GOOD))
    assert dict(submission.files) == {"attention.py": b"x = 1"}
    assert said in submission.notes[0]
    assert said in why_not(tmp_path, packed(hostile))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_doubled_names_the_last_counts_and_it_is_said(tmp_path: Path) -> None:
    submission = read(tmp_path, packed(("attention.py", b"x = 1"), ("attention.py", b"x = 2")))
    assert submission.files["attention.py"] == b"x = 2"
    assert "More than one file is called attention.py" in submission.notes[0]


def test_names_that_differ_in_capitals_or_normal_form(tmp_path: Path) -> None:
    submission = read(
        tmp_path, packed(("A.py", b"x = 1"), ("a.py", b"x = 2"), ("e\u0301.py", b"y"), ("\u00e9.py", b"z"))
    )
    assert dict(submission.files) == {"A.py": b"x = 1", "a.py": b"x = 2", "\u00e9.py": b"z"}
    assert any("differ only in capitals" in note for note in submission.notes)


def test_a_file_that_is_also_a_folder_yields(tmp_path: Path) -> None:
    submission = read(tmp_path, packed(("attention.py", b"x"), ("attention.py/inner.py", b"y = 1")))
    assert set(submission.files) == {"attention.py/inner.py"} or set(submission.files) == {"inner.py"}


def test_windows_separators_make_folders(tmp_path: Path) -> None:
    assert set(read(tmp_path, packed(("hw\\attention.py", b"x = 1"), ("hw\\data\\t.csv", b"1"))).files) == {
        "attention.py",
        "data/t.csv",
    }


def test_utf8_names_that_are_not_declared_are_read_as_meant(tmp_path: Path) -> None:
    name = "exercício.py"
    stand_in = packed(("AAAAAAAAAA.py", b"x = 1"), GOOD)
    assert name in read(tmp_path, stand_in.replace(b"AAAAAAAAAA.py", name.encode())).files
    assert "exercício_.py" in read(tmp_path, stand_in.replace(b"AAAAAAAAAA.py", b"exerc\xa1cio_.py")).files


def test_a_bomb_by_ratio_is_not_unpacked(tmp_path: Path) -> None:
    message = why_not(tmp_path, packed(("attention.py", b"\x00" * 15_000_000)))
    assert "would unpack from" in message
    submission = read(tmp_path, packed(GOOD, ("zeros.bin", b"\x00" * 15_000_000)))
    assert set(submission.files) == {"attention.py"}


def test_a_bomb_by_size_stops_at_the_cap(tmp_path: Path) -> None:
    block = os.urandom(64) * 8
    limits = ReadingLimits(file_bytes=100_000, total_bytes=250_000)
    submission = read(
        tmp_path,
        packed(GOOD, *((f"d{i}.bin", block * 180) for i in range(20)), ("big.bin", block * 400)),
        limits,
    )
    assert sum(map(len, submission.files.values())) <= 250_000
    assert any("big.bin was left out" in note for note in submission.notes)


def test_a_size_that_lies_gains_nothing(tmp_path: Path) -> None:
    data = bytearray(packed(("attention.py", b"x = 1\n" * 10_000)))
    central = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, central + 24, 5)  # claims five bytes
    assert "damaged inside the zip" in why_not(tmp_path, bytes(data))


def test_a_hundred_thousand_entries_are_refused_quickly(tmp_path: Path) -> None:
    record = (
        struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 3, 20, 0, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
        + b"a"
    )
    count = 100_000
    end = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, count & 0xFFFF, count & 0xFFFF, len(record) * count, 0, 0
    )
    started = time.monotonic()
    assert "more than 20,000 files; zip only what you wrote" in why_not(tmp_path, record * count + end)
    assert time.monotonic() - started < 3


def test_an_encrypted_zip_asks_for_one_without_a_password(tmp_path: Path) -> None:
    data = bytearray(packed(GOOD))
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    assert "attention.py is protected by a password; make the zip again without a password" in why_not(
        tmp_path, bytes(data)
    )


def test_an_unusual_method_is_named(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("attention.py", "x = 1")
    assert "make the zip again in the usual way" in why_not(tmp_path, buffer.getvalue())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "lee.zip is empty (0 bytes)"),
        (packed(), "lee.zip holds no files"),
        (packed(GOOD)[:-10], "damaged or cut short"),
        (packed(GOOD)[10:], "attention.py is damaged inside the zip"),
        (b"Rar!\x1a\x07\x01\x00", "lee.zip is a RAR archive, not a zip"),
        (b"no zip at all", "damaged or cut short"),
        (packed(("report.pdf", b"%PDF-1.4")), "lee.zip holds report.pdf (a PDF document), but not"),
        (packed(("__MACOSX/._attention.py", b"x")), "lee.zip holds no files"),
    ],
)
def test_a_zip_without_a_program_says_why(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in why_not(tmp_path, data)


def test_a_zip_over_its_cap_is_not_opened(tmp_path: Path) -> None:
    assert "that a zip may hold; zip only what you wrote" in why_not(
        tmp_path, packed(GOOD), ReadingLimits(archive_bytes=50)
    )


def test_a_very_long_name_is_shortened_and_keeps_its_extension(tmp_path: Path) -> None:
    (name,) = read(tmp_path, packed(("é" * 4096 + ".py", b"x = 1"))).files
    assert name.endswith(".py")
    assert len(name.encode()) < 255
