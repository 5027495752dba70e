"""python -m tests.fuzz [--inputs N] [--guests N] [--seed N] [--only NAME,…]: the nightly run (`make fuzz`).

Every input that breaks a property is kept in tests/fuzz/found/, where the ordinary tests try it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from importlib.util import find_spec

from tests.fuzz.running import FOUND, Report, run_apart
from tests.fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz everything that reads.")
    parser.add_argument("--inputs", type=int, default=28_000, help="how many, over all targets together")
    parser.add_argument("--guests", type=int, default=400, help="how many conversations with real guests")
    parser.add_argument("--seed", type=int, default=None, help="to have the same inputs again")
    parser.add_argument("--only", default="", help=f"targets: {', '.join(TARGETS)}, guests")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(2**31)
    only = [name for name in asked.only.split(",") if name]
    names = [name for name in TARGETS if not only or name in only]
    print(
        f"seed {seed}"
        + ("" if find_spec("atheris") else "; atheris is not installed: no coverage-guided inputs")
    )
    each = asked.inputs // max(1, len(names))
    covered = each // 4 if find_spec("atheris") else 0
    built = each // 5
    reports = {}
    for name in names:
        began = time.monotonic()
        reports[name] = run_apart(name, seed, each - covered - built, built, covered)
        tell(name, reports[name], began)
    if asked.guests and (not only or "guests" in only):
        from tests.fuzz.guests import converse

        began = time.monotonic()
        reports["guests"] = converse(seed, asked.guests)
        tell("guests", reports["guests"], began)
    total = sum(sum(report.runs.values()) for report in reports.values())
    broken = [line for report in reports.values() for line in report.broken]
    print(
        f"{total:,} inputs, {len(broken)} of them broke something" + (f"; kept in {FOUND}" if broken else "")
    )
    return 1 if broken else 0


def tell(name: str, report: Report, began: float) -> None:
    """One line for a target, and one for each thing that it broke."""
    runs = ", ".join(f"{count:,} {kind}" for kind, count in report.runs.items())
    print(f"{name:<12} {runs}  ({time.monotonic() - began:.0f} s)", flush=True)
    for line in report.broken:
        print(f"    {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
