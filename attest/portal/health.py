"""Is it up, can it work, and how much is there to do: for whoever watches the machine."""

from __future__ import annotations

import hmac
import ipaddress
import os
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from attest.portal.grading.models import Job
from attest.portal.handing_in.events import WATCHING
from attest.portal.handing_in.models import Submission
from attest.portal.measures import REQUESTS
from attest.portal.permissions import everybody

TOKEN = "ATTEST_PORTAL_METRICS_TOKEN"  # noqa: S105 - the name of a setting


@everybody
def health(_request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok\n", "text/plain")


@everybody
def ready(_request: HttpRequest) -> HttpResponse:
    """It can take work in: the database answers and files can be written."""
    problems = []
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        problems.append("the database does not answer")
    if not os.access(settings.CONFIGURATION.files, os.W_OK):
        problems.append("the folder of handed-in files cannot be written to")
    return HttpResponse("; ".join(problems) or "ok", "text/plain", status=503 if problems else 200)


@everybody
def metrics(request: HttpRequest) -> HttpResponse:
    """Counts as Prometheus reads them: for this machine itself, or whoever has the token of the setting."""
    wanted = os.environ.get(TOKEN, "")
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not _is_here(request) and not (wanted and hmac.compare_digest(wanted.encode(), given.encode())):
        raise Http404
    lines = [
        "# HELP attest_jobs Jobs by state.",
        "# TYPE attest_jobs gauge",
    ]
    states = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    lines += [f'attest_jobs{{state="{state}"}} {states.get(state, 0)}' for state in Job.State.values]
    oldest = Job.objects.filter(state=Job.State.QUEUED).aggregate(at=Min("created_at"))["at"]
    waited = (timezone.now() - oldest).total_seconds() if oldest else 0.0
    lines += [
        "# HELP attest_oldest_job_seconds For how long the first in the queue has waited.",
        "# TYPE attest_oldest_job_seconds gauge",
        f"attest_oldest_job_seconds {waited:.3f}",
        "# HELP attest_submissions_total Submissions taken in.",
        "# TYPE attest_submissions_total counter",
        f"attest_submissions_total {Submission.objects.filter(attempt__gt=0).count()}",
        "# HELP attest_event_streams Browsers that this process tells how far a submission is.",
        "# TYPE attest_event_streams gauge",
        f"attest_event_streams {len(WATCHING)}",
        *REQUESTS.lines(),
    ]
    return HttpResponse("\n".join(lines) + "\n", "text/plain; version=0.0.4; charset=utf-8")


def _is_here(request: HttpRequest) -> bool:
    """Whether the question comes from this machine, and not through a proxy on it.

    Who asks for the portal by the name that people know comes through a proxy, even one that does not say so.
    """
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    asked_for = request.headers.get("Host", "").lower()
    if settings.CONFIGURATION.url and asked_for == urlsplit(settings.CONFIGURATION.url).netloc.lower():
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
