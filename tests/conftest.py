"""What holds for every test: where it runs when several run at a time, and what a skip means.

With ATTEST_REQUIRE=all, as in CI, what a test lacks is a failure; only a GPU is not asked for.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

PORTAL = Path(__file__).parent / "portal"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the portal's tests run beside the others, file by file; the others share canaries and an engine.

    What takes longest begins first.
    """
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        group = item.path.stem if item.path.is_relative_to(PORTAL) else "elsewhere"
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: (item.path.is_relative_to(PORTAL), item.path.stem != "test_postgresql"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    asked = os.environ.get("ATTEST_REQUIRE") == "all" and "no GPU: " not in str(report.longrepr)
    if report.skipped and not hasattr(report, "wasxfail") and asked:
        report.outcome = "failed"
        report.longrepr = f"skipped, and ATTEST_REQUIRE=all allows no skip: {report.longrepr}"
    return report
