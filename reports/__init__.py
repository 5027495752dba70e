"""Results in, documents out. Knows nothing of how they came to be.

The names are imported on first use: a student's own check needs no page and no table.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reports.anchors import Audience
    from reports.gradebook import grades_csv
    from reports.index_page import index_html
    from reports.report_names import report_name
    from reports.student_page import student_html
    from reports.student_text import student_markdown
    from reports.writing import ReportError, Written, write_reports, write_student_report

_HOMES = {
    "Audience": "reports.anchors",
    "ReportError": "reports.writing",
    "Written": "reports.writing",
    "grades_csv": "reports.gradebook",
    "index_html": "reports.index_page",
    "report_name": "reports.report_names",
    "student_html": "reports.student_page",
    "student_markdown": "reports.student_text",
    "write_reports": "reports.writing",
    "write_student_report": "reports.writing",
}

__all__ = [
    "Audience",
    "ReportError",
    "Written",
    "grades_csv",
    "index_html",
    "report_name",
    "student_html",
    "student_markdown",
    "write_reports",
    "write_student_report",
]


def __getattr__(name: str) -> Any:
    """Import an exported name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reports' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
