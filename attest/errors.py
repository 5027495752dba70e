"""What can be wrong with what a command about a cohort was given, and is told in a sentence."""

from __future__ import annotations

from graders.adjustments import AdjustmentsError
from graders.assignment import AssignmentError
from graders.cluster.envelope import ClusterError
from graders.cohort import PoolError
from graders.marks import MarksError
from graders.output import OutputError
from graders.reading import CohortError
from graders.result import ResultError
from reports import ReportError

ERRORS = (
    *(AssignmentError, ClusterError, CohortError, MarksError, AdjustmentsError),
    *(OutputError, PoolError, ReportError, ResultError),
)
