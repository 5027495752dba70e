"""What is written whole outlasts the power: its content before it has its name, and then the name."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from graders.writing_whole import write_whole


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the disk was asked for, in order."""
    found: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        found.append("names" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "content")
        fsync(descriptor)

    def replaced(source: str, target: Path) -> None:
        found.append("name given")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    return found


def test_content_then_name_then_the_folders_names(tmp_path: Path, steps: list[str]) -> None:
    write_whole(tmp_path / "lena.json", b"{}")
    assert steps == ["content", "name given", "names"]


def test_what_can_be_made_again_waits_for_no_disk(tmp_path: Path, steps: list[str]) -> None:
    write_whole(tmp_path / "lena.html", b"<p>", synced=False)
    assert steps == ["name given"]


@pytest.mark.parametrize(("number", "raises"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_file_system_that_cannot_sync_names_is_no_error_and_a_broken_disk_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, raises: bool
) -> None:
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    if raises:
        with pytest.raises(OSError, match="Input/output error"):
            write_whole(tmp_path / "lena.json", b"{}")
    else:
        write_whole(tmp_path / "lena.json", b"{}")
    assert (tmp_path / "lena.json").read_bytes() == b"{}"
