"""A job as it goes to a worker on another machine: what was handed in, for whom, and by which assignment."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.models import Graded, Job
from attest.portal.grading.results import keep_known, known_of, student_of
from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.laying_out import lay_out
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.cluster.bundle import Bundle, pack
from graders.cluster.sending import read_handed
from graders.reading import Found

_MOST_BUNDLES = 16


@dataclass(frozen=True)
class Packed:
    """What travels of a job."""

    bundle: Bundle
    student: bytes  # as JSON
    source: str
    handed: bytes  # an encoded Handed


@dataclass(frozen=True)
class Known:
    """A job that nobody need grade: what the same files came to is known."""

    job: Job
    earlier: Graded

    def keep(self, who: str) -> None:
        """Keep it for the job that `who` holds."""
        keep_known(self.job, who, self.earlier)


class Packing:
    """Packs jobs, and keeps the assignments that it packed last."""

    def __init__(self, files: Path) -> None:
        self._store = Store(files)
        self._bundles: OrderedDict[tuple[Path, str], Bundle] = OrderedDict()

    def pack(self, job: Job) -> Packed | Known:
        """Pack a claimed job. Raises AssignmentError, Missing and OSError."""
        assignment = find_assignment(job.assignment.folder)
        earlier = known_of(job, assignment.info.content_hash)
        if earlier is not None:
            return Known(job, earlier)
        student = student_of(job.submission)
        with tempfile.TemporaryDirectory(prefix="attest-job-") as folder:
            path = lay_out(self._store, job.submission, Path(folder))
            source = path.name if path.is_file() else "files"
            handed = read_handed(Found(student, path, source), assignment)
        return Packed(self._bundle_of(assignment), student.model_dump_json().encode(), source, handed)

    def bundle(self, name: str) -> Bundle | None:
        """Return the assignment of this name that a worker asks for; None where no open job is of it."""
        known = next((one for one in self._bundles.values() if one.hash == name), None)
        if known is not None:
            return known
        open_jobs = Job.objects.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING))
        for one in CourseAssignment.objects.filter(jobs__in=open_jobs).distinct():
            try:
                bundle = self._bundle_of(find_assignment(one.folder))
            except (AssignmentError, OSError):
                continue
            if bundle.hash == name:
                return bundle
        return None

    def _bundle_of(self, assignment: Assignment) -> Bundle:
        """Pack an assignment, again where what decides a verdict has changed."""
        key = (assignment.folder, assignment.info.content_hash)
        found = self._bundles.pop(key, None) or pack(assignment)
        while len(self._bundles) >= _MOST_BUNDLES:
            self._bundles.popitem(last=False)
        self._bundles[key] = found
        return found
