"""axe-core finds nothing serious in a student's report or a cohort's page, whatever is in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.axe import faults
from tests.reports.made_results import ALL


@pytest.mark.parametrize("name", [*ALL, "hostile 0", "cohort", "hostile cohort"])
def test_a_document_keeps_nobody_out(name: str, pages: dict[str, Path], browser: BrowserContext) -> None:
    page = browser.new_page()
    page.goto(pages[name].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")

    assert faults(page) == []
    page.close()
