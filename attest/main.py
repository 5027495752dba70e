"""The command line: what can be asked, and where it is done.

It must start at once: nothing but typer is imported here. Each command imports its own module when it is
called, and that module imports torch, pytest or pandas only when it needs them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attest.entry import (
    Confined,
    Device,
    DeviceOption,
    GradedFolder,
    Isolation,
    IsolationOption,
    RuntimeOption,
    SandboxOption,
    TrustOption,
    check,
    doctor,
    new_app,
    path,
    run,
    submit,
)
from attest.export_entry import export
from attest.image_entry import image
from attest.portal_entry import backup, restore, serve
from attest.regrade_entry import regrade
from attest.worker_entry import BrokerOption, Engine, StoreOption, worker

app = new_app(
    "Grade PyTorch attention exercises: in a sandbox, with hidden tests, with feedback that teaches.",
    "Start with: attest check FILE (a student), attest grade ASSIGNMENT PATH -o OUT (an instructor).",
)

Submissions = Annotated[
    list[Path],
    typer.Argument(
        parser=path,
        metavar="PATH...",
        help="A folder with one file or folder per student, single files, or a zip.",
    ),
]


@app.command()
def grade(  # noqa: PLR0917 - typer calls it by name
    assignment: Annotated[
        str, typer.Argument(help="An assignment's name (examples, examples/masks) or folder.")
    ],
    paths: Submissions,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            parser=path,
            metavar="FOLDER",
            help="The folder for results and reports; made if need be.",
        ),
    ],
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            max=256,
            help="How many to grade at once (default: one per core; with --engine celery: as many as there "
            "are workers for).",
        ),
    ] = None,
    engine: Annotated[
        Engine,
        typer.Option(help="Who grades: processes of this machine, or workers (see `attest worker --help`)."),
    ] = Engine.LOCAL,
    broker: BrokerOption = None,
    store: StoreOption = None,
    sandbox: SandboxOption = "bubblewrap",
    trust: TrustOption = False,
    isolation: IsolationOption = Isolation.GUEST,
    runtime: RuntimeOption = None,
    device: DeviceOption = Device.CPU,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**53 - 1, help="Repeat an earlier run exactly (default: a new secret seed)."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="What packed the submissions (default: told by the names): canvas, moodle, blackboard, "
            "gradescope, nbgrader, folder or git.",
        ),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            parser=path, metavar="FILE", help="Who is in the course: a CSV, or the LMS's own table."
        ),
    ] = None,
    attempts: Annotated[
        str, typer.Option(metavar="best|last|first", help="Which of several attempts counts.")
    ] = "last",
    due: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="When it was due: '2026-11-30 23:59 Europe/Berlin'."),
    ] = None,
    late: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="What coming late costs: '10% per day, at most 50%, grace 15 min', or none.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", hidden=True, help="As without it: what is graded already stays.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Grade everybody again, in place of an earlier run in OUT.")
    ] = False,
) -> None:
    """Grade a cohort, and leave a report for each student, an index and a grade table in OUT.

    The same command again grades only what has changed since.

    Exit status: 0 all graded, 1 some could not be (they are named), 2 wrong use, 130 stopped by Ctrl-C.
    """
    from attest.grade import grade_command
    from attest.grade_request import GradeRequest
    from attest.intake import IntakeOptions

    confined = Confined(sandbox, trust, isolation, runtime, device)
    raise typer.Exit(
        grade_command(
            GradeRequest(
                assignment,
                tuple(paths),
                out,
                jobs,
                confined,
                seed,
                resume=resume,
                force=force,
                celery=engine is Engine.CELERY,
                broker=broker,
                store=store,
                intake=IntakeOptions(source, roster, attempts, due, late),
            )
        )
    )


app.command()(check)
app.command()(submit)
app.command()(worker)


@app.command()
def validate(  # noqa: PLR0917 - typer calls it by name
    assignments: Annotated[
        list[str] | None, typer.Argument(metavar="[ASSIGNMENT...]", help="Names or folders of assignments.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every assignment that comes with Attest.")
    ] = False,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Repeat with this many different seeds.")] = 2,
    first_seed: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="The first of them: a long proof can be made in parts.")
    ] = 1,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this program, such as a variant's name, or all that are model, accepted, starter or "
            "variant; may be repeated.",
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="FILE", help="Write the tables as Markdown, too."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(parser=path, metavar="FILE", help="Write the tables as a page, too.")
    ] = None,
    sandbox: SandboxOption = "bubblewrap",
    trust: TrustOption = False,
    isolation: IsolationOption = Isolation.GUEST,
    runtime: RuntimeOption = None,
    device: DeviceOption = Device.CPU,
) -> None:
    """Prove an assignment: right answers get full marks, the starter none, each variant loses.

    Exit status: 0 all as it should be, 1 something is not, 2 wrong use.
    """
    from attest.validate import Documents, validate_command

    documents = Documents(markdown, html)
    confined = Confined(sandbox, trust, isolation, runtime, device)
    raise typer.Exit(
        validate_command(
            assignments or [],
            everything,
            range(first_seed, first_seed + seeds),
            confined,
            only=only or [],
            documents=documents,
        )
    )


@app.command()
def new(
    folder: Annotated[
        Path,
        typer.Argument(parser=path, metavar="ASSIGNMENT", help="The folder to make; its name is the id."),
    ],
    title: Annotated[
        str | None, typer.Option(help="What students read (default: made of the folder's name).")
    ] = None,
) -> None:
    """Make a folder with a small assignment that validates at once, to be changed into your own."""
    from attest.new import new_command

    raise typer.Exit(new_command(folder, title))


@app.command()
def release(
    assignment: Annotated[str, typer.Argument(help="An assignment's name or folder.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", parser=path, metavar="FOLDER", help="The folder to write; new or empty."),
    ],
) -> None:
    """Write what students get: handout, starter files and public checks, and nothing that is hidden."""
    from attest.release import release_command

    raise typer.Exit(release_command(assignment, out))


@app.command()
def report(
    out: GradedFolder,
) -> None:
    """Render the reports again from the results, without grading."""
    from attest.report import report_command

    raise typer.Exit(report_command(out))


@app.command()
def table(
    out: GradedFolder,
    file: Annotated[
        Path,
        typer.Argument(
            parser=path, metavar="FILE", help="Ends with .csv, .parquet, .jsonl, or .xml for JUnit's."
        ),
    ],
    checks: Annotated[
        bool, typer.Option("--checks", help="A row for each student and check, not for each student.")
    ] = False,
) -> None:
    """Write the results as a table for another program: CSV, Parquet, JSON Lines or JUnit XML."""
    from attest.table import table_command

    raise typer.Exit(table_command(out, file, checks=checks))


@app.command()
def similar(
    paths: Submissions,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            parser=path,
            metavar="FOLDER",
            help="Write an index and each pair side by side as pages, and pairs.csv.",
        ),
    ] = None,
    assignment: Annotated[
        str | None,
        typer.Option(
            "--assignment",
            "-a",
            help="What its starter files and model solutions hold counts for nothing.",
        ),
    ] = None,
    starter: Annotated[
        list[Path] | None,
        typer.Option(
            parser=path, metavar="FILE", help="Another file that everybody began with; may be repeated."
        ),
    ] = None,
    least: Annotated[float, typer.Option(min=0.05, max=1.0, help="Show pairs from this likeness on.")] = 0.5,
) -> None:
    """Find submissions that share code beyond the starter files and what many have. It runs none of it."""
    from attest.similar import SimilarRequest, similar_command

    raise typer.Exit(
        similar_command(SimilarRequest(tuple(paths), out, assignment, tuple(starter or ()), least))
    )


app.command()(doctor)
app.command()(regrade)


@app.command()
def rubric(
    out: GradedFolder,
    export: Annotated[
        Path | None,
        typer.Option("--export", parser=path, metavar="FILE", help="Write the answers into a CSV table."),
    ] = None,
    imported: Annotated[
        Path | None,
        typer.Option("--import", parser=path, metavar="FILE", help="Read points and comments back from it."),
    ] = None,
) -> None:
    """Have people mark the answers in words: a table out, the marks back, or how far it is.

    Exit status: 0 done, 1 the table has mistakes and nothing was changed, or a
    result cannot be read, 2 wrong use.
    """
    from attest.rubric import rubric_command

    raise typer.Exit(rubric_command(out, export, imported))


app.add_typer(image)
app.add_typer(export)


@app.command()
def gradebook(  # noqa: PLR0917 - typer calls it by name
    out: GradedFolder,
    files: Annotated[
        list[Path], typer.Argument(parser=path, metavar="FILE...", help="What the LMS gave to download.")
    ],
    lms: Annotated[
        str, typer.Option("--lms", metavar="LMS", help="canvas, moodle, blackboard or gradescope.")
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            parser=path,
            metavar="FILE",
            help="Where to write (default: FILE.graded.csv beside it).",
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option(metavar="NAME", help="The assignment's column, where it cannot be told.")
    ] = None,
    scale: Annotated[
        bool | None,
        typer.Option(
            "--scale/--no-scale", help="Convert to the LMS's maximum where it is another, or do not."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what an earlier call wrote.")] = False,
) -> None:
    """Fill the grades into the file that an LMS gave; nothing else in it changes.

    Exit status: 0 all written, 1 some could not be (they are named), 2 wrong use.
    """
    from attest.gradebook import GradebookRequest, gradebook_command

    raise typer.Exit(gradebook_command(GradebookRequest(out, lms, tuple(files), to, column, scale, force)))


for portal_command in (serve, backup, restore):
    app.command()(portal_command)


def main() -> None:
    """Entry point of the `attest` program."""
    run(app)
