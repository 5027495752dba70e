"""axe-core in a real page: what would keep somebody from reading or using it. `make test` installs it."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]
NARROWEST = 320  # as wide as a page of 1280 is at 400 %

_RUN = """() => axe.run(document, { resultTypes: ["violations"] }).then((found) =>
  found.violations.flatMap((one) => one.nodes.map((node) =>
    [one.impact, one.id, node.target.join(" "), node.failureSummary.replace(/\\s+/g, " ")])))"""
_OVERFLOW = """() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return "";
  const wide = [...document.querySelectorAll("body *")].filter((one) => !one.closest(".scroll") &&
    one.getBoundingClientRect().right > root.clientWidth + 1);
  return `${root.scrollWidth} px: ` + wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 80)).join(" ");
}"""


@cache
def _source() -> str:
    if not AXE.is_file():
        if os.environ.get("ATTEST_REQUIRE") == "all":
            pytest.fail(f"{AXE} is missing, and ATTEST_REQUIRE=all asks for it: see make test.")
        pytest.skip("axe-core is not installed; make test does, where there is npm.")
    return AXE.read_text("utf-8")


def faults(page: Page, inside: Frame | None = None) -> list[str]:
    """Return what is seriously wrong with a page, light and dark, wide and narrow, or cut off.

    `inside` is a frame as wide as the page, to look at in its place.
    """
    found: dict[str, None] = {}
    looked_at = inside or page
    looked_at.evaluate(_source())
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        for impact, rule, place, summary in looked_at.evaluate(_RUN):
            if impact in ("serious", "critical"):
                found[f"{scheme} {width}: {rule}: {place}: {summary}"] = None
    page.set_viewport_size({"width": NARROWEST, "height": 900})
    if overflow := looked_at.evaluate(_OVERFLOW):
        found[f"{NARROWEST} px: scrolls sideways: {overflow}"] = None
    return list(found)
