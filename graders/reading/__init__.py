"""Reading what students handed in: files in any state become a Submission, or one clear sentence why not.

Nothing here runs a student's code, writes to the disk, or knows of checks.
"""

from graders.reading.cohort import Cohort, CohortError, Found, find_submissions
from graders.reading.read import read_submission
from graders.reading.submission import ProseCell, ReadingLimits, Submission, UnreadableSubmission, Words

__all__ = [
    "Cohort",
    "CohortError",
    "Found",
    "ProseCell",
    "ReadingLimits",
    "Submission",
    "UnreadableSubmission",
    "Words",
    "find_submissions",
    "read_submission",
]
