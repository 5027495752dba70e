"""What a submission costs in a small and in a large cohort: `python -m benchmarks.scale [--sizes 100,1000]`.

Every size is graded by the command itself, `attest grade` with two workers, then once more with nothing
changed. Between the sizes the smallest is run again: what those runs differ by is the noise of this machine.
A run that takes longer than `--minutes` is stopped, and what it graded until then is what is measured.

Bars: memory stays flat and under 2 GB, a submission takes no more than 10 % longer than in the smallest
cohort, a rerun takes less than 5 % of the largest run. On a machine that does something else too, the clock
tells little: the bar is on processor time, counted in a fixed piece of work that is done again and again
meanwhile (a yard), and the clock is printed beside it. Exit status: 0 every bar is met, 1 one is not.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.cohort_watch import Look, Watched, watch
from benchmarks.index_page import in_browser

HERE = Path(__file__).resolve().parent
ASSIGNMENT = HERE / "assignment"  # the lesson's first example, in five checks
RIGHT = 0.6  # of the submissions
WARM = 10  # submissions at the beginning that pay for what is made once: cases, variants, expected values
MEMORY_BAR = 2 * 10**9
GROWTH_BAR = 0.10  # from the second tenth of a run to its last
TIME_BAR = 0.10
RERUN_BAR = 0.05
INTERRUPTED = 130
ATTEST = [sys.executable, "-P", "-c", "from attest.main import main; main()"]


@dataclass(frozen=True)
class Measured:
    """One cohort graded, and graded again with nothing changed."""

    size: int  # submissions that were graded
    load: float  # of the machine, when it was begun
    run: Watched
    rerun: Watched | None
    kept: Disk

    @property
    def wall(self) -> float:
        """Seconds for a submission, without what comes once in a run."""
        done = self.run.done_at
        return (done[-1] - done[WARM - 1]) / (len(done) - WARM)

    def cpu(self, first: float = 0.0, last: float = 1.0) -> float:
        """Processor seconds for a submission, of all processes, between two points of a run."""
        begin, end = self._between(first, last)
        return (end.cpu_seconds - begin.cpu_seconds) / max(1, end.done - begin.done)

    def in_yards(self, first: float = 0.0, last: float = 1.0) -> float:
        """Return the same in the fixed pieces of work that were done meanwhile."""
        begin, end = self._between(first, last)
        yards = [look.yard_seconds for look in self.run.looks if begin.seconds <= look.seconds <= end.seconds]
        return self.cpu(first, last) / median(yards)

    def memory(self, first: float, last: float) -> float:
        """Return the mean of all that is held between two points of a run, in bytes."""
        some = [look.total for look in self._looks() if first <= look.done / self.size <= last]
        return sum(some) / len(some) if some else float("nan")

    def _between(self, first: float, last: float) -> tuple[Look, Look]:
        looks = self._looks()
        some = [look for look in looks if first <= look.done / self.size <= last]
        return (some[0], some[-1]) if len(some) > 1 else (looks[0], looks[-1])

    def _looks(self) -> list[Look]:
        """Return the looks while all workers graded: what one has used is not known once it has ended."""
        most = max(look.cpu_seconds for look in self.run.looks)
        graded = [look for look in self.run.looks if WARM <= look.done < self.size]
        return list(takewhile(lambda look: look.cpu_seconds < most, graded)) or graded


@dataclass(frozen=True)
class Disk:
    """What a run leaves."""

    results: int  # bytes of their contents, as are `pages`
    pages: int
    on_disk: int  # bytes of whole blocks, of everything
    files: int
    folders: int  # bytes of the folders themselves: their lists of names
    index: int  # bytes of index.html
    opened_ms: float | None  # until Chromium has painted it; None where there is none

    @classmethod
    def of(cls, out: Path) -> Disk:
        """Measure OUT."""
        files = [path for path in out.rglob("*") if path.is_file()]
        return cls(
            results=sum(path.stat().st_size for path in files if path.parent.name == "results"),
            pages=sum(path.stat().st_size for path in files if path.parent.name == "reports"),
            on_disk=sum(path.stat().st_blocks * 512 for path in out.rglob("*")),
            files=len(files),
            folders=sum(path.stat().st_size for path in (out, *out.rglob("*")) if path.is_dir()),
            index=(out / "index.html").stat().st_size,
            opened_ms=opened_ms(out / "index.html"),
        )


def opened_ms(page: Path) -> float | None:
    """Return the milliseconds until Chromium has painted a page, the median of three; None without one."""
    with tempfile.TemporaryDirectory() as profile:
        took = in_browser(page, Path(profile))
    return took[0].ms if took else None


def submissions(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield (what it is made of, program): right, or wrong as students are, no two programs alike."""
    sources = {path.stem: path.read_text("utf-8") for path in sorted((HERE / "submissions").glob("*.py"))}
    wrong = [name for name in sources if (ASSIGNMENT / "variants" / f"{name}.py").is_file()]
    right = [name for name in sources if name not in wrong]
    dice = Random(seed)
    for number in range(count):
        name = dice.choice(right if dice.random() < RIGHT else wrong)
        yield name, edited(sources[name], number, dice)


def edited(source: str, number: int, dice: Random) -> str:
    """Return a program that does the same and is another file."""
    for name in ("scores", "weights", "query", "value"):
        if dice.random() < 0.5:
            source = re.sub(rf"\b{name}\b(?!=)", f"{name}_{dice.randrange(100)}", source)
    source = source.replace("1e9", f"{dice.randrange(2, 9)}e9")
    unused = f"\n\ndef try_{dice.randrange(1000)}(x):\n    return x + {dice.randrange(1000)}\n"
    return f"# my attempt, number {number}\n{source}{unused if dice.random() < 0.3 else ''}"


def measure(size: int, jobs: int, folder: Path, minutes: float, keep: Path | None = None) -> Measured:
    """Grade a cohort of this size in `folder`; nothing of it stays there."""
    cohort, out = folder / "cohort", folder / "out"
    cohort.mkdir()
    for number, (_, source) in enumerate(submissions(size)):
        (cohort / f"s{number:06}.py").write_text(source, "utf-8")
    command = [*ATTEST, "grade", str(ASSIGNMENT), str(cohort), "-o", str(out), "--jobs", str(jobs)]
    every = min(2.0, max(0.25, size / 500))
    load = os.getloadavg()[0]
    run = watch(command, folder, every, 60 * minutes)
    stopped = run.status == INTERRUPTED and len(run.done_at) > 2 * WARM
    if not stopped and (run.status != 0 or len(run.done_at) != size):
        sys.exit("\n".join([f"The run of {size:,} ended with {run.status}:", *run.said]))
    rerun = None
    if not stopped:
        rerun = watch(command, folder, 0.25)
        if rerun.status != 0 or rerun.done_at:
            sys.exit("\n".join([f"The rerun of {size:,} was not one in which nothing changed:", *rerun.said]))
    kept = Disk.of(out)
    shutil.rmtree(cohort)
    if keep is not None:
        shutil.rmtree(keep / str(size), ignore_errors=True)
        shutil.copytree(out, keep / str(size))
    shutil.rmtree(out)
    return Measured(len(run.done_at), load, run, rerun, kept)


def report(one: Measured) -> Iterator[str]:
    """Say what was measured of one cohort."""
    kinds = ", ".join(f"{kind} {count / 1e6:.0f}" for kind, count in one.run.most.memory.items())
    kept, each = one.kept, 1e3 * one.size
    yield f"{one.size:,} submissions in {one.run.seconds:.0f} s, load {one.load:.1f} at the start"
    yield f"  a submission      {1000 * one.wall:9.1f} ms, {1000 * one.cpu():.1f} ms of processor time"
    yield f"    first tenth     {one.in_yards(0.0, 0.1):9.2f} yards"
    yield f"    last tenth      {one.in_yards(0.9, 1.0):9.2f} yards"
    yield f"  most memory       {one.run.most.total / 1e6:9.0f} MB ({kinds})"
    yield f"    second tenth    {one.memory(0.1, 0.2) / 1e6:9.0f} MB"
    yield f"    last tenth      {one.memory(0.9, 1.0) / 1e6:9.0f} MB"
    yield f"  on the disk       {kept.on_disk / each:9.1f} kB for each, in {kept.files:,} files"
    yield f"    contents        {kept.results / each:9.1f} kB of result, {kept.pages / each:.1f} kB of pages"
    yield f"    folders         {kept.folders / 1e3:9.0f} kB"
    yield f"  index.html        {kept.index / 1e3:9.0f} kB{_opened(kept)}"
    if one.rerun is not None:
        share, most = 100 * one.rerun.seconds / one.run.seconds, one.rerun.most.total / 1e6
        yield f"  nothing changed   {one.rerun.seconds:9.1f} s, {share:.1f} % of the run, {most:.0f} MB"


def _opened(kept: Disk) -> str:
    return "" if kept.opened_ms is None else f", opens in {kept.opened_ms:.0f} ms"


def bars(small: list[Measured], large: Measured) -> Iterator[tuple[str, float, float]]:
    """Yield what must not be more than what."""
    yield "MB of memory at most, all processes", large.run.most.total / 1e6, MEMORY_BAR / 1e6
    grown = large.memory(0.9, 1.0) / large.memory(0.1, 0.2) - 1
    yield "% more memory in the last tenth than in the second", 100 * grown, 100 * GROWTH_BAR
    longer = large.in_yards() / median(one.in_yards() for one in small) - 1
    yield "% more processor time for a submission than in the smallest cohort", 100 * longer, 100 * TIME_BAR
    share = large.rerun.seconds / large.run.seconds if large.rerun else float("nan")  # it was stopped
    yield "% of the run for a rerun with nothing changed", 100 * share, 100 * RERUN_BAR


def main() -> int:
    """Measure and print; return the exit status."""
    arguments = _arguments()
    sizes = sorted(int(size) for size in arguments.sizes.split(","))
    if sizes[0] < 3 * WARM:
        sys.exit(f"--sizes: {sizes[0]} is too few to measure; expected at least {3 * WARM}.")
    order = [sizes[0], *(size for larger in sizes[1:] for size in (larger, sizes[0]))]
    print(f"{os.cpu_count()} cores, {arguments.jobs} workers, assignment {ASSIGNMENT.name}", flush=True)
    found: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="attest-scale-", dir=arguments.folder) as name:
        for size in order:
            found.append(measure(size, arguments.jobs, Path(name), arguments.minutes, arguments.keep))
            print("\n".join(report(found[-1])), flush=True)
    small = [one for one in found if one.size == sizes[0]]
    noise = [one.in_yards() for one in small]
    print(f"\nThe runs of {sizes[0]:,} took {min(noise):.2f} to {max(noise):.2f} yards for a submission.")
    failed = False
    for what, value, bar in bars(small, max(found, key=lambda one: one.size)):
        met = value <= bar
        failed |= not met
        print(f"{value:9.1f} {what:66} bar ≤ {bar:g}: {'met' if met else 'NOT MET'}")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="100,1000", help="cohorts to grade, for example 100,1000,10000")
    parser.add_argument("--jobs", type=int, default=2, help="workers of each run")
    parser.add_argument("--minutes", type=float, default=120.0, help="after which a run is stopped")
    parser.add_argument("--folder", type=Path, help="where cohorts and results lie meanwhile")
    parser.add_argument("--keep", type=Path, help="a folder in which the results stay")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
