"""On a terminal a student reads what the page says, pictures in words."""

from __future__ import annotations

import pytest

from attest.student_text import student_text
from graders.result import Fact, MapPicture, Verdict
from reports.student_view import student_view
from tests.reports.result_maker import passing, result

SHOWN = {
    "pictures": (
        MapPicture(title="Which source moves which target", alt="Source 1 moves target 0.", got=((1.0,),)),
    ),
    "facts": (Fact(name="Parameters", text="66,048\x1b[2J"),),
}


@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.FAILED])
def test_facts_and_pictures_are_lines_whatever_the_verdict(verdict: Verdict) -> None:
    one = result("x", "X", checks=passing(test_values={"verdict": verdict, **SHOWN}))
    lines = student_text(student_view(one), 160).plain.splitlines()
    assert "    Which source moves which target: Source 1 moves target 0." in lines
    assert "    Parameters: 66,048" in lines
