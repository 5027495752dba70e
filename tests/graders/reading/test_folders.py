"""Folders of several files: what is kept, what is graded first, and what is never opened."""

from __future__ import annotations

import json
import os
import socket
import zipfile
from pathlib import Path

import pytest

from graders.reading import ReadingLimits, UnreadableSubmission, read_submission

NOTEBOOK = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "def f(): pass"}]})


def write(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def paths(folder: Path, *wanted: str, names: tuple[str, ...] = ()) -> list[str]:
    return [program.path for program in read_submission(folder, wanted, names=names).programs]


def test_scripts_helpers_and_data_are_kept_together(tmp_path: Path) -> None:
    write(tmp_path, attention_DOT_py="import masks", masks_DOT_py="x = 1", data__tiny_DOT_csv="1,2")
    submission = read_submission(tmp_path, ["attention.py"])
    assert set(submission.files) == {"attention.py", "masks.py", "data/tiny.csv"}
    assert [program.path for program in submission.programs] == ["attention.py", "masks.py"]
    assert submission.notes == (
        "attention.py was graded; what it does not define was looked for in masks.py.",
    )


def test_the_files_asked_for_come_first_in_the_order_asked(tmp_path: Path) -> None:
    write(tmp_path, attention_DOT_ipynb=NOTEBOOK, attention_DOT_py="x = 1", big_DOT_py="y = 1\n" * 500)
    assert paths(tmp_path, "attention.py", "attention.ipynb")[:2] == ["attention.py", "attention.ipynb"]
    assert paths(tmp_path, "attention.ipynb", "attention.py")[:2] == ["attention.ipynb", "attention.py"]


@pytest.mark.parametrize(
    "name", ["Attention.py", "attention (1).py", "attention copy.py", "attention-2.py", "sub/attention.py"]
)
def test_a_copy_of_the_file_asked_for_is_recognised(tmp_path: Path, name: str) -> None:
    write(tmp_path, zz_DOT_py="y = 1\n" * 500)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("x = 1")
    assert paths(tmp_path, "attention.py")[0] == name


def test_what_defines_the_names_asked_for_comes_before_what_is_bigger(tmp_path: Path) -> None:
    write(
        tmp_path,
        final_DOT_py="def causal_mask(length):\n    pass\n",
        scratch_DOT_py="y = causal_mask(3)\n" * 500,
    )
    assert paths(tmp_path, names=("causal_mask",)) == ["final.py", "scratch.py"]


def test_what_others_import_and_tests_come_after_what_imports_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        layers_DOT_py="y = 1\n" * 500,
        main_DOT_py="from layers import y\n",
        test_main_DOT_py="import main\n" + "z = 1\n" * 900,
    )
    assert paths(tmp_path) == ["main.py", "layers.py", "test_main.py"]


def test_hidden_files_caches_and_virtual_environments_are_no_work(tmp_path: Path) -> None:
    write(
        tmp_path,
        attention_DOT_py="x = 1",
        __MACOSX___DOT__attention_DOT_py="y = 1",
        __DOT_ipynb_checkpoints__attention_DOT_py="y = 1",
        __DOT_hidden_DOT_py="y = 1",
        pycache="",
        myenv__pyvenv_DOT_cfg="",
        myenv__lib__x_DOT_py="y = 1",
    )
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "attention.py").write_text("y = 1")
    (tmp_path / "__MACOSX").mkdir(exist_ok=True)
    (tmp_path / "__MACOSX" / "real.py").write_text("y = 1")
    assert paths(tmp_path) == ["attention.py"]
    assert set(read_submission(tmp_path).files) == {"attention.py", "pycache"}


def test_links_pipes_sockets_and_devices_are_named_and_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "secret.py"
    outside.write_text("secret = 1")
    folder = write(tmp_path / "lee", attention_DOT_py="x = 1")
    (folder / "link.py").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.py")
    before = os.getcwd()
    os.chdir(folder)  # a socket's path must be short
    try:
        socket.socket(socket.AF_UNIX).bind("socket.py")
    finally:
        os.chdir(before)
    submission = read_submission(folder)
    assert set(submission.files) == {"attention.py"}
    assert sorted(note.split(" was left out: it is ")[1] for note in submission.notes) == [
        "a named pipe, not a file.",
        "a socket, not a file.",
        "a symbolic link, which is never followed.",
        "a symbolic link, which is never followed.",
    ]


def test_a_top_folder_is_stripped_but_a_package_is_not(tmp_path: Path) -> None:
    write(tmp_path, a__lee__hw__attention_DOT_py="x = 1", a__lee__hw__data_DOT_txt="1")
    assert set(read_submission(tmp_path / "a").files) == {"attention.py", "data.txt"}
    package = tmp_path / "b" / "model"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "attention.py").write_text("x = 1")
    assert set(read_submission(tmp_path / "b").files) == {"model/__init__.py", "model/attention.py"}


def test_one_broken_program_does_not_spoil_the_others(tmp_path: Path) -> None:
    write(tmp_path, attention_DOT_ipynb='{"nbformat": 4', masks_DOT_py="x = 1")
    submission = read_submission(tmp_path, ["attention.ipynb"])
    assert [program.path for program in submission.programs] == ["masks.py"]
    assert "attention.ipynb is cut short" in submission.notes[0]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "lee holds no files; expected a Python script (.py) or a notebook (.ipynb)"),
        ({"_DOT_DS_Store": "x"}, "lee holds no files"),
        (
            {"report_DOT_docx": "x", "plot_DOT_png": "y"},
            "lee holds plot.png (a PNG picture), report.docx (a Word document), but",
        ),
        ({"attention_DOT_ipynb": "{"}, "attention.ipynb is cut short"),
        ({"attention_DOT_py": ""}, "attention.py is empty"),
    ],
)
def test_a_folder_without_a_program_says_what_it_holds(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    folder = tmp_path / "lee"
    folder.mkdir()
    write(folder, **files)
    with pytest.raises(UnreadableSubmission) as caught:
        read_submission(folder)
    assert said in str(caught.value)


def test_caps_leave_out_the_rest_and_never_the_file_asked_for(tmp_path: Path) -> None:
    write(tmp_path, zz_attention_DOT_py="x = 1\n" * 50, **{f"a{i}_DOT_csv": "1" * 300 for i in range(20)})
    limits = ReadingLimits(total_bytes=1000)
    submission = read_submission(tmp_path, ["zz_attention.py"], limits=limits)
    assert "zz_attention.py" in submission.files
    assert sum(map(len, submission.files.values())) <= 1000
    assert "does not fit into the 1,000 bytes" in submission.notes[0]
    assert len(read_submission(tmp_path, limits=ReadingLimits(files=5)).files) == 5


def test_a_data_file_over_the_cap_is_left_out_with_a_note(tmp_path: Path) -> None:
    write(tmp_path, attention_DOT_py="x = 1")
    with (tmp_path / "weights.bin").open("wb") as file:
        file.truncate(30 * 2**20)
    submission = read_submission(tmp_path)
    assert set(submission.files) == {"attention.py"}
    assert submission.notes == (
        "weights.bin was left out: it holds 30.0 MB, more than the 20.0 MB that one file may hold.",
    )


def test_a_deep_folder_ends(tmp_path: Path) -> None:
    write(tmp_path, attention_DOT_py="x = 1")
    deep = tmp_path.joinpath(*["d"] * 40)
    deep.mkdir(parents=True)
    (deep / "deep.py").write_text("y = 1")
    submission = read_submission(tmp_path)
    assert set(submission.files) == {"attention.py"}
    assert "more than 16 folders deep" in submission.notes[0]


def test_a_crowded_folder_is_listed_only_up_to_the_cap(tmp_path: Path) -> None:
    for index in range(60):
        (tmp_path / f"n{index}.py").write_text("x = 1")
    submission = read_submission(tmp_path, limits=ReadingLimits(entries=50))
    assert len(submission.files) == 50
    assert "more than 50 files" in "".join(submission.notes)


def test_notes_are_few_whatever_is_in_the_folder(tmp_path: Path) -> None:
    write(tmp_path, attention_DOT_py="x = 1")
    for index in range(100):
        (tmp_path / f"link{index}").symlink_to("/etc/passwd")
    notes = read_submission(tmp_path).notes
    assert len(notes) == 21
    assert notes[-1] == "80 more notes like these were left out."


def test_a_zip_beside_other_files_is_opened_where_no_program_lies_there(tmp_path: Path) -> None:
    write(tmp_path, notes_DOT_txt="Please see the zip.")
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as packed:
        packed.writestr("work/attention.py", "x = 1")

    submission = read_submission(tmp_path, ["attention.py"])

    assert [program.path for program in submission.programs] == ["attention.py"]
    assert set(submission.files) == {"attention.py", "notes.txt"}
    write(tmp_path, attention_DOT_py="y = 1")
    assert read_submission(tmp_path).programs[0].cells == ("y = 1",)
