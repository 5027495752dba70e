"""How an assignment goes: who handed in, what is in the queue, how the class did, and what needs somebody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.db.models import Count, Min, Q
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.models import Job
from attest.portal.grading.standing import shows_results
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from attest.portal.teaching.results import rows_of
from attest.portal.teaching.roll import State, roll_of
from reports.amounts import count_text
from reports.class_view import check_links, class_html

LATELY = timedelta(minutes=10)  # the rate is that of these
FEWEST = 3  # jobs that tell a rate
MOST_WHYS = 5


@dataclass(frozen=True)
class Queue:
    """What waits to be graded of one assignment, and how quickly this portal grades."""

    queued: int
    running: int
    before: int  # jobs of the whole portal that end before the last of these has
    a_minute: float | None  # None where too few have ended lately to tell
    idle: bool  # there is work, and nobody does it
    whys: tuple[tuple[str, int], ...]  # why some of it could not be begun, and how many jobs that concerns

    @property
    def sentence(self) -> str:
        """It in words."""
        if not self.queued and not self.running:
            return "Nothing waits to be graded."
        parts = [f"{self.queued:,} in the queue", f"{self.running:,} being graded"]
        if self.a_minute is not None:
            parts.append(f"{self.a_minute:.1f} a minute lately")
            minutes = max(1, round(self.before / self.a_minute))
            parts.append(f"done in about {count_text(minutes, 'minute')}")
        return ", ".join(parts) + "."


def queue_of(assignment: CourseAssignment) -> Queue:
    """Return the queue as it is now."""
    now = timezone.now()
    waiting = Job.objects.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING))
    mine = waiting.filter(assignment=assignment)
    queued = Q(state=Job.State.QUEUED)
    counts = mine.aggregate(
        queued=Count("pk", filter=queued),
        running=Count("pk", filter=~queued),
        waited=Count("pk", filter=queued & Q(created_at__lt=now - timedelta(minutes=1))),
    )
    before = 0
    if last := mine.order_by("-again", "-pk").first():
        first_ones = Q(again=False) | Q(pk__lte=last.pk) if last.again else Q(again=False, pk__lte=last.pk)
        before = waiting.filter(first_ones).count()
    ended = Job.objects.filter(state=Job.State.DONE, finished_at__gt=now - LATELY).aggregate(
        number=Count("pk"), first=Min("finished_at")
    )
    rate = None
    if ended["number"] >= FEWEST:
        rate = ended["number"] / max((now - ended["first"]).total_seconds() / 60, 1 / 60)
    held = waiting.filter(state=Job.State.RUNNING, lease_until__gt=now).exists()
    whys = (
        mine.filter(queued)
        .exclude(trouble="")
        .order_by()
        .values_list("trouble")
        .annotate(count=Count("pk"))
        .order_by("-count", "trouble")[:MOST_WHYS]
    )
    idle = bool(counts["waited"]) and not held and not ended["number"]
    return Queue(counts["queued"], counts["running"], before, rate, idle, tuple(whys))


@members(Role.GRADER)
def queue(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """The queue, as the part of a page that asks again by itself."""
    return page(
        asking, "teaching/queue.html.jinja", {"assignment": assignment, "queue": queue_of(assignment)}
    )


@members(Role.GRADER)
def dashboard(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """One assignment at a glance."""
    roll = roll_of(assignment)
    rows = rows_of(roll.lines)
    reports = {
        str(line.person.pk): reverse("report", args=[line.counts.submission.pk])
        for line in roll.lines
        if line.counts is not None and line.counts.graded is not None
    }
    listed = reverse("submissions", args=[assignment.pk])
    values = {
        "assignment": assignment,
        "roll": roll,
        "counts": [(state, len(roll.having(state))) for state in State],
        "handed_in": sum(bool(line.attempts) for line in roll.lines),
        "late": sum(line.counts is not None and line.counts.late is not None for line in roll.lines),
        "extended": sum(line.extension is not None for line in roll.lines),
        "asked": sum(line.asked for line in roll.lines),
        "queue": queue_of(assignment),
        "troubled": [(line, one) for line in roll.lines for one in line.troubled],
        "released": shows_results(assignment),
        "how_it_went": class_html(
            list(rows.values()),
            check_links(reports, "instructor", True),
            lambda kind, what: f"{listed}?{urlencode({kind: what})}",
        ),
    }
    return page(asking, "teaching/dashboard.html.jinja", values)
