"""Validating an uploaded assignment in the background: does it tell right from wrong? Its page is kept."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from attest.portal.errands.line import finish
from attest.portal.errands.models import Errand
from attest.portal.errands.process import CannotDo
from attest.portal.handing_in.keeping import Missing, Store
from attest.portal.uploads.folders import Unusable, place_of, read, unpack
from attest.portal.uploads.models import UploadedFolder
from attest.validated import validation_of
from graders.assignment import AssignmentError
from graders.limits import limits_of
from graders.secrets import secret_paths
from graders.validation import validate
from reports.validation_page import validation_html
from sandbox import Sandbox, SandboxBroken
from sandbox.backend import BackendOptions

SEEDS = (1, 2)


def validate_upload(errand: Errand, who: str) -> None:
    """Validate, and keep what was found. Raises CannotDo."""
    uploaded = UploadedFolder.objects.get(errand=errand)
    configuration = settings.CONFIGURATION
    try:
        unpack(Store(configuration.files).read(uploaded.digest), uploaded.digest)
        assignment = read(place_of(uploaded))
        options = BackendOptions(secrets=secret_paths(assignment, [configuration.data]))
        with Sandbox(configuration.sandbox, limits_of(assignment), options=options) as sandbox:
            sandbox.launch()
            report = validate(assignment, sandbox, SEEDS)
    except (AssignmentError, Missing, SandboxBroken, Unusable) as error:
        raise CannotDo(str(error)) from None
    found = validation_of(report)
    with transaction.atomic():
        if finish(errand, who):
            UploadedFolder.objects.filter(pk=uploaded.pk).update(
                passed=report.ok, verdict=found.verdict[:200], report=validation_html((found,))
            )
