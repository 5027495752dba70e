"""From OUT/results to OUT/reports, OUT/index.html and OUT/grades.csv."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graders.result import Student, write_result
from reports import ReportError, report_name, write_reports, write_student_report
from tests.reports.hostile_results import HOSTILE, hostile
from tests.reports.made_results import ALL, FULL, TYPICAL
from tests.reports.page_tags import read_page


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "results").mkdir()
    for name, result in ALL.items():
        write_result(result, tmp_path / "results" / f"{name}.json")
    return tmp_path


def test_every_result_gets_a_page_and_a_text_and_the_cohort_its_two_files(out: Path) -> None:
    written = write_reports(out)
    assert written.problems == ()
    assert len(written.paths) == 2 * len(ALL) + 2
    for result in ALL.values():
        assert (out / "reports" / f"{report_name(result.student.id)}.html").is_file()
        assert (out / "reports" / f"{report_name(result.student.id)}.md").is_file()
    assert (out / "index.html").is_file()
    assert (out / "grades.csv").is_file()
    assert not list(out.rglob(".*"))


def test_every_link_of_the_index_leads_to_a_report(out: Path) -> None:
    for number, text in enumerate(HOSTILE[:-1]):  # the last holds a lone surrogate, which no JSON file can
        write_result(hostile(text), out / "results" / f"hostile{number}.json")
    assert write_reports(out).problems == ()
    page = read_page((out / "index.html").read_text("utf-8"))
    links = [a.attributes["href"] for a in page.all("a") if a.attributes["href"].startswith("reports/")]
    assert len({link.partition("#")[0] for link in links}) == len(ALL) + len(HOSTILE) - 1
    from urllib.parse import unquote

    anchors = set()
    for link in links:
        name, _, anchor = unquote(link).partition("#")
        report = read_page((out / name).read_text("utf-8"))
        assert not anchor or report.all("article", id=anchor)
        anchors.add(anchor)
    assert len(anchors) > 1
    assert {path.parent for path in (out / "reports").rglob("*")} == {out / "reports"}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"schema_version": 99}', b'{"schema_version": 1}', b"\xff\xfe", b"[" * 100_000],
)
def test_a_bad_result_file_is_named_and_never_stops_the_rest(out: Path, content: bytes) -> None:
    bad = out / "results" / "bad.json"
    bad.write_bytes(content)
    written = write_reports(out)
    (problem,) = written.problems
    assert str(bad) in problem
    assert len(written.paths) == 2 * len(ALL) + 2
    assert "bad.json" in read_page((out / "index.html").read_text("utf-8")).text


def test_two_results_of_one_student_are_both_named(out: Path) -> None:
    write_result(FULL, out / "results" / "again.json")
    (problem,) = write_reports(out).problems
    assert "full.json" in problem
    assert "again.json" in problem


def test_two_students_whose_ids_differ_in_case_have_two_pages(out: Path) -> None:
    write_result(
        FULL.model_copy(update={"student": Student(id="ADA", name="Other")}), out / "results" / "other.json"
    )
    write_reports(out)
    names = [path.name.casefold() for path in (out / "reports").glob("*.html")]
    assert len(names) == len(set(names)) == len(ALL) + 1


def test_the_cohorts_files_alone_can_be_written(out: Path) -> None:
    written = write_reports(out, pages=False)
    assert [path.name for path in written.paths] == ["index.html", "grades.csv"]
    page, text = write_student_report(TYPICAL, out)
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert text.read_text("utf-8").startswith("# ")


def test_an_output_folder_that_cannot_be_written_ends_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ReportError, match=r"file/reports: cannot be written .* Choose another output folder"):
        write_reports(tmp_path / "file")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
def test_a_page_is_whole_or_absent_when_the_disk_is_full(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fdopen

    def full(handle: int, mode: str) -> object:
        os.close(handle)
        return real(os.open("/dev/full", os.O_WRONLY), mode)

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(ReportError, match="No space left"):
        write_student_report(FULL, out)
    assert list((out / "reports").iterdir()) == []
