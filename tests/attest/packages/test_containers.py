"""The packages in containers of a bare system, laid out as Gradescope and PrairieLearn do it.

Nothing comes from the network: the wheels are in the packages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from attest.main import app
from attest.packages.wheel import constraints, requirements
from tests.attest.conftest import RIGHT, write_assignment

from .conftest import Check
from .laid_out import metadata, submit, unpack, write_metadata

BASES = (
    f"python:{sys.version_info.major}.{sys.version_info.minor}-slim",  # as .ci/engine makes them
    *(f"attest-base:{suite}" for suite in ("bookworm", "trixie", "forky")),
)

# What it finds it prints, and the report shows what was printed.
HOSTILE = '''
import os, sys

TARGETS = """
/autograder/results/results.json /autograder/results /autograder/source /autograder/source/package.json
/autograder/source/assignment/tests/test_hidden.py /autograder/source/assignment/solution/double.py
/autograder/submission /autograder/submission_metadata.json /grade/tests/package.json /grade/results
/grade/results/results.json /grade/student /grade/data/data.json /etc/shadow
""".split()
site = f"/opt/attest/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
TARGETS += [f"{site}/{name}" for name in ("graders", "reference", "graders/__init__.py")]


def attempt(target):
    os.chmod(target, 0o777)  # which a guest is told to have done
    for how, act in (
        ("READ", lambda: os.listdir(target) if os.path.isdir(target) else open(target).read()),
        ("WROTE", lambda: open(target, "w").write('{"score": 999}')),
        ("MADE", lambda: open(f"{target}/results.json", "w").write('{"score": 999}')),
        ("MOVED", lambda: os.rename(target, f"{target}.old")),
    ):
        try:
            act()
        except OSError:
            continue
        print(f"{how} {target}")


for target in TARGETS:
    try:
        attempt(target)
    except OSError:
        pass
for pid in range(1, 500):
    try:
        open(f"/proc/{pid}/environ").read()
        if pid not in (os.getpid(), os.getppid()):
            print("READ the environment of", pid)
        os.kill(pid, 9)
        print("KILLED", pid)
    except OSError:
        pass
print("UID", os.getuid())
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time

        for _ in range(10_000):
            for target in ("/autograder/results/results.json", "/grade/results/results.json"):
                try:
                    open(target, "w").write('{"score": 999, "tests": []}')
                except OSError:
                    time.sleep(0.01)
    os._exit(0)


def double(x):
    return x + x
'''

# As on a kernel that has none of it.
WITHOUT_LANDLOCK = {
    "defaultAction": "SCMP_ACT_ALLOW",
    "syscalls": [
        {
            "names": ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": 38,
        }
    ],
}


def docker(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["docker", *map(str, arguments)], capture_output=True, text=True, check=False, timeout=900, **options
    )


@pytest.fixture(scope="module")
def base() -> str:
    """An image of a bare Debian, or of Python on one."""
    if shutil.which("docker") is None or docker("info").returncode:
        pytest.skip("no Docker engine answers")
    found = [name for name in BASES if docker("image", "inspect", name).returncode == 0]
    if not found:
        pytest.skip(f"none of the images {', '.join(BASES)} is here (.ci/engine makes one)")
    return found[0]


@pytest.fixture(scope="module")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of all that a package installs."""
    folder = tmp_path_factory.mktemp("wheels")
    (folder / "requirements.txt").write_text(requirements())
    (folder / "constraints.txt").write_text(constraints())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "-w", folder / "wheels"]
    pip += ["-r", folder / "requirements.txt", "-c", folder / "constraints.txt"]
    subprocess.run(pip, check=True, capture_output=True)
    return folder / "wheels"


def export(folder: Path, to: str, *options: str | Path) -> Path:
    """Write a package of a small assignment by the command line, and unpack it."""
    assignment = write_assignment(folder / "doubling")
    with pytest.raises(SystemExit) as ended:
        app(["export", to, str(assignment), "-o", str(folder / "p.zip"), *map(str, options)])
    assert ended.value.code == 0
    unpack(folder / "p.zip", folder / "unpacked")
    (folder / "p.zip").unlink()
    return folder / "unpacked"


def through(said: str) -> list[str]:
    """Return what the hostile submission says that it has managed to do."""
    return [line for line in said.splitlines() if re.search("READ|WROTE|MADE|MOVED|KILLED", line)]


def build(context: Path, name: str, *options: str) -> Iterator[str]:
    run = docker("build", "--network", "none", "--tag", name, *options, context)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    yield name
    docker("image", "rm", "--force", name)


@pytest.fixture(scope="module")
def gradescope(base: str, wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An image made as Gradescope makes it of a package."""
    folder = tmp_path_factory.mktemp("gradescope")
    export(folder, "gradescope", "--wheelhouse", wheelhouse).rename(folder / "source")
    shutil.rmtree(folder / "doubling")
    (folder / "Dockerfile").write_text(
        f"FROM {base}\n"
        "COPY source /autograder/source\n"
        "RUN cp /autograder/source/run_autograder /autograder/ && bash /autograder/source/setup.sh\n"
        "WORKDIR /autograder\n"
    )
    yield from build(folder, f"attest-test-gradescope:{os.getpid()}")


def grade(
    image: str, folder: Path, files: Mapping[str, str], fits: Check, *options: str
) -> tuple[dict[str, Any], str]:
    """Hand in files as Gradescope does; return results.json, and what instructors see printed."""
    submit(folder / "submission", files)
    write_metadata(folder, metadata())
    (folder / "results").mkdir()
    run = docker(
        *("run", "--rm", "--network", "none", *options),
        *("--volume", f"{folder / 'submission'}:/autograder/submission"),
        *("--volume", f"{folder / 'results'}:/autograder/results"),
        *("--volume", f"{folder / 'submission_metadata.json'}:/autograder/submission_metadata.json"),
        *(image, "/autograder/run_autograder"),
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads((folder / "results" / "results.json").read_bytes())
    fits("gradescope", found)
    return found, run.stdout


def test_gradescope_grades_in_a_bare_container(gradescope: str, tmp_path: Path, fits: Check) -> None:
    found, printed = grade(gradescope, tmp_path, {"double.py": RIGHT}, fits)
    assert found["score"] == 5, printed
    assert "Backend" in printed


@pytest.mark.parametrize("landlock", [True, False], ids=["landlock", "permissions alone"])
def test_a_hostile_submission_reads_writes_and_leaves_nothing(
    gradescope: str, tmp_path: Path, fits: Check, landlock: bool
) -> None:
    (tmp_path / "without.json").write_text(json.dumps(WITHOUT_LANDLOCK))
    options = [] if landlock else ["--security-opt", f"seccomp={tmp_path / 'without.json'}"]
    found, printed = grade(gradescope, tmp_path, {"double.py": HOSTILE}, fits, *options)
    assert found["score"] == 5, printed
    said = found["output"]
    assert "UID 6" in said, found
    assert through(said) == []


def test_where_setup_failed_there_is_a_file_without_a_score(
    gradescope: str, tmp_path: Path, fits: Check
) -> None:
    run = docker(
        *("run", "--rm", "--network", "none", "--volume", f"{tmp_path}:/autograder/results", gradescope),
        *("bash", "-c", "rm -rf /opt/attest && /autograder/run_autograder"),
    )
    assert "could not be started" in run.stdout
    found = json.loads((tmp_path / "results.json").read_bytes())
    fits("gradescope", found)
    assert "score" not in found


def test_the_workflows_step_runs_in_it_too(
    gradescope: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, fits: Check
) -> None:
    repository = export(tmp_path, "github-classroom")
    (repository / "double.py").write_text(RIGHT)
    (tmp_path / "outputs").mkdir()
    run = docker(
        *("run", "--rm", "--network", "none", "--volume", f"{repository}:/repository:ro"),
        *("--volume", f"{tmp_path / 'outputs'}:/outputs", gradescope, "/opt/attest/bin/python", "-I", "-m"),
        *("attest.packages.at_github", "/repository", "/outputs/output", "/outputs/summary"),
    )
    assert "1 of 1 check passes" in run.stdout, run.stdout + run.stderr
    assert (tmp_path / "outputs" / "output").read_text().startswith("result=")


@pytest.fixture(scope="module")
def prairielearn(
    base: str, wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """The grader's image, and the question's folder."""
    package = export(
        tmp_path_factory.mktemp("prairielearn"), "prairielearn", "--image", "x", "--wheelhouse", wheelhouse
    )
    for image in build(
        package / "grader", f"attest-test-prairielearn:{os.getpid()}", "--build-arg", f"BASE={base}"
    ):
        yield image, package / "questions" / "doubling"


@pytest.mark.parametrize("work", [RIGHT, HOSTILE], ids=["right", "hostile"])
def test_prairielearn_grades_in_its_image(
    prairielearn: tuple[str, Path], tmp_path: Path, fits: Check, work: str
) -> None:
    image, question = prairielearn
    shutil.copytree(question / "tests", tmp_path / "tests")
    submit(tmp_path / "student", {"double.py": work})
    submit(tmp_path / "data", {"data.json": "{}"})
    run = docker(
        *("run", "--rm", "--network", "none", "--volume", f"{tmp_path}:/grade", image),
        json.loads((question / "info.json").read_bytes())["externalGradingOptions"]["entrypoint"],
    )
    found = json.loads((tmp_path / "results" / "results.json").read_bytes())
    fits("prairielearn", found)
    assert found["score"] == 1, run.stdout + run.stderr
    assert through(found["message"]) == []
