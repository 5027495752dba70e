"""Results in which every text is a stranger's, and means harm.

`python -m tests.reports.hostile_results FOLDER` renders these and the others, to be looked at.
"""

from __future__ import annotations

import sys
from pathlib import Path

from graders.result import (
    Answer,
    AnswerPiece,
    AssignmentInfo,
    CellResult,
    CheckResult,
    Counterexample,
    Diagnosis,
    LoadResult,
    MapPicture,
    NamedValue,
    Result,
    RubricResult,
    ShownTensor,
    ShownText,
    StudentError,
    SubmissionInfo,
    Verdict,
)
from reports import student_html, student_markdown
from tests.reports.made_results import ALL
from tests.reports.result_maker import result

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "{{ 7*7 }}{% for x in y %}{#",
    "{0.__class__} %s %(x)s ${HOME}",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00 \x9b31m",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200b\ufeff",
    "'\" onfocus=alert(1) autofocus x='",
    "]]></style></script><!-- --><![CDATA[",
    "```\n~~~\n# not a heading\n::set-output name=x::y\n##[error]no\n<b>",
    "[x](javascript:alert(1)) ![i](http://example.com/i.png) <http://example.com> @torvalds #1",
    "Z̷̢̧̡̡̢̛̛̛̬̬̬̬̬̬̬̬̬̬̬̬̬̬̬̬algo",
    "=cmd|' /C calc'!A0",
    "\ud800 lone",
)


def hostile(text: str) -> Result:
    """Return a Result with `text` in every field that a student can steer, and in ours as well."""
    error = StudentError(type=text, message=text, traceback=(text, text))
    value = ShownTensor(shape=(1, 2), dtype=text, values=(text, 1.0), marked=(0,))
    check = CheckResult(
        id="masks/test_x",
        exercise="masks",
        title=text,
        points=0,
        max_points=2,
        verdict=Verdict.ERROR,
        message=text,
        hint=text,
        diagnosis=Diagnosis(variant="v", title=text, section=text),
        counterexample=Counterexample(
            call=text,
            inputs=(NamedValue(name=text, value=ShownText(text=text)), NamedValue(name=text, value=value)),
            got=ShownText(text=text),
            expected=value,
        ),
        error=error,
        pictures=(MapPicture(title=text, alt=text, got=((0.5,),), row_names=(text,)),),
        stdout="out " + text,
        stderr="err " + text,
        internal=text,
    )
    return result(
        text,
        text,
        checks=(
            check,
            check.model_copy(
                update={"id": "masks/test_y", "verdict": Verdict.SKIPPED, "requires": ("test_x",)}
            ),
        ),
        rubric=tuple(
            RubricResult(
                id=f"masks/{number}",
                exercise="masks",
                title=text,
                max_points=4,
                points=points,
                comment=text,
                guidance=text,
                answer_changed=True,
            )
            for number, points in enumerate((None, 4, 1))
        ),
        answers=(
            Answer(exercise="masks", asks=text, pieces=(AnswerPiece(where=text, text="said " + text),)),
        ),
        assignment=AssignmentInfo(id=text, title=text, version=text, exercises=(("masks", text),)),
        submission=SubmissionInfo(source=text, files=(text,), content_hash=text),
        load=LoadResult(
            path=text,
            kind="notebook",
            cells=(CellResult(number=1, status="raised", note=text, error=error),),
            notes=("note " + text,),
            message=text,
            stdout="out " + text,
            stderr="err " + text,
        ),
        internal=text,
        backend=text,
        device=text,
        versions={text: text},
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, one in (ALL | {f"hostile_{n}": hostile(text) for n, text in enumerate(HOSTILE)}).items():
        (folder / f"{name}.html").write_text(student_html(one), "utf-8")
        (folder / f"{name}.md").write_text(student_markdown(one), "utf-8")
