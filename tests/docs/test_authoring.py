"""docs/authoring.md comes true: what it tells a newcomer to write is an assignment that validates."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "authoring.md"
ATTEST = Path(sys.executable).with_name("attest")


def attest(folder: Path, *arguments: str) -> str:
    command = [str(ATTEST), *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def commands() -> list[list[str]]:
    lines = "".join(blocks("console")).splitlines()
    return [re.findall(r'"[^"]*"|\S+', line.removeprefix("$ attest ")) for line in lines]


def test_following_the_page_gives_a_validated_assignment_and_a_handout(tmp_path: Path) -> None:
    new, *later = commands()
    attest(tmp_path, *(word.strip('"') for word in new))
    folder = tmp_path / "relu_task"
    solution, public, hidden, in_place = blocks("python")
    for name in ("variants", "accepted"):
        shutil.rmtree(folder / name)
        (folder / name).mkdir()
    (folder / "solution" / "standardize.py").unlink()
    files = {
        "solution/relu.py": solution,
        "handout.md": blocks("markdown")[0],
        "tests/test_public.py": public,
        "tests/test_hidden.py": hidden,
        "variants/in_place.py": in_place,
        "assignment.toml": blocks("toml")[0],
    }
    # The page gives these three by their one line.
    for place, name in (("variants", "absolute"), ("variants", "leaky"), ("accepted", "half_of_sum")):
        said = re.search(rf"`{place}/{name}\.py`\s+with\s+`(return [^`]*)`", PAGE.read_text(encoding="utf-8"))
        assert said is not None
        files[f"{place}/{name}.py"] = f"import torch\n\n\ndef relu(x):\n    {said[1]}\n"
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    validated, released = later[1], later[2]
    assert "all as it should be" in attest(tmp_path, *validated)
    attest(tmp_path, *released)
    names = sorted(
        p.relative_to(tmp_path).as_posix() for p in (tmp_path / "handout").rglob("*") if p.is_file()
    )
    assert names == [
        "handout/checks/assignment.toml",
        "handout/checks/tests/test_public.py",
        "handout/handout.md",
        "handout/relu.ipynb",
        "handout/relu.py",
    ]
