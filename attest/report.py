"""`attest report`: the pages again, from results that are there."""

from __future__ import annotations

from pathlib import Path

from attest.settling import settle
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, sentences, shown_path
from graders.adjustments import AdjustmentsError, read_overlay
from graders.marks import MarksError
from graders.output import Output, OutputError, require_results
from reports import ReportError, report_name, write_reports
from reports.amounts import count_text
from reports.visible_text import one_line


def report_command(out: Path) -> int:
    """Render the reports in `out` again; return the exit status."""
    with sentences(MarksError, AdjustmentsError, OutputError, ReportError):
        require_results(out)
        if read_overlay(out):
            with Output(out, "resume", report_name) as opened:
                settle(opened)
        written = write_reports(out)
    pages = sum(path.suffix == ".html" and path.parent != out for path in written.paths)
    screen = console()
    screen.print(f"{count_text(pages, 'report')} written: {shown_path(out / 'index.html')}", soft_wrap=True)
    for problem in written.problems:
        screen.print(harmless(one_line(problem, 2000)), soft_wrap=True)
    return NOT_ALL_WELL if written.problems else ALL_WELL
