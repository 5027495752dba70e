"""Rubric items: what assignment.toml says of them, and what a Result says before and after marking."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graders.assignment import AssignmentError, read_assignment
from graders.marks import Mark, Marks, MarksError, answer_id, read_marks, write_marks
from graders.result import Result, RubricResult, Student, Verdict
from graders.session import GradingSession, collect_checks
from sandbox import Sandbox

DATA = Path(__file__).with_name("data")
RUBRIC = """
[prose]
headings = ["Exercise 1"]
asks = "Why?"

[rubric.why]
title = "Says why."
points = 4
guidance = "GUIDANCE"

[rubric.how]
title = "Says how."
points = 2.5
"""
WORDS = "# Exercise 1\n\nBecause padding is not zero.\n"
NOW = datetime(2026, 3, 2, tzinfo=UTC)

Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Copy the tiny exercise with `more` at the end of its table and 6.5 points more."""

    def make(more: str = RUBRIC, old: str = "points = 10", new: str = "points = 16.5") -> Path:
        made = Path(shutil.copytree(DATA / "tiny", tmp_path / "tiny"))
        table = made / "assignment.toml"
        assert old in table.read_text()
        table.write_text(table.read_text().replace(old, new, 1) + more)
        return made

    return make


@pytest.fixture
def grade(sandbox: Sandbox, folder: Folder, tmp_path: Path) -> Callable[..., Result]:
    """Grade files given by name."""
    assignment = read_assignment(folder())

    def grade(files: dict[str, str], **options: bool) -> Result:
        place = tmp_path / "work"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for name, text in files.items():
            (place / name).write_text(text)
        return GradingSession(assignment, sandbox, 1, **options).grade(Student(id="ada"), place)

    return grade


def test_the_tables_say_what_a_person_judges(folder: Folder) -> None:
    (exercise,) = read_assignment(folder()).exercises
    assert exercise.prose is not None
    assert (exercise.prose.headings, exercise.prose.asks) == (("Exercise 1",), "Why?")
    assert [(item.id, item.points) for item in exercise.rubric] == [("tiny/why", 4), ("tiny/how", 2.5)]
    assert exercise.rubric[0].guidance == "GUIDANCE"


def test_without_a_heading_the_title_is_one(folder: Folder) -> None:
    (exercise,) = read_assignment(folder('[rubric.a]\ntitle = "A."\npoints = 6.5\n')).exercises
    assert exercise.prose is not None
    assert exercise.prose.headings == ("A tiny exercise",)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[rubric.a]\npoints = 6.5\n", "the key 'rubric.a.title' is missing"),
        ('[rubric.a]\ntitle = "A."\n', "the key 'rubric.a.points' is missing"),
        ('[rubric.a]\ntitle = "A."\npoints = 0\n', "rubric.a.points: 0 was found, but"),
        ('[rubric.a]\ntitle = "A."\npoints = "4"\n', "rubric.a.points: '4' was found, but"),
        ('[rubric."a b"]\ntitle = "A."\npoints = 4\n', "rubric.a b"),
        ('[prose]\nheading = "A"\n', r"unknown key 'prose.heading'; known in \[prose\] are: asks, headings"),
        ("[prose]\nheadings = []\n", "prose.headings: .* was found, but"),
    ],
)
def test_a_faulty_table_is_named(folder: Folder, more: str, said: str) -> None:
    with pytest.raises(AssignmentError, match=said):
        read_assignment(folder(more))


def test_points_are_those_of_checks_and_rubric_items(folder: Folder) -> None:
    made = folder()
    assert len(collect_checks(read_assignment(made))) > 0
    table = made / "assignment.toml"
    table.write_text(table.read_text().replace("points = 16.5", "points = 10"))
    with pytest.raises(AssignmentError, match=r"rubric items add up to 16.5: .*4 \(\[rubric.why\]\)"):
        collect_checks(read_assignment(made))


def test_an_answer_waits_for_a_person(grade: Callable[..., Result], model: str) -> None:
    result = grade({"tiny.py": model, "answers.md": WORDS})
    assert (result.points, result.max_points, result.pending_points) == (10, 16.5, 6.5)
    assert [item.points for item in result.rubric] == [None, None]
    (answer,) = result.answers
    assert answer.pieces[0].text.endswith("Because padding is not zero.")


def test_without_an_answer_nothing_waits(grade: Callable[..., Result], model: str) -> None:
    result = grade({"tiny.py": model, "answers.md": "# Exercise 1\n\nWhy?\n"})
    assert (result.points, result.pending_points) == (10, 0)
    assert [(item.points, item.answered) for item in result.rubric] == [(0, False), (0, False)]
    assert result.rubric[0].comment.startswith("No answer was found. Write it")


def test_answers_alone_are_a_submission_whose_code_is_missing(grade: Callable[..., Result]) -> None:
    result = grade({"answers.md": WORDS})
    assert result.status == "graded"
    assert {check.verdict for check in result.checks} <= {Verdict.MISSING, Verdict.SKIPPED}
    assert any("no code was handed in" in check.message for check in result.checks)
    assert result.pending_points == 6.5


def test_public_checks_show_what_waits_too(grade: Callable[..., Result], model: str) -> None:
    result = grade({"tiny.py": model, "answers.md": WORDS}, public_only=True)
    assert [item.id for item in result.rubric] == ["tiny/why", "tiny/how"]


def test_what_cannot_be_read_has_no_answer(grade: Callable[..., Result]) -> None:
    result = grade({"tiny.py": ""})
    assert result.status == "unreadable"
    assert (result.max_points, result.points, result.pending_points) == (16.5, 0, 0)


def test_a_check_may_read_the_words(folder: Folder, sandbox: Sandbox, tmp_path: Path) -> None:
    made = folder()
    (made / "tests" / "test_public.py").write_text(
        "from graders import fail, points\n\n\n@points(3)\ndef test_words(student):\n"
        '    """Words."""\n    fail(f"<{student.written}>")\n'
    )
    (tmp_path / "answers.md").write_text(WORDS)
    session = GradingSession(read_assignment(made), sandbox, 1, public_only=True)
    (check,) = session.grade(Student(id="ada"), tmp_path / "answers.md").checks
    assert check.message == "<Because padding is not zero.>"


def mark(item: str = "tiny/why", points: float = 3.5, answer: str = "x", **fields: str) -> Mark:
    return Mark(student="ada", item=item, points=points, answer=answer, marked_at=NOW, **fields)


@pytest.fixture
def waiting(grade: Callable[..., Result], model: str) -> Result:
    return grade({"tiny.py": model, "answers.md": WORDS})


def of(result: Result, name: str) -> RubricResult:
    return next(item for item in result.rubric if item.id == f"tiny/{name}")


def test_marks_are_laid_over_a_result_and_again_over_the_next(waiting: Result) -> None:
    marks = Marks({}).with_marks([mark(answer=answer_id(waiting.answers[0].content_hash), comment="Good.")])
    marked = marks.applied(waiting)
    item = of(marked, "why")
    assert (item.points, item.comment, item.marked_at, item.answer_changed) == (3.5, "Good.", NOW, False)
    assert (marked.points, marked.pending_points) == (13.5, 2.5)
    assert marks.applied(marked) is marked


def test_a_mark_stays_where_the_answer_has_changed_and_the_result_says_so(waiting: Result) -> None:
    item = of(Marks({}).with_marks([mark(answer="another")]).applied(waiting), "why")
    assert (item.points, item.answer_changed) == (3.5, True)


def test_a_mark_that_is_more_than_the_item_is_worth_now_makes_it_wait(waiting: Result) -> None:
    marks = Marks({}).with_marks([mark(points=5)])
    assert of(marks.applied(waiting), "why").waits
    assert len(marks) == 1


def test_a_mark_taken_away_makes_the_item_wait_again(waiting: Result) -> None:
    marked = Marks({}).with_marks([mark()]).applied(waiting)
    assert Marks({}).applied(marked) == waiting


def test_an_item_without_an_answer_may_be_marked_all_the_same(waiting: Result) -> None:
    item = of(waiting, "why").model_copy(update={"answered": False, "points": 0.0})
    result = waiting.model_copy(update={"rubric": (item,), "answers": ()})
    assert Marks({}).with_marks([mark()]).applied(result).rubric[0].points == 3.5


def test_marks_are_written_and_read_again(tmp_path: Path) -> None:
    assert len(read_marks(tmp_path)) == 0
    marks = Marks({}).with_marks([mark(comment="Zwölf: ✓\nzwei"), mark("tiny/how", 1)])
    write_marks(marks, tmp_path)
    assert sorted(read_marks(tmp_path), key=lambda one: one.item) == sorted(marks, key=lambda one: one.item)


def test_a_damaged_file_of_marks_stops_everything(tmp_path: Path) -> None:
    (tmp_path / "marks.json").write_text('{"schema_version": 1, "marks": [')
    with pytest.raises(MarksError, match=r"marks\.json: the marks that people gave cannot be read"):
        read_marks(tmp_path)


def test_only_words_need_neither_names_nor_files(folder: Folder) -> None:
    made = folder("", 'names = ["total", "pool", "Shift"]\nfiles = ["tiny.py"]\n', "")
    with pytest.raises(AssignmentError, match="names is missing or empty"):
        read_assignment(made)
    table = made / "assignment.toml"
    table.write_text(table.read_text() + RUBRIC)
    assignment = read_assignment(made)
    assert (assignment.words, assignment.files) == ("any", ("answers.md",))
    assert replace(assignment, exercises=()).words == "none"
