"""Reading what students handed in: files in any state become a Submission, or one clear sentence why not.

Nothing here runs a student's code, writes to the disk, or knows of checks.
"""

from graders.reading.cohort import Cohort, CohortError, Found, find_submissions
from graders.reading.container import Member
from graders.reading.read import is_called_like_work, read_submission, why_no_work
from graders.reading.sources import SOURCES, find_handed_in
from graders.reading.submission import ProseCell, ReadingLimits, Submission, UnreadableSubmission, Words
from graders.reading.untouched import codes_of, untouched_last

__all__ = [
    "SOURCES",
    "Cohort",
    "CohortError",
    "Found",
    "Member",
    "ProseCell",
    "ReadingLimits",
    "Submission",
    "UnreadableSubmission",
    "Words",
    "codes_of",
    "find_handed_in",
    "find_submissions",
    "is_called_like_work",
    "read_submission",
    "untouched_last",
    "why_no_work",
]
