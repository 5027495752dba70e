"""Every attempt of `documents/` in one cohort, graded and reported by the real command.

Nothing of a stranger's runs in a page, obeys a terminal or a spreadsheet, forges a line, or steers a path.
"""

from __future__ import annotations

import csv
import io
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graders.result import read_result
from reports.visible_text import visible_text
from tests.attest.conftest import attest_command, run_attest  # noqa: F401
from tests.hostile.attempts import EXERCISES, attempts
from tests.reports.conftest import browser  # noqa: F401
from tests.reports.page_tags import read_page

HONEST = EXERCISES / "pooling" / "solution" / "pooling.py"


@pytest.fixture(scope="module")
def graded(attest_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: F811
    """The folder that `attest grade` wrote, and what it printed."""
    folder = tmp_path_factory.mktemp("documents")
    cohort = folder / "cohort"
    cohort.mkdir()
    for attempt in attempts("documents"):
        runpy.run_path(str(attempt.path))["make"](cohort)
    for name in ("aaa honest", "zzz honest"):
        (cohort / f"{name}.py").write_text(HONEST.read_text())
    before = sorted(path.name for path in folder.iterdir())
    run = run_attest(
        attest_command, folder, "grade", EXERCISES / "pooling", cohort, "-o", "out", "--seed", "7"
    )
    assert run.returncode in (0, 1), run.stderr
    assert sorted(path.name for path in folder.iterdir()) == sorted([*before, "out"])
    return folder / "out", run


@pytest.fixture(scope="module")
def results(graded: Any) -> dict[str, Any]:
    out, _ = graded
    found = [read_result(path) for path in (out / "results").glob("*.json")]
    return {result.student.id: result for result in found}


def pages(out: Path) -> Iterator[Path]:
    yield out / "index.html"
    yield from sorted((out / "reports").glob("*.html"))


def test_nobody_gains_a_point_and_honest_work_has_all(results: dict[str, Any]) -> None:
    honest = {name for name in results if name.endswith(" honest")}
    assert len(honest) == 2
    for name, result in results.items():
        assert result.status == "graded", (name, result.internal)
        assert result.points == (10 if name in honest else 0), name
        assert result.pending_points == 0


def test_everybody_has_one_result_and_one_report(graded: Any, results: dict[str, Any]) -> None:
    out, run = graded
    assert len(results) >= len(attempts("documents"))
    assert len(list((out / "reports").glob("*.html"))) == len(results), run.stderr
    for path in out.rglob("*"):
        assert path.resolve().is_relative_to(out.resolve())
        assert not path.is_symlink()
        assert re.fullmatch(r"[\w.,~%@=+\- ]+", path.name), path.name


def test_a_page_is_text_but_for_what_is_ours(graded: Any) -> None:
    out, _ = graded
    for path in pages(out):
        html = path.read_text("utf-8")
        page = read_page(html)
        assert visible_text(html) == html, path
        assert len(page.all("script")) == (path.name == "index.html"), path
        for tag in ("iframe", "object", "embed", "link", "base", "foreignobject"):
            assert not page.all(tag), (path, tag)
        for element in page.elements:
            assert not [name for name in element.attributes if name.startswith("on") or name == "style"]
            for name in ("src", "href"):
                value = element.attributes.get(name, "#")
                assert value.startswith(("#", "reports/", "data:image/svg+xml;base64,")), (path, value)
        assert "1337" not in html, "a template was worked out"


def test_a_browser_runs_and_loads_nothing(graded: Any, browser: Any) -> None:  # noqa: F811
    out, _ = graded
    page = browser.new_page()
    heard: list[str] = []
    page.on("dialog", lambda dialog: (heard.append("dialog"), dialog.dismiss()))
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None
            if request.is_navigation_request() or request.url.startswith("data:")
            else heard.append(request.url)
        ),
    )
    for path in pages(out):
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert page.evaluate("window.ran") is None, path
        assert (
            page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        )
    page.close()
    assert heard == []


def test_a_terminal_shows_lines_of_ours(graded: Any, results: dict[str, Any]) -> None:
    _, run = graded
    for text in (run.stdout, run.stderr):
        assert visible_text(text) == text
        for line in text.splitlines():
            assert not re.match(r"\s*(::|##\[|##vso)", line), line
            assert not line.startswith("attest: finished"), line
    counted = re.findall(r"\[(\d+)/(\d+)\]", run.stderr)
    assert {total for _, total in counted} == {str(len(results))}


def test_a_spreadsheet_works_out_nothing(graded: Any, results: dict[str, Any]) -> None:
    out, _ = graded
    rows = list(csv.reader(io.StringIO((out / "grades.csv").read_text("utf-8"), newline="")))
    assert len(rows) == len(results) + 1
    assert len({len(row) for row in rows}) == 1
    for row in rows[1:]:
        for text in row:
            assert not re.match(r"\s*[=+@＝＋＠]|\s*-(?!\d+(\.\d+)?$)", text), text


def test_the_text_report_makes_no_structure(graded: Any) -> None:
    out, _ = graded
    for path in (out / "reports").glob("*.md"):
        text = path.read_text("utf-8").replace("\u2060", "")  # ours: it keeps mentions from being sent
        assert visible_text(text) == text
        fence = ""
        for line in text.splitlines():
            mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
            if not fence:
                fence = mark[1] if mark else ""
            elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            if not fence:
                assert not line.startswith(("::", "##[", "# 10/10")), (path, line)
                assert not re.search(r"(?<!\\)\]\(javascript:", line), (path, line)
                assert "<details open>" not in line, (path, line)
