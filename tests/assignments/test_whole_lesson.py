"""The lesson handed in as one notebook: everything is found in it, and nothing disturbs anything else."""

import pytest

from attest.handout import handout_files
from benchmarks import lesson
from graders.limits import limits_of
from graders.result import Student, Verdict
from graders.session import GradingSession
from sandbox import Sandbox

from .conftest import LESSON


def one_notebook() -> str:
    return lesson.one_notebook(LESSON)


@pytest.fixture(scope="module")
def grade(tmp_path_factory):
    def graded(text):
        path = tmp_path_factory.mktemp("lesson") / "lesson.ipynb"
        path.write_text(text, encoding="utf-8")
        with Sandbox("bubblewrap", limits_of(LESSON)) as sandbox:
            return GradingSession(LESSON, sandbox, 11).grade(Student(id="whole"), path)

    return graded


def test_all_model_solutions_in_one_notebook_pass_every_check(grade):
    result = grade(one_notebook())
    assert {check.id: check.message for check in result.checks if check.verdict is not Verdict.PASSED} == {}
    assert (
        result.points + sum(item.max_points for item in result.rubric) == result.max_points == LESSON.points
    )


def test_the_notebook_that_students_start_from_earns_nothing(grade):
    result = grade(handout_files(LESSON)["lesson.ipynb"].decode())
    assert [check.id for check in result.checks if check.points] == []
    assert result.points == 0
    assert [item.id for item in result.rubric if item.points is None] == []
