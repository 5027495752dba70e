"""A real browser for the pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, sync_playwright

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """Chromium, offline, with a new profile; one at a time, whichever folder of tests asks for it."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        if os.environ.get("ATTEST_REQUIRE") == "all":
            pytest.fail("Chromium is not installed, and ATTEST_REQUIRE=all asks for it.")
        pytest.skip("Chromium is not installed.")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=program,
            args=FLAGS,
            offline=True,
            viewport={"width": 1000, "height": 800},
        )
        yield context
        context.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every page as a file, by name."""
    from reports import index_html, student_html
    from tests.reports.hostile_results import HOSTILE, hostile
    from tests.reports.made_results import ALL

    folder = tmp_path_factory.mktemp("pages")
    html = {name: student_html(result) for name, result in ALL.items()}
    html |= {
        f"hostile {n}": student_html(hostile(text), audience="instructor") for n, text in enumerate(HOSTILE)
    }
    links = {result.student.id: f"reports/{name}.html" for name, result in ALL.items()}
    html["cohort"] = index_html(ALL.values(), links)
    html["hostile cohort"] = index_html([*map(hostile, HOSTILE), *ALL.values()], links)
    for name, text in html.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: folder / f"{name}.html" for name in html}
