"""`attest table`: a run's results as a table for another program."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attest.terminal import ALL_WELL, console, sentences, shown_path
from graders.adjustments import AdjustmentsError
from graders.installing import install_command
from graders.marks import MarksError
from graders.output import OutputError, read_results, reason, unfinished_run
from graders.result import Result, ResultError
from graders.writing_whole import write_whole
from reports.amounts import count_text

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]


def table_command(out: Path, file: Path, *, checks: bool) -> int:
    """Write `file`, in the format that its name ends with; return the exit status."""
    with sentences(OutputError, ResultError, MarksError, AdjustmentsError):
        kind = file.suffix.lower()
        if kind not in FORMATS:
            raise OutputError(
                f"{shown_path(file)}: its name ends with {kind or 'nothing'}; "
                f"expected one of {', '.join(FORMATS)}."
            )
        unfinished = unfinished_run(out)
        results = sorted(
            read_results(out), key=lambda result: (result.student.name or result.student.id).casefold()
        )
        data = FORMATS[kind](results, checks)
        try:
            write_whole(file, data)
        except OSError as error:
            raise OutputError(f"{shown_path(file)}: {reason(error, 'another file')}") from None
    console().print(
        f"{shown_path(file)}: {count_text(len(results), 'student')}"
        f"{', a row for each check' if checks else ''}.",
        soft_wrap=True,
    )
    if unfinished:
        console().print(unfinished, soft_wrap=True)
    return ALL_WELL


def _frame(results: Sequence[Result], checks: bool) -> pandas.DataFrame:
    from reports.frames import checks_frame, students_frame

    return checks_frame(results) if checks else students_frame(results)


def _csv(results: Sequence[Result], checks: bool) -> bytes:
    text: str = _frame(results, checks).to_csv(index=False, lineterminator="\n")
    return text.encode()


def _jsonl(results: Sequence[Result], checks: bool) -> bytes:
    text: str = _frame(results, checks).to_json(orient="records", lines=True, force_ascii=False)
    return text.encode()


def _parquet(results: Sequence[Result], checks: bool) -> bytes:
    file = io.BytesIO()
    try:
        _frame(results, checks).to_parquet(file, index=False)
    except ImportError:
        raise OutputError(
            "Parquet needs the package pyarrow, which is not installed. Name a .csv or .jsonl file, or run: "
            f"{install_command('parquet')}"
        ) from None
    return file.getvalue()


def _junit(results: Sequence[Result], checks: bool) -> bytes:  # noqa: ARG001 - it has a case for each check anyhow
    from reports.frames import junit_xml

    return junit_xml(results)


FORMATS: dict[str, Callable[[Sequence[Result], bool], bytes]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".jsonl": _jsonl,
    ".xml": _junit,
}
