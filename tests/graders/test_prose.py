"""Answers in words are found wherever students write them, exactly as written, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from graders.assignment import Assignment, read_assignment
from graders.prose.finding import MOST_CHARACTERS, AnswerFinder, Found
from graders.prose.tables import Prose
from graders.reading import UnreadableSubmission, read_submission

DATA = Path(__file__).with_name("data")


def asking(assignment: Assignment, **headings: str) -> Assignment:
    """Return the assignment with words asked for in these exercises."""
    return replace(
        assignment,
        exercises=tuple(
            replace(one, prose=Prose((headings[one.id],), "Why?")) if one.id in headings else one
            for one in assignment.exercises
        ),
    )


ALONE = asking(read_assignment(DATA / "tiny"), tiny="Exercise 1")
BOTH = asking(read_assignment(DATA / "both"), tiny="Exercise 1", careless="Exercise 2")


def cell(text: str, kind: str = "markdown", *tags: str) -> dict[str, object]:
    more: dict[str, object] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "source": text, "metadata": {"tags": list(tags)} if tags else {}} | more


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)})


def find(folder: Path, assignment: Assignment, **files: str) -> dict[str, Found]:
    """Return what is found in files given by name, with two underscores for the dot."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    submission = read_submission(folder, assignment.files, words=assignment.words)
    return {one.exercise: one for one in AnswerFinder(assignment).find(submission)}


def texts(found: Found) -> list[str]:
    return [piece.text for piece in found.pieces]


@pytest.mark.parametrize(
    "heading",
    [
        "# Exercise 1",
        "## exercise 1:",
        "### Ex. 1",
        "#### My answer to **Exercise 1** (words)",
        "#Exercise 1",
        "**Exercise 1**",
        "Exercise 1:",
        "EXERCISE 1",
        "__Ex 1:__",
        "Exercise 1\n==========",
        "> Exercise 1)",
        "**Ex. 1** in short:",
    ],
)
def test_a_heading_is_what_a_student_makes_one(tmp_path: Path, heading: str) -> None:
    found = find(
        tmp_path, BOTH, answers__md=f"Before.\n\n{heading}\n\nThe words.\n\n# Exercise 2\n\nOther words.\n"
    )
    assert "The words." in found["tiny"].pieces[0].text
    assert "Before." not in found["tiny"].pieces[0].text
    assert "Other" not in found["tiny"].written
    assert texts(found["careless"]) == ["Other words."]


@pytest.mark.parametrize(
    "line",
    ["Exercise 1 asks for a shape.", "# Exercise 12", "In Exercise 1: nothing", "```\n# Exercise 1\n```"],
)
def test_other_lines_are_no_headings(tmp_path: Path, line: str) -> None:
    assert not find(tmp_path, BOTH, answers__md=f"{line}\n\nThe words.\n")["tiny"].pieces


def test_an_answer_goes_on_over_smaller_headings_and_ends_at_the_next_of_its_level(tmp_path: Path) -> None:
    text = "## Exercise 1\n\nFirst.\n\n### A detail\n\nSecond.\n\n## Thanks\n\nBye.\n"
    found = find(tmp_path, BOTH, answers__md=text)["tiny"]
    assert texts(found) == ["First.\n\n### A detail\n\nSecond."]


def test_what_stands_in_the_heading_itself_is_kept(tmp_path: Path) -> None:
    found = find(tmp_path, BOTH, answers__md="## Exercise 1: (8, 32, 32)\n\nSince d vanishes.\n")["tiny"]
    assert texts(found) == ["## Exercise 1: (8, 32, 32)\n\nSince d vanishes."]
    assert "(8, 32, 32)" in found.written


def test_words_are_kept_exactly_as_written(tmp_path: Path) -> None:
    words = "  <b>So</b>:\n\n\n\t- one\\n   {{ two }}\n $x^2$ \u202ebidi  \n```\n# code\n```"
    found = find(tmp_path, BOTH, answers__md=f"# Exercise 1\n{words}\n")["tiny"]
    assert texts(found) == [words]


def test_cells_of_a_notebook_under_a_heading_are_joined_in_order(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        BOTH,
        work__ipynb=notebook(
            cell("# My work"),
            cell("## Exercise 1\n\nFirst."),
            cell("total = 1", "code"),
            cell("Second."),
            cell('"""Third, in a string."""', "code"),
            cell("## Exercise 2"),
            cell("Other."),
        ),
    )
    assert texts(found["tiny"]) == ["First.", "Second.", "Third, in a string."]
    assert [piece.where for piece in found["tiny"].pieces] == [
        "work.ipynb, Markdown cell 2",
        "work.ipynb, Markdown cell 3",
        "work.ipynb, code cell 2",
    ]
    assert texts(found["careless"]) == ["Other."]


def test_a_tagged_cell_needs_no_heading(tmp_path: Path) -> None:
    cells = cell("x = 1", "code"), cell("The words.", "markdown", "x", "TINY"), cell("Not these.")
    assert texts(find(tmp_path, BOTH, work__ipynb=notebook(*cells))["tiny"]) == ["The words."]


def test_a_notebook_without_code_is_a_submission_where_words_are_asked_for(tmp_path: Path) -> None:
    found = find(tmp_path, BOTH, work__ipynb=notebook(cell("# Exercise 1\n\nThe words.")))
    assert texts(found["tiny"]) == ["The words."]
    with pytest.raises(UnreadableSubmission, match="no code"):
        read_submission(tmp_path, ["tiny.py"])


def test_a_script_s_strings_count_under_a_heading(tmp_path: Path) -> None:
    source = '"""My work.\n\nExercise 1: the words.\n"""\nx = 1\n"""# Exercise 2\n\nOther words."""\n'
    found = find(tmp_path, BOTH, tiny__py=source)
    assert texts(found["tiny"]) == ["Exercise 1: the words."]
    assert texts(found["careless"]) == ["Other words."]
    assert found["careless"].pieces[0].where == "tiny.py, line 6"


def test_in_a_single_exercise_a_module_s_docstring_is_its_answer(tmp_path: Path) -> None:
    found = find(tmp_path, ALONE, tiny__py='"""Because padding is not zero."""\n')["tiny"]
    assert texts(found) == ["Because padding is not zero."]


def test_a_docstring_of_what_is_asked_for_may_be_the_answer(tmp_path: Path) -> None:
    why = "The sum is over the real rows alone, since padding rows in it would pull it towards zero."
    source = f'def total(x):\n    """{why}"""\n\n\ndef other(x):\n    """{why} Other."""\n'
    found = find(tmp_path, BOTH, tiny__py=source)["tiny"]
    assert texts(found) == [why]
    assert found.pieces[0].where == "tiny.py, docstring of total"


def test_a_short_docstring_is_no_answer(tmp_path: Path) -> None:
    source = 'def total(x):\n    """Return the sum (batch, d) over x."""\n'
    assert not find(tmp_path, BOTH, tiny__py=source)["tiny"].pieces


def test_in_a_single_exercise_an_answers_file_belongs_to_it_whole(tmp_path: Path) -> None:
    for name in ("answers__md", "ANSWERS__md", "Answers (1)__txt", "my_answers__markdown"):
        folder = tmp_path / name
        folder.mkdir()
        assert texts(find(folder, ALONE, **{name: "# Thoughts\n\nThe words.\n"})["tiny"]) == [
            "# Thoughts\n\nThe words."
        ]


def test_the_same_words_twice_are_one_piece(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        BOTH,
        answers__md="# Exercise 1\n\nThe words.\n",
        work__ipynb=notebook(cell("# Exercise 1\n\nThe words."), cell("x = 1", "code")),
    )
    assert texts(found["tiny"]) == ["The words."]


@pytest.mark.parametrize(
    "text", ["", "# Exercise 1\n", "# Exercise 1\n\nWhy?\n", "# Exercise 1\n\n_Your answer here_\n\nTODO\n"]
)
def test_what_was_there_before_the_student_is_no_answer(tmp_path: Path, text: str) -> None:
    found = find(tmp_path, BOTH, answers__md=text, tiny__py="x = 1\n")["tiny"]
    assert found.pieces == ()
    assert found.written == ""


def test_a_starter_handed_in_as_it_is_answers_nothing(tmp_path: Path) -> None:
    starter = DATA / "tiny" / "starter" / "tiny.py"
    assert not find(tmp_path, ALONE, tiny__py=starter.read_text())["tiny"].pieces


def test_the_question_is_shown_with_the_answer_but_is_not_the_student_s(tmp_path: Path) -> None:
    exercise = replace(ALONE.exercises[0], prose=Prose(("Exercise 1",), "Why do the heads vanish?"))
    found = find(
        tmp_path,
        replace(ALONE, exercises=(exercise,)),
        answers__md="# Exercise 1\n\nWhy do the heads vanish?\n\nThey are averaged.\n",
    )["tiny"]
    assert found.written == "They are averaged."
    assert "Why do the heads vanish?" in found.pieces[0].text


def test_a_long_answer_is_cut_with_a_note(tmp_path: Path) -> None:
    found = find(tmp_path, ALONE, answers__md="word " * 10_000)["tiny"]
    assert found.truncated
    assert sum(len(text) for text in texts(found)) == MOST_CHARACTERS


def test_a_document_that_is_not_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.docx").write_bytes(b"PK\x03\x04 word/ [Content_Types].xml")
    (tmp_path / "tiny.py").write_text("x = 1\n")
    submission = read_submission(tmp_path, BOTH.files, words=BOTH.words)
    (note,) = AnswerFinder(BOTH).notes(submission)
    assert note.startswith("answers.docx is a Word document, which is not read")


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_control_characters_are_left_out_of_words(tmp_path: Path, codec: str) -> None:
    (tmp_path / "answers.md").write_bytes(
        "# Exercise 1\n\nThe\a \b\bheads are\x01\x7f averaged.\n".encode(codec)
    )
    (tmp_path / "tiny.py").write_text("x = 1\n")
    submission = read_submission(tmp_path, ALONE.files, words=ALONE.words)
    finder = AnswerFinder(ALONE)
    assert [one.written for one in finder.find(submission)] == ["The heads are averaged."]
    assert finder.notes(submission) == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 word/ [Content_Types].xml", "answers.md is a Word document, not a plain text file; "),
        (bytes(range(256)) * 20, "answers.md holds binary data, not a plain text file; "),
        (b"\x00\x00 ", "answers.md holds nothing but blank space"),
    ],
)
def test_a_file_of_words_that_cannot_be_read_is_named_with_the_reason(
    tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "answers.md").write_bytes(data)
    (tmp_path / "tiny.py").write_text("x = 1\n")
    submission = read_submission(tmp_path, ALONE.files, words=ALONE.words)
    (note,) = AnswerFinder(ALONE).notes(submission)
    assert note.startswith(f"No answer was read from answers.md: {said}")


@pytest.mark.parametrize(
    "source", ["def total(:\n", "x = '''\n", "\x00", "(" * 5_000, '"""' + "# Exercise 1\n" * 5_000 + '"""']
)
def test_no_source_stops_the_search(tmp_path: Path, source: str) -> None:
    find(tmp_path, BOTH, tiny__py=f"y = 1\n{source}", answers__md="# Exercise 2\n\nwords\n")


def test_reading_runs_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    source = f'"""Exercise 1: words."""\nopen({str(mark)!r}, "w")\n'
    find(tmp_path, BOTH, tiny__py=source)
    assert not mark.exists()


def test_words_alone_are_unreadable_where_code_alone_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "answers.md").write_text("words")
    with pytest.raises(UnreadableSubmission):
        read_submission(tmp_path, ["tiny.py"])


def test_any_text_file_is_no_submission_where_code_is_asked_for_too(tmp_path: Path) -> None:
    (tmp_path / "essay.txt").write_text("words")
    with pytest.raises(UnreadableSubmission):
        read_submission(tmp_path, BOTH.files, words=BOTH.words)
    assert read_submission(tmp_path, words="any").word_files == ("essay.txt",)


def test_comments_of_a_script_count_under_a_heading(tmp_path: Path) -> None:
    source = (
        "# My work\nx = 1\n\n# Exercise 1\n#\n# The words,\n# and more.\n\ny = 2  # not these\n# nor these\n"
    )
    found = find(tmp_path, BOTH, tiny__py=source)["tiny"]
    assert texts(found) == ["The words,\nand more."]
    assert found.pieces[0].where == "tiny.py, line 4"


def test_comments_are_no_answer_beside_one_that_stands_elsewhere(tmp_path: Path) -> None:
    source = "# Exercise 1\n# First the sum, then the mean.\nx = 1\n"
    found = find(tmp_path, BOTH, tiny__py=source, answers__md="# Exercise 1\n\nThe words.\n")["tiny"]
    assert texts(found) == ["The words."]


def test_a_text_with_a_name_counts_under_a_heading(tmp_path: Path) -> None:
    source = 'REASONS = """Exercise 1\n\nThe words.\n"""\nOTHER = """Not these."""\n'
    assert texts(find(tmp_path, BOTH, tiny__py=source)["tiny"]) == ["The words."]
