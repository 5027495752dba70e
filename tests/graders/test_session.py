"""A session: collected once, quiet, repeatable, and no submission touches another."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders import casebook, grading
from graders.assignment import Assignment, read_assignment
from graders.reading import UnreadableSubmission, read_submission
from graders.result import Result, Status, Student
from graders.session import GradingSession, Job, collect_checks
from sandbox import Sandbox
from tests.graders.conftest import DATA, Grade, check, verdicts


def stable(result: Result) -> dict[str, object]:
    """What must be equal in two runs of one seed."""
    measured = {"seconds", "cpu_seconds", "peak_memory_bytes"}
    return result.model_dump(
        exclude={
            "started_at": True,
            "finished_at": True,
            "load": {"seconds"},
            "checks": {"__all__": measured},
        }
    )


def test_checks_are_collected_in_order_with_titles_and_points(tiny: Assignment) -> None:
    checks = collect_checks(tiny)
    assert [(one.id, one.points, one.public) for one in checks] == [
        ("tiny/test_total", 1, True),
        ("tiny/test_pool_example", 2, True),
        ("tiny/test_pool", 3, False),
        ("tiny/test_pool_without_padding", 1, False),
        ("tiny/test_total_leaves_its_input", 1, False),
        ("tiny/test_shift_gradient", 2, False),
    ]
    assert checks[0].title == "The total is the sum of all elements."


def test_public_checks_alone(grade: Grade, model: str) -> None:
    assert verdicts(grade(model, public_only=True)) == {"test_total": "passed", "test_pool_example": "passed"}


def test_exercises_with_test_files_of_equal_names(grade: Grade, model: str) -> None:
    both = read_assignment(DATA / "both")
    result = grade({"tiny.py": model, "pair.py": "def pair(x): return x, x"}, both)
    assert len(result.checks) == 14
    assert result.points == 15
    assert [exercise for exercise, _, _ in result.by_exercise()] == ["tiny", "careless"]


def test_one_seed_gives_one_result(grade: Grade, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine time would end the search for a smaller input, now here and now there.
    monkeypatch.setattr(casebook, "SHRINK_SECONDS", 300.0)
    monkeypatch.setattr(grading, "SHRINK_SUBMISSION_SECONDS", 300.0)
    wrong = model.replace("real.sum(dim=1)\n", "real.sum(dim=1).clamp(max=2)\n").replace(
        "return x + self.by", "return torch.nn.functional.dropout(x) + self.by"
    )
    first, again, other = grade(wrong), grade(wrong), grade(wrong, seed=2)
    assert stable(first) == stable(again)
    assert stable(first) != stable(other)
    assert first.seed == 1


def test_many_submissions_are_pulled_one_by_one_and_none_touches_another(
    sandbox: Sandbox, tiny: Assignment
) -> None:
    done: list[Result] = []

    def jobs() -> Iterator[Job]:
        for index, name in enumerate(
            ["solution/tiny", "variants/doubles_in_place", "solution/tiny", "starter/tiny"]
        ):
            assert len(done) == index
            yield Job(Student(id=str(index)), DATA / "tiny" / f"{name}.py")

    GradingSession(tiny, sandbox, 1).run(jobs(), done.append)
    assert [result.points for result in done] == [10, 9, 10, 0]
    assert stable(done[0])["checks"] == stable(done[2])["checks"]


def test_a_fault_of_jobs_or_sink_is_raised_as_it_is(sandbox: Sandbox, tiny: Assignment) -> None:
    session = GradingSession(tiny, sandbox, 1)

    def stop(_: Result) -> None:
        raise KeyboardInterrupt

    job = Job(Student(id="ada"), DATA / "tiny" / "solution" / "tiny.py")
    with pytest.raises(KeyboardInterrupt):
        session.run([job], stop)
    with pytest.raises(ZeroDivisionError):
        session.run((Job(Student(id="x"), Path()) for _ in range(1 // 0)), stop)


@pytest.mark.parametrize("broken", ["path", "exception"])
def test_an_unreadable_submission_has_every_check_and_no_point(
    sandbox: Sandbox, tiny: Assignment, tmp_path: Path, broken: str
) -> None:
    reason = UnreadableSubmission("essay.pdf is a PDF; hand in tiny.py.")
    submission: Path | UnreadableSubmission = tmp_path / "nothing" if broken == "path" else reason
    done: list[Result] = []
    GradingSession(tiny, sandbox, 1).run(
        [Job(Student(id="ada"), submission, "ada/essay.pdf", 3)], done.append
    )
    (result,) = done
    assert (result.status, result.points, result.max_points) == (Status.UNREADABLE, 0, 10)
    assert (result.submission.source, result.submission.attempt) == ("ada/essay.pdf", 3)
    assert {one.verdict.value for one in result.checks} == {"missing"}
    assert result.message


def test_a_fault_of_the_sandbox_gives_no_score_instead_of_none(tiny: Assignment) -> None:
    sandbox = Sandbox()
    sandbox.close()
    result = GradingSession(tiny, sandbox, 1).grade(Student(id="ada"), DATA / "tiny" / "solution" / "tiny.py")
    assert (result.status, result.checks, result.max_points) == (Status.NOT_GRADED, (), 0)
    assert result.internal is not None
    assert "closed" in result.internal
    assert "closed" not in result.message


def test_nothing_of_the_users_own_pytest_gets_in(
    grade: Grade,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "conftest.py").write_text("raise RuntimeError('imported')")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option")
    (tmp_path / "plugin.py").write_text("raise RuntimeError('imported')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("PYTEST_PLUGINS", "plugin")
    before = {path.name for path in tmp_path.iterdir()}
    result = grade(model.replace("    return x.sum()", "    print('noise')\n    return x.sum()"))
    assert result.points == 10
    assert capfd.readouterr() == ("", "")
    assert os.environ["PYTEST_ADDOPTS"] == "--no-such-option"
    assert {path.name for path in tmp_path.iterdir()} - before == {"submission"}


def test_a_test_that_prints_prints_nothing(
    grade: Grade, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "noisy"
    shutil.copytree(DATA / "careless", folder)
    (folder / "assignment.toml").write_text((folder / "assignment.toml").read_text().replace("= 8", "= 1"))
    (folder / "tests" / "test_hidden.py").write_text("")
    (folder / "tests" / "test_public.py").write_text(
        "import sys\nfrom graders import points\n\n\n@points(1)\ndef test_noise(student):\n"
        "    '''It prints.'''\n    print('secret')\n"
        "    print('secret', file=sys.stderr)\n    student.pair(1)\n"
    )
    result = grade("def pair(x): return x", read_assignment(folder))
    assert verdicts(result) == {"test_noise": "passed"}
    assert capfd.readouterr() == ("", "")


def test_a_result_says_what_was_handed_in_and_how_it_was_graded(grade: Grade, model: str) -> None:
    result = grade({"tiny.py": model, "notes.txt": "hello"})
    assert result.submission.files == ("notes.txt", "tiny.py")
    assert result.submission.content_hash.startswith("sha256:")
    assert (result.backend, result.device, result.assignment.id) == ("bubblewrap", "cpu", "tiny")
    assert set(result.versions) == {"attest", "torch", "python"}
    assert result.started_at <= result.finished_at


def test_a_session_grades_what_was_read_before(sandbox: Sandbox, tiny: Assignment) -> None:
    submission = read_submission(DATA / "tiny" / "solution")
    result = GradingSession(tiny, sandbox, 1).grade(Student(id="ada"), submission, source="ada")
    assert (result.points, result.submission.source) == (10, "ada")
    assert check(result, "test_total").verdict == "passed"
