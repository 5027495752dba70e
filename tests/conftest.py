"""With ATTEST_REQUIRE=all, as in CI, what a test lacks is a failure; only a GPU is not asked for."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    asked = os.environ.get("ATTEST_REQUIRE") == "all" and "no GPU: " not in str(report.longrepr)
    if report.skipped and not hasattr(report, "wasxfail") and asked:
        report.outcome = "failed"
        report.longrepr = f"skipped, and ATTEST_REQUIRE=all allows no skip: {report.longrepr}"
    return report
