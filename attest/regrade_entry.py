"""What can be asked of `attest regrade`. It must start at once: nothing but typer is imported here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attest.entry import GradedFolder, TrustOption, path
from attest.worker_entry import BrokerOption, Engine, StoreOption

Checks = list[str] | None


def regrade(  # noqa: PLR0917 - typer calls it by name
    out: GradedFolder,
    accept: Annotated[
        bool, typer.Option("--accept", help="Make the results of the regrade the ones that count.")
    ] = False,
    discard: Annotated[bool, typer.Option("--discard", help="Drop the regrade; nothing changes.")] = False,
    drop: Annotated[
        Checks,
        typer.Option(
            metavar="CHECK",
            help="Take a wrong check out of the points and the maximum for all; may be repeated.",
        ),
    ] = None,
    give: Annotated[
        Checks,
        typer.Option(
            metavar="CHECK",
            help="Give a wrong check's full points to all who could be graded; may be repeated.",
        ),
    ] = None,
    undo: Annotated[
        Checks,
        typer.Option(
            metavar="CHECK", help="Take back what --drop or --give decided of a check; may be repeated."
        ),
    ] = None,
    reason: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Why: students read it with --drop and --give, the history keeps it with --accept.",
        ),
    ] = "",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="STUDENT", help="Grade only this student again; may be repeated."),
    ] = None,
    broken: Annotated[
        bool,
        typer.Option("--broken", help="Only those with a broken check, or not graded by a fault of ours."),
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**53 - 1, help="Another seed (default: that of the run).")
    ] = None,
    assignment: Annotated[
        str | None,
        typer.Option("--assignment", "-a", help="Where the assignment is, if it has moved."),
    ] = None,
    submissions: Annotated[
        list[Path] | None,
        typer.Option(
            parser=path,
            metavar="PATH",
            help="Where the submissions are, if they have moved; may be repeated.",
        ),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(parser=path, metavar="FILE", help="Where the roster is, if it has moved.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, max=256, help="How many to grade at once (default: one per core)."
        ),
    ] = None,
    engine: Annotated[
        Engine | None,
        typer.Option(help="Who grades: processes of this machine, or workers (default: who graded the run)."),
    ] = None,
    broker: BrokerOption = None,
    store: StoreOption = None,
    trust: TrustOption = False,
) -> None:
    """Grade again with the present tests, and show who changes, by how much and why, before it counts.

    The regrade lies in OUT/regrade until --accept or --discard. --drop and --give grade nobody again.

    Exit status: 0 done, 1 some could not be graded or a check is newly broken, 2 wrong use, 130 stopped.
    """
    from attest.accept import accept_command, discard_command
    from attest.adjust import AdjustRequest, adjust_command
    from attest.regrade import RegradeRequest, regrade_command

    adjusting = bool(drop or give or undo)
    grading = bool(only or broken or seed is not None or assignment or submissions or roster or jobs or trust)
    grading = grading or engine is not None
    if accept + discard + adjusting + grading > 1:
        raise typer.BadParameter(
            "expected one of --accept, --discard, an adjustment (--drop, --give and --undo may stand "
            "together), or the options of grading; ask for one after the other."
        )
    if reason and not (accept or adjusting):
        raise typer.BadParameter("it goes with --accept, --drop or --give.", param_hint="--reason")
    if adjusting:
        asked = AdjustRequest(out, tuple(drop or ()), tuple(give or ()), tuple(undo or ()), reason)
        raise typer.Exit(adjust_command(asked))
    if accept:
        raise typer.Exit(accept_command(out, reason))
    if discard:
        raise typer.Exit(discard_command(out))
    raise typer.Exit(
        regrade_command(
            RegradeRequest(
                out,
                assignment,
                tuple(submissions or ()),
                roster,
                frozenset(only or ()),
                broken,
                seed,
                jobs,
                trust,
                None if engine is None else engine is Engine.CELERY,
                broker,
                store,
            )
        )
    )
