"""A worker: claims one job after another from the database, has it graded, and keeps what comes of it.

It may be killed at any moment: the job's lease runs out, and another worker claims it. `attest serve` starts
workers; `python -P -m attest.portal.grading.worker` is one, with the portal's settings in the environment.
"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from attest.portal.processes import begin, own_name, stop_when_told
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.result import Result, Status

if TYPE_CHECKING:
    from attest.portal.grading.models import Job
    from attest.portal.grading.progress import Progress

LOOK_SECONDS = 0.3  # between two looks into an empty queue
AFTER_TROUBLE_SECONDS = 2.0
SHOW_SECONDS = 1.0  # between two writes of how far a submission is


class Worker:
    """Grades for one portal until it is told to stop."""

    def __init__(self) -> None:
        from django.conf import settings

        from attest.portal.grading.warm import WarmGraders
        from attest.portal.handing_in.keeping import Store

        configuration = settings.CONFIGURATION
        self.name = own_name()
        self.store = Store(configuration.files)
        self.graders = WarmGraders(configuration.sandbox, (configuration.data,))
        self.stopping = threading.Event()

    def run(self) -> None:
        """Grade until `stopping` is set. A database that cannot be reached is waited for."""
        from django.db import OperationalError, close_old_connections

        from attest.portal.logs import event

        try:
            while not self.stopping.is_set():
                close_old_connections()
                try:
                    worked = self.step()
                except OperationalError:
                    event("database not reached")
                    self.stopping.wait(AFTER_TROUBLE_SECONDS)
                    continue
                if not worked:
                    self.stopping.wait(LOOK_SECONDS)
        finally:
            self.graders.close()

    def step(self) -> bool:
        """Grade one job; False where there is none. One that meets a fault of ours stops no other."""
        from django.db import DatabaseError

        from attest.portal.grading import queue
        from attest.portal.logs import event

        queue.give_up_worn_out()
        job = queue.claim(self.name)
        if job is None:
            return False
        begun = time.monotonic()
        try:
            state = self.work_on(job)
        except DatabaseError:
            raise
        except OSError as error:  # a full disk, no more processes: it is no job's fault
            queue.give_back(job, self.name, f"This machine: {error.strerror or error}.", untried=True)
            state = "not now"
        except Exception as error:
            logging.getLogger("attest.portal").exception("fault")
            queue.give_back(job, self.name, f"A fault of Attest's: {type(error).__name__}.")
            state = "fault"
        event(
            "job",
            job=job.pk,
            submission=job.submission_id,
            came_to=state,
            tries=job.tries,
            seconds=round(time.monotonic() - begun, 3),
        )
        return True

    def work_on(self, job: Job) -> str:
        """Grade a claimed job and keep its Result, or give it back; say in a word what came of it."""
        from attest.portal.grading import queue
        from attest.portal.grading.results import keep, keep_known, known_of
        from attest.portal.grading.warm import GraderBroken, GraderDied, Interrupted
        from attest.portal.handing_in.keeping import Missing

        try:
            assignment = find_assignment(job.assignment.folder)
            earlier = known_of(job, assignment.info.content_hash)
            if earlier is not None:
                return "known" if keep_known(job, self.name, earlier) else "lost"
            result = self.grade(job, assignment)
        except (AssignmentError, GraderBroken) as error:
            queue.give_back(job, self.name, str(error), untried=True)
            return "not now"
        except Interrupted:
            queue.give_back(job, self.name, untried=True)
            return "interrupted"
        except (GraderDied, Missing) as error:
            queue.give_back(job, self.name, str(error))
            return "trouble"
        if result.status is Status.NOT_GRADED:
            self.graders.forget(assignment)
            queue.give_back(job, self.name, result.internal or result.message)
            return "trouble"
        return "graded" if keep(job, self.name, result) else "lost"

    def grade(self, job: Job, assignment: Assignment) -> Result:
        """Have a job graded, with signs of life while it lasts."""
        from attest.portal.grading.grader import Ask
        from attest.portal.grading.progress import Progress
        from attest.portal.grading.results import of_attempt, student_of
        from attest.portal.handing_in.laying_out import lay_out
        from graders.messages import Seen

        submission = job.submission
        with tempfile.TemporaryDirectory(prefix="attest-job-") as folder:
            path = lay_out(self.store, submission, Path(folder))
            ask = Ask(
                path=os.fsencode(path),
                student=student_of(submission).model_dump_json().encode(),
                source=path.name if path.is_file() else "files",
                attempt=submission.attempt,
                seed=job.seed,
            )
            progress = Progress()
            shown_at = 0.0

            def beat() -> None:
                nonlocal shown_at
                self.beat(job, progress)
                shown_at = time.monotonic()

            def see(one: Seen) -> None:
                nonlocal progress
                progress = progress.and_then(one.title, one.verdict, one.of)
                if time.monotonic() - shown_at >= SHOW_SECONDS:
                    beat()

            result = self.graders.grade(assignment, ask, beat, see)
        return of_attempt(result, submission)

    def beat(self, job: Job, progress: Progress) -> None:
        """Give a sign of life, and say how far it is.

        Raises Interrupted where the job is somebody else's by now, or it is time to stop.
        """
        from attest.portal.grading import queue
        from attest.portal.grading.warm import Interrupted

        if self.stopping.is_set() or not queue.prolong(job, self.name, progress.as_json()):
            raise Interrupted


def main() -> None:
    """Be a worker until SIGTERM, or until whoever started it has ended."""
    begin()
    worker = Worker()
    stop_when_told(worker.stopping)
    worker.run()


if __name__ == "__main__":
    main()
