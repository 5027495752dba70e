"""python -m tests.fuzz.covered TARGET NOW SEED COUNT: inputs led by what code they reach (atheris)."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["graders", "sandbox", "reports", "attest.marksheet", "tomllib", "zipfile"]
):
    from tests.fuzz.properties import failure
    from tests.fuzz.running import Keeper, Report, watched
    from tests.fuzz.targets import TARGETS


def main() -> None:
    name, now, *numbers = sys.argv[1:]
    seed, most = map(int, numbers)
    target = watched(TARGETS[name], Path(now))
    report = Report(runs={"atheris": 0})
    keeper = Keeper(name, report)

    def one(data: bytes) -> None:
        report.runs["atheris"] += 1
        error = failure(target.check, data)
        if error is not None:
            keeper.keep(data, error)
        if report.runs["atheris"] >= most:
            print(json.dumps(asdict(report)), flush=True)
            os._exit(0)  # libFuzzer would end without returning, and without a word

    def damage(data: bytes, most_bytes: int, number: int) -> bytes:
        """Half of the time by the format's own damage, which gets through where single bytes do not."""
        if number % 2:
            return bytes(atheris.Mutate(data, most_bytes))
        try:
            return target.mutate(random.Random(number), [data])[:most_bytes]
        except Exception:  # it is damaged already
            return bytes(atheris.Mutate(data, most_bytes))

    with tempfile.TemporaryDirectory() as folder:
        for index, data in enumerate(target.corpus):
            (Path(folder) / str(index)).write_bytes(data)
        options = [
            f"-seed={seed % 2**31 + 1}",
            "-max_len=65536",
            "-rss_limit_mb=4096",
            "-timeout=60",
            "-verbosity=0",
        ]
        atheris.Setup([sys.argv[0], *options, folder], one, custom_mutator=damage)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
