"""With ATTEST_REQUIRE=all, as in CI, nothing is skipped: what a test lacks is then a failure."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("ATTEST_REQUIRE") == "all":
        report.outcome = "failed"
        report.longrepr = f"skipped, and ATTEST_REQUIRE=all allows no skip: {report.longrepr}"
    return report
