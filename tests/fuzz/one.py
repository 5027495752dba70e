"""python -m tests.fuzz.one TARGET NOW SEED DAMAGED BUILT: one target in its own process; prints a Report."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.running import run_here, watched
from tests.fuzz.targets import TARGETS

if __name__ == "__main__":
    name, now, *numbers = sys.argv[1:]
    seed, mutated, built = map(int, numbers)
    print(json.dumps(asdict(run_here(watched(TARGETS[name], Path(now)), seed, mutated, built))), flush=True)
