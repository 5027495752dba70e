"""How quick the page of a large cohort is: `python -m benchmarks.index_page [ROWS CHECKS]`.

A made cohort: every student has an ability, every check a difficulty, so that scores are spread as in a real
class; some checks diagnose, some students are slow. Measured are what the page costs to make, its size, and
in Chromium how long it takes to open, to sort and to filter, until the next picture is on the screen.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import exp
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from graders.result import (
    AssignmentInfo,
    CheckResult,
    Counterexample,
    Diagnosis,
    LoadResult,
    Result,
    ShownTensor,
    Student,
    SubmissionInfo,
    Verdict,
)
from reports.cohort import row_of
from reports.index_page import rows_html

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession
    from playwright.sync_api import Page as Tab

CHROMIUM = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
)
CHECKS_TO_AN_EXERCISE = 12

# Runs `act`, and answers with the milliseconds until the rows shown were counted again and painted.
UNTIL_PAINTED = """(act) => new Promise((resolve) => {
  const start = performance.now();
  new MutationObserver((_, self) => {
    self.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
  }).observe(document.getElementById("shown"), { childList: true, characterData: true, subtree: true });
  new Function("id", act)((name) => document.getElementById(name));
})"""
ACTS = {
    "sorted": "document.querySelector('th[data-key=score] button').click()",
    "filtered by name": "id('find').value = 's0012'; id('find').dispatchEvent(new Event('input'))",
    "filtered by check": (
        "id('find').value = ''; id('failing').selectedIndex = 1; "
        "id('failing').dispatchEvent(new Event('change'))"
    ),
    "no longer filtered": "id('clear').click()",
    "all shown": "id('all').click()",
}


@dataclass(frozen=True)
class Took:
    """What the browser did, how long that took, and how much of it the page's own thread computed."""

    what: str
    ms: float
    computing_ms: float


@dataclass(frozen=True)
class Figures:
    """One cohort's page. On a busy machine look at what was computed, not at the clock."""

    rows: int
    checks: int
    bytes_per_row: int  # in memory, while the page is made
    make_seconds: float
    make_cpu_seconds: float
    megabytes: float
    browser: tuple[Took, ...]  # () without Chromium

    def lines(self) -> Iterator[str]:
        """Yield what was measured, in sentences."""
        yield f"{self.rows:,} students × {self.checks} checks"
        yield f"  a row in memory    {self.bytes_per_row / 1000:8.1f} kB"
        yield f"  made in            {self.make_seconds:8.2f} s ({self.make_cpu_seconds:.2f} s computing)"
        yield f"  the page           {self.megabytes:8.2f} MB"
        if not self.browser:
            yield "  Chromium is not installed: not opened."
        for took in self.browser:
            yield f"  {took.what:<18} {took.ms:8.0f} ms ({took.computing_ms:.0f} ms computing)"


def measure(rows_count: int, checks_count: int) -> Figures:
    """Make the page of a cohort, open it, and return what that took."""
    tracemalloc.start()
    rows = [row_of(result) for result in made(rows_count, checks_count)]
    size = tracemalloc.get_traced_memory()[0] // max(1, rows_count)
    tracemalloc.stop()
    links = {row.student_id: f"reports/{row.student_id}.html" for row in rows}
    start, computing = perf_counter(), process_time()
    page = rows_html(rows, links).encode()
    took, computed = perf_counter() - start, process_time() - computing
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.html"
        path.write_bytes(page)
        seen = in_browser(path, Path(folder) / "profile")
    return Figures(rows_count, checks_count, size, took, computed, len(page) / 1e6, seen)


def chromium() -> str | None:
    """Return the path of the browser; None where there is none."""
    return shutil.which("chromium") or shutil.which("google-chrome")


def in_browser(page: Path, profile: Path) -> tuple[Took, ...]:
    """Open the page three times and sort and filter its table; return the medians."""
    program = chromium()
    if program is None:
        return ()
    from playwright.sync_api import sync_playwright

    runs = []
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=program, args=CHROMIUM.split(), offline=True
        )
        for _ in range(3):
            tab = context.new_page()
            runs.append(list(_acts(tab, context.new_cdp_session(tab), page)))
            tab.close()
        context.close()
    return tuple(
        Took(some[0].what, median(one.ms for one in some), median(one.computing_ms for one in some))
        for some in zip(*runs, strict=True)
    )


def _acts(tab: Tab, devtools: CDPSession, page: Path) -> Iterator[Took]:
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def computed() -> float:
        found = devtools.send("Performance.getMetrics")["metrics"]
        return next(1000 * float(metric["value"]) for metric in found if metric["name"] == "TaskDuration")

    before, start = computed(), perf_counter()
    tab.goto(page.as_uri())
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    yield Took("opened", 1000 * (perf_counter() - start), computed() - before)
    for what, act in ACTS.items():
        before = computed()
        took = float(tab.evaluate(UNTIL_PAINTED, act))
        yield Took(what, took, computed() - before)


def made(rows: int, checks: int) -> Iterator[Result]:
    """Yield the results of a made class, always the same."""
    dice = Random(7)
    hardness = [dice.gauss(-1, 1) for _ in range(checks)]
    exercises = tuple(
        (f"exercise_{n}", f"The exercise number {n}, with a title")
        for n in range(-(-checks // CHECKS_TO_AN_EXERCISE))
    )
    assignment = AssignmentInfo(
        id="made", title="A made cohort", version="1", content_hash="sha256:ab", exercises=exercises
    )
    started = datetime(2026, 3, 2, 14, 5, tzinfo=UTC)
    for number in range(rows):
        ability = dice.gauss(0, 1)
        yield Result(
            student=Student(id=f"s{number:05}", name=f"Student Number {number}", section="ABCD"[number % 4]),
            assignment=assignment,
            submission=SubmissionInfo(source=f"cohort/s{number:05}.py", content_hash="sha256:" + "3f9a" * 16),
            load=LoadResult(path="attention.py", kind="script", seconds=0.01),
            checks=tuple(
                _check(n, dice, passes=dice.random() < 1 / (1 + exp(hard - ability)))
                for n, hard in enumerate(hardness)
            ),
            started_at=started,
            finished_at=started + timedelta(seconds=dice.uniform(0.4, 3)),
            backend="bubblewrap",
            device="cpu",
            seed=1,
        )


def _check(number: int, dice: Random, *, passes: bool) -> CheckResult:
    exercise = f"exercise_{number // CHECKS_TO_AN_EXERCISE}"
    diagnosis, case = None, None
    if not passes and number % 3 == 0 and dice.random() < 0.5:
        title = f"the error number {number} of variant {dice.randrange(2)}, at some length"
        diagnosis = Diagnosis(variant=f"v{number}", title=title, section="Masks: True means blocked")
        got = ShownTensor(shape=(2, 2), dtype="float64", values=(0.73, 0.27, 0.27, 0.73), marked=(0, 1))
        expected = got.model_copy(update={"values": (0.67, 0.33, 0.33, 0.67)})
        case = Counterexample(call="attention(query, key, value, mask)", got=got, expected=expected)
    slow = dice.random() < 1e-4
    return CheckResult(
        id=f"{exercise}/test_number_{number}",
        exercise=exercise,
        title=f"What check number {number} asks for holds for every length and batch.",
        points=2.0 if passes else 0.0,
        max_points=2.0,
        verdict=Verdict.PASSED if passes else Verdict.FAILED,
        diagnosis=diagnosis,
        counterexample=case,
        seconds=8.0 if slow else dice.uniform(0.01, 0.03),
        cpu_seconds=7.9 if slow else dice.uniform(0.005, 0.02),
        peak_memory_bytes=dice.randrange(10, 30) * 2**20,
    )


def main(arguments: list[str]) -> None:
    """Measure the size asked for, or a large class with a small assignment and with the whole lesson."""
    given = [int(argument) for argument in arguments]
    for rows, checks in [(given[0], given[1])] if given else [(5000, 40), (5000, 146)]:
        print("\n".join(measure(rows, checks).lines()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
