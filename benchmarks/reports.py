"""How long documents take: `python -m benchmarks.reports [ROWS]`.

A student's page is rendered once per submission by the worker that graded it, so it must cost next to
nothing beside grading; the cohort's page must open quickly however large the class.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from graders.result import Student, write_result
from reports import grades_csv, index_html, report_name, student_html, student_markdown, write_reports
from tests.reports.made_results import EVERY_VERDICT, FULL, HUGE, NOTEBOOK, TYPICAL


def best_of(call: Callable[[], object], times: int) -> float:
    """Return the shortest of several runs in milliseconds: the one that was disturbed least."""
    shortest = float("inf")
    for _ in range(times):
        start = perf_counter()
        call()
        shortest = min(shortest, perf_counter() - start)
    return 1000 * shortest


def main(rows: int) -> None:
    """Print one line per measurement."""
    start = perf_counter()
    student_html(FULL)
    print(f"first page of a process    {1000 * (perf_counter() - start):8.1f} ms")
    for name, result in (("full marks", FULL), ("typical", TYPICAL), ("notebook", NOTEBOOK), ("huge", HUGE)):
        size = len(student_html(result).encode()) / 1000
        html, text = (best_of(lambda r=result, f=f: f(r), 50) for f in (student_html, student_markdown))  # type: ignore[misc]
        print(f"{name:<26} {html:8.2f} ms page ({size:.0f} kB), {text:.2f} ms text")
    kinds = (FULL, TYPICAL, NOTEBOOK, EVERY_VERDICT)
    cohort = [kinds[n % 4].model_copy(update={"student": Student(id=f"s{n:05}")}) for n in range(rows)]
    links = {result.student.id: f"reports/{report_name(result.student.id)}.html" for result in cohort}
    size = len(index_html(cohort, links).encode()) / 1e6
    index, grades = best_of(lambda: index_html(cohort, links), 3), best_of(lambda: grades_csv(cohort), 3)
    print(f"index.html, {rows:,} rows     {index:8.0f} ms ({size:.2f} MB)")
    print(f"grades.csv, {rows:,} rows     {grades:8.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "results").mkdir()
        for result in cohort[:500]:
            write_result(result, Path(folder) / "results" / f"{report_name(result.student.id)}.json")
        both = best_of(lambda: write_reports(Path(folder)), 1) / len(cohort[:500])
        print(f"write_reports, per student {both:8.2f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
