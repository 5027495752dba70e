"""Columns of LMSs' gradebooks: which are in use, making one where there is none, reading what is in one."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from attest.lti import ags
from attest.lti.deep_linking import TAG
from attest.lti.errors import Answered, LTIError
from attest.lti.service import Service
from attest.portal.alone import alone
from attest.portal.lms.models import LinkedContext, LinkedResource, contexts_in_use
from attest.portal.outbox.models import MOST_ANSWER, LookedAt, OutgoingScore


def linked() -> list[LinkedResource]:
    """Return what is linked with an LMS that is in use: of two links to one column the first."""
    found = LinkedResource.objects.filter(context__in=contexts_in_use())
    first: dict[tuple[object, ...], LinkedResource] = {}
    for one in found.select_related("context__platform", "assignment__course").order_by("pk"):
        column = (one.context.platform_id, one.lineitem_url) if one.lineitem_url else (one.pk,)
        first.setdefault(column, one)
    return list(first.values())


def may_send(context: LinkedContext) -> bool:
    """Whether an LMS takes scores for this course, as far as it told."""
    return not context.scopes or ags.SCORES in context.scopes


def may_read(resource: LinkedResource) -> bool:
    """Whether an LMS tells what people have in this column."""
    return ags.RESULTS_READ in resource.context.scopes


def may_make(resource: LinkedResource) -> bool:
    """Whether this link has no column, and an LMS lets us make one."""
    context = resource.context
    return not resource.lineitem_url and bool(context.lineitems_url) and ags.LINE_ITEMS in context.scopes


def make(resource: LinkedResource, service: Service) -> None:
    """Find the column of a link, or make it. Made twice is found once: whoever dies between has lost nothing.

    One process makes columns at a time: two would both find none. Where another does, nothing is done now.
    Brightspace makes no column by itself. Raises LTIError.
    """
    with alone("columns", wait=False) as is_alone:
        if is_alone and LinkedResource.objects.filter(pk=resource.pk, lineitem_url="").exists():
            _make(resource, service)


def _make(resource: LinkedResource, service: Service) -> None:
    context, assignment = resource.context, resource.assignment
    number = str(assignment.pk)  # as a link that was chosen in the LMS has it
    scope = ags.reading(context.scopes)
    link, named = resource.resource_link_id, ""
    found = ags.line_items(service, context.lineitems_url, resource_link_id=link, scope=scope)
    if not found or found[0].tag == TAG:
        named = assignment.title
    if not found:
        found = ags.line_items(service, context.lineitems_url, resource_id=number, tag=TAG, scope=scope)
    if not found:
        item = ags.LineItem(
            label=assignment.title,
            maximum=assignment.max_points,
            resource_id=number,
            tag=TAG,
            resource_link_id=link,
        )
        found = [ags.create_line_item(service, context.lineitems_url, item)]
    LinkedResource.objects.filter(pk=resource.pk, lineitem_url="").update(lineitem_url=found[0].url)
    _keep_name(resource, named if found[0].label == named else "")
    resource.lineitem_url = found[0].url


def misnamed() -> set[int]:
    """Return the links whose column we made, and whose assignment is called otherwise since."""
    named = LookedAt.objects.exclude(named="").exclude(named=F("resource__assignment__title"))
    return set(named.values_list("resource", flat=True))


def rename(resource: LinkedResource, service: Service) -> None:
    """Have a column that we made follow its assignment's title. Raises LTIError.

    One that somebody has named otherwise in the LMS is theirs to name from then on. The maximum stays: the
    LMS scales to it, and some would scale the grades that are there, too.
    """
    title = resource.assignment.title
    named = LookedAt.objects.get(resource=resource).named
    try:
        item = ags.line_item(service, resource.lineitem_url, scope=ags.reading(resource.context.scopes))
        is_ours = item.label == named
        if is_ours:
            item = ags.update_line_item(service, replace(item, label=title))
    except Answered as error:
        if error.final:
            _keep_name(resource, "")
        raise
    _keep_name(resource, title if is_ours and item.label == title else "")


def _keep_name(resource: LinkedResource, named: str) -> None:
    LookedAt.objects.update_or_create(resource=resource, defaults={"named": named, "trouble": ""})


def read(resource: LinkedResource, service: Service) -> None:
    """Read what everybody has in a column, and keep it. Raises LTIError."""
    at = timezone.now()  # before: what is sent meanwhile is newer
    there = {one.subject: one for one in ags.results(service, resource.lineitem_url)}
    rows = list(resource.scores.select_related("told"))
    for row in rows:
        one = there.get(row.told.subject)
        row.there_points = one.points if one else None
        row.there_max = one.maximum if one else None
        row.there_at = at
    with transaction.atomic():
        OutgoingScore.objects.bulk_update(rows, ["there_points", "there_max", "there_at"], batch_size=200)
        LookedAt.objects.update_or_create(
            resource=resource, defaults={"read_wanted": False, "read_at": at, "trouble": ""}
        )


def note_trouble(resource: LinkedResource, error: LTIError) -> None:
    """Keep why a column could not be read, made or renamed, for the instructor."""
    trouble = str(error).replace("\0", "")[:MOST_ANSWER]
    LookedAt.objects.update_or_create(resource=resource, defaults={"read_wanted": False, "trouble": trouble})
