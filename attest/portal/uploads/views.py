"""Pages of uploaded assignments: sending one, what its validation found, taking it into use, removing it.

Tests are programs that run outside the sandbox. So whoever uploads must be let by the site.
"""

from __future__ import annotations

import hashlib
import shutil
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.configuration import INSTRUCTORS
from attest.portal.courses.models import Course, CourseAssignment, Role, facts_of
from attest.portal.errands.models import Errand
from attest.portal.grading.requests import words_trouble
from attest.portal.handing_in.keeping import Store
from attest.portal.numbers import row_number
from attest.portal.pages import alone, page
from attest.portal.permissions import Asking, members
from attest.portal.polling import asks_by_itself, whole_page
from attest.portal.regrading.regrades import refresh
from attest.portal.uploads.folders import LIMITS, Unusable, place_of, read, unpack
from attest.portal.uploads.models import UploadedFolder, UsedUpload
from attest.portal.uploads.removing import InUse, held, remove
from graders.assignment import Assignment
from reports.validation_page import STYLE


def may_upload(asking: Asking) -> bool:
    """Whether the site lets this person upload programs that run on the portal's machine."""
    return asking.person.is_administrator or settings.CONFIGURATION.uploads == INSTRUCTORS


@members(Role.INSTRUCTOR)
def uploads(asking: Asking, course: Course) -> HttpResponse:
    """The uploaded assignments of a course; one more is sent here."""
    request = asking.request
    trouble = ""
    if request.method == "POST" and not may_upload(asking):
        raise Http404
    if request.method == "POST":
        given = request.FILES.get("zip")
        try:
            uploaded = _taken(asking, course, given)
        except Unusable as unusable:
            trouble = str(unusable)
        else:
            return redirect("upload", uploaded_id=uploaded.pk)
    values = {
        "uploads": course.uploads.select_related("by", "errand")
        .defer("report")
        .prefetch_related("used__assignment"),
        "may": may_upload(asking),
        "trouble": trouble,
    }
    return page(asking, "uploads/uploads.html.jinja", values, 400 if trouble else 200)


def _taken(asking: Asking, course: Course, given: UploadedFile[Any] | None) -> UploadedFolder:
    """Keep what was sent, and have it validated; what is there already is returned. Raises Unusable."""
    if given is None:
        raise Unusable("Choose the zip of an assignment's folder first.")
    if (given.size or 0) > LIMITS.archive_bytes:
        raise Unusable(f"At most {LIMITS.archive_bytes // 2**20} MB are taken.")
    data = given.read()
    digest = hashlib.sha256(data).hexdigest()
    earlier = UploadedFolder.objects.filter(course=course, digest=digest).first()
    if earlier is not None:
        return earlier
    place = unpack(data, digest)
    try:
        found = read(place)
    except Unusable:
        if not UploadedFolder.objects.filter(digest=digest).exists():
            shutil.rmtree(place, ignore_errors=True)
        raise
    Store(settings.CONFIGURATION.files).keep(data)
    try:
        return _kept(asking, course, digest, len(data), found)
    except IntegrityError:  # somebody else sent the same at the same moment
        return UploadedFolder.objects.get(course=course, digest=digest)


@transaction.atomic
def _kept(asking: Asking, course: Course, digest: str, size: int, found: Assignment) -> UploadedFolder:
    """Keep the row of what was unpacked, and have it validated."""
    uploaded = UploadedFolder.objects.create(
        course=course,
        digest=digest,
        size=size,
        **facts_of(found),
        by=asking.person,
        errand=Errand.objects.create(kind=Errand.Kind.VALIDATION),
    )
    after = {"title": uploaded.title, "sha256": digest}
    note(asking.person, "assignment uploaded", f"upload {uploaded.pk}", course=course, after=after)
    return uploaded


@members(Role.INSTRUCTOR)
def upload(asking: Asking, uploaded: UploadedFolder) -> HttpResponse:
    """One uploaded version: how its validation goes, and what to use it for."""
    request = asking.request
    course = uploaded.course
    if request.method == "POST":
        if not may_upload(asking):
            raise Http404
        if request.POST.get("what") == "remove":
            trouble = _remove(asking, uploaded)
            if not trouble:
                messages.success(request, "Removed.")
                return redirect("uploads", course_id=course.pk)
            return _upload_page(asking, uploaded, trouble)
        if request.POST.get("what") == "again":
            _validate_again(asking, uploaded)
        elif uploaded.passed:
            assignment = course.assignments.filter(pk=row_number(request.POST.get("assignment", ""))).first()
            if assignment is not None and _use(asking, uploaded, assignment):
                return redirect("regrade", assignment_id=assignment.pk)
            messages.error(request, "Choose one of the course's assignments.")
        return redirect("upload", uploaded_id=uploaded.pk)
    if asks_by_itself(request) and not uploaded.errand.waits:
        return whole_page()
    return _upload_page(asking, uploaded, {})


def _upload_page(asking: Asking, uploaded: UploadedFolder, trouble: dict[str, list[str]]) -> HttpResponse:
    values = {
        "uploaded": uploaded,
        "errand": uploaded.errand,
        "folder": str(place_of(uploaded)),
        "used": [one.assignment for one in uploaded.used.select_related("assignment")],
        "assignments": [(str(one.pk), one.title) for one in uploaded.course.assignments.all()],
        "may": may_upload(asking),
        "trouble": trouble,
        "why": asking.request.POST.get("why", ""),
    }
    return page(asking, "uploads/upload.html.jinja", values, 400 if trouble else 200)


def _remove(asking: Asking, uploaded: UploadedFolder) -> dict[str, list[str]]:
    """Remove an upload; return what is in the way."""
    why = asking.request.POST.get("why", "").strip()
    trouble = words_trouble("why", why, "Say in a sentence why; it is kept in the audit trail.")
    if not trouble:
        try:
            remove(uploaded, asking.person, why)
        except InUse as used:
            trouble = {"remove": [str(used)]}
    return trouble


@members(Role.INSTRUCTOR)
def validation(asking: Asking, uploaded: UploadedFolder) -> HttpResponse:
    """What the validation found, in a page of its own, whose policy allows it nothing but its style."""
    if not uploaded.report:
        raise Http404
    return alone(uploaded.report, STYLE)


@transaction.atomic
def _validate_again(asking: Asking, uploaded: UploadedFolder) -> None:
    """Have an upload validated once more, where that has come to an end and it is not in use."""
    if held(uploaded) is None or uploaded.errand.waits or uploaded.used.exists():
        return
    before = uploaded.errand
    errand = Errand.objects.create(kind=Errand.Kind.VALIDATION)
    UploadedFolder.objects.filter(pk=uploaded.pk).update(errand=errand, passed=None, verdict="", report="")
    before.delete()
    note(asking.person, "validated again", f"upload {uploaded.pk}", course=uploaded.course)


@transaction.atomic
def _use(asking: Asking, uploaded: UploadedFolder, assignment: CourseAssignment) -> bool:
    """Grade an assignment by this version from now on. What was graded before stays until it is regraded.

    Return False where the version is gone meanwhile.
    """
    if held(uploaded) is None:
        return False
    found = read(place_of(uploaded))
    before = assignment.folder
    CourseAssignment.objects.filter(pk=assignment.pk).update(folder=str(place_of(uploaded)))
    UsedUpload.objects.update_or_create(assignment=assignment, defaults={"uploaded": uploaded})
    note(
        asking.person,
        "assignment replaced",
        f"assignment {assignment.pk}",
        course=uploaded.course,
        before={"folder": before},
        after={"upload": uploaded.pk, "sha256": uploaded.digest},
    )
    refresh(assignment, found, asking.person)
    return True
