"""A few of the conversations with real guests that `make fuzz` has by the hundred."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.fuzz.guests import converse

CONVERSATIONS = 24


def test_damaged_frames_cost_the_guest_that_sends_them_and_nobody_else() -> None:
    if shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all":
        pytest.skip("bubblewrap (bwrap) is not installed")
    report = converse(seed=4, count=CONVERSATIONS)
    assert not report.broken
    assert report.runs == {"conversations": CONVERSATIONS, "packets": CONVERSATIONS // 2}
