"""Results in, documents out. Sees nothing of Attest but `graders.result`."""

from reports.gradebook import grades_csv
from reports.index_page import index_html
from reports.report_names import report_name
from reports.student_page import student_html
from reports.student_text import student_markdown
from reports.student_view import Audience
from reports.writing import ReportError, Written, write_reports, write_student_report

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
