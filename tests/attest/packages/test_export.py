"""`attest export`: what is in each package, and what is in none."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from attest.packages.wheel import attest_wheel, requirements, zipped
from tests.attest.conftest import Attest, write_assignment
from tests.attest.secretive import SECRETS, write_secretive

from .conftest import Check


@pytest.fixture
def secretive(tmp_path: Path) -> Path:
    """An assignment that holds a secret in every place that students must not see."""
    return write_secretive(tmp_path / "thing")


ROOT = Path(__file__).parents[3]


def entries(package: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(package) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def modes(package: Path) -> dict[str, int]:
    with zipfile.ZipFile(package) as archive:
        return {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}


def hidden_in(files: dict[str, bytes]) -> set[str]:
    """Return which of an assignment's secrets stand in files, wheels included."""
    found = set()
    for data in files.values():
        found |= {secret for secret in SECRETS.values() if secret.encode() in data}
    return found


def test_gradescope_finds_its_two_scripts_at_the_root(attest: Attest, doubling: Path, tmp_path: Path) -> None:
    run = attest("export", "gradescope", doubling, "-o", "g.zip", "--attempts", "3", "--late", "5% per hour")
    assert run.returncode == 0, run.stderr
    assert modes(tmp_path / "g.zip")["run_autograder"] == 0o755
    files = entries(tmp_path / "g.zip")
    assert {"setup.sh", "run_autograder", "assignment/tests/test_hidden.py"} <= set(files)
    assert json.loads(files["package.json"]) == {
        "format": 1,
        "assignment": "assignment",
        "attempts": 3,
        "late": "5% per hour",
        "minutes": 10,
    }


def test_what_the_shell_writes_where_attest_cannot_start_is_a_result(
    attest: Attest, doubling: Path, tmp_path: Path, fits: Check
) -> None:
    attest("export", "gradescope", doubling, "-o", "g.zip")
    attest("export", "prairielearn", doubling, "-o", "p.zip", "--image", "example/attest")
    for schema, script in (
        ("gradescope", entries(tmp_path / "g.zip")["run_autograder"]),
        ("prairielearn", entries(tmp_path / "p.zip")["grader/grade.sh"]),
    ):
        (text,) = re.findall(r"<<'END'\n(.*)\nEND\n", script.decode(), re.DOTALL)
        fits(schema, json.loads(text))
        assert "score" not in json.loads(text)


@pytest.mark.parametrize("name", ["install.sh", "setup.sh", "run_autograder"])
def test_the_scripts_are_right_to_the_shell(
    attest: Attest, doubling: Path, tmp_path: Path, name: str
) -> None:
    attest("export", "gradescope", doubling, "-o", "g.zip")
    (tmp_path / name).write_bytes(entries(tmp_path / "g.zip")[name])
    subprocess.run(["bash", "-n", tmp_path / name], check=True)


def test_a_composed_assignment_travels_with_its_exercises(attest: Attest, tmp_path: Path) -> None:
    run = attest("export", "gradescope", "examples", "-o", "g.zip")
    assert run.returncode == 0, run.stderr
    files = entries(tmp_path / "g.zip")
    root = json.loads(files["package.json"])["assignment"]
    assert f"{root}/assignment.toml" in files
    assert f"{root}/masks/tests/test_hidden.py" in files


def test_the_cpu_build_of_torch_is_pinned_where_its_index_is_known(
    attest: Attest, doubling: Path, tmp_path: Path
) -> None:
    attest("export", "gradescope", doubling, "-o", "g.zip", "--torch-index", "https://example.edu/cpu")
    files = entries(tmp_path / "g.zip")
    assert re.search(rb"^torch==[\d.]+\+cpu$", files["requirements.txt"], re.MULTILINE)
    assert re.search(rb"^torch==[\d.]+\+cpu$", files["constraints.txt"], re.MULTILINE)
    assert files["index.txt"] == b"https://example.edu/cpu\n"


@pytest.mark.parametrize("index", ["URL", "download.example.edu/cpu", "https://", "https://a b"])
def test_an_index_that_is_no_address_is_not_written_into_a_package(
    attest: Attest, doubling: Path, tmp_path: Path, index: str
) -> None:
    run = attest("export", "gradescope", doubling, "-o", "g.zip", "--torch-index", index)
    assert run.returncode == 2
    assert f"--torch-index '{index}': is no address" in run.stderr
    assert not (tmp_path / "g.zip").exists()


def test_the_points_to_set_there_are_said(attest: Attest, doubling: Path, tmp_path: Path) -> None:
    alone = attest("export", "gradescope", doubling, "-o", "g.zip")
    marked = attest("export", "gradescope", "lesson", "-o", "l.zip")
    public = attest("export", "github-classroom", doubling, "-o", "c.zip")
    assert re.search(r"^Its checks give [\d.]+ points\.$", alone.stdout, re.MULTILINE)
    assert "Its checks give 295 points; people give 23 more there." in marked.stdout
    assert "Its checks" not in public.stdout


def test_every_requirement_is_pinned_and_constrained(attest: Attest, doubling: Path, tmp_path: Path) -> None:
    attest("export", "gradescope", doubling, "-o", "g.zip")
    files = entries(tmp_path / "g.zip")
    asked = files["requirements.txt"].decode().splitlines()
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in asked)
    assert set(asked) <= set(files["constraints.txt"].decode().splitlines())
    assert {"torch", "pytest", "pydantic", "pyseccomp"} <= {line.partition("==")[0] for line in asked}


def test_a_package_made_on_another_system_asks_for_what_linux_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.distribution

    def without_seccomp(name: str) -> importlib.metadata.Distribution:
        if name == "pyseccomp":  # as on macOS, where its marker is false
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "distribution", without_seccomp)
    assert "pyseccomp>=0.1.2" in requirements().splitlines()


def test_the_wheel_installs_and_runs_by_itself(tmp_path: Path) -> None:
    name, wheel = attest_wheel(reference=True)
    (tmp_path / name).write_bytes(wheel)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", tmp_path / "there", tmp_path / name], check=True, capture_output=True)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import attest.packages.at_gradescope as a, "
        "attest.packages.at_prairielearn, attest.packages.at_github, graders.session, reference; "
        "print(a.__file__)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", program, tmp_path / "there"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.startswith(str(tmp_path / "there")), run.stderr
    (licence,) = (tmp_path / "there").glob("attest_grader-*.dist-info/licenses/LICENSE")
    assert licence.read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert not (tmp_path / "there" / "assignments").exists()
    assert not (tmp_path / "there" / "attest" / "portal").exists()


def test_equal_exports_are_equal_bytes() -> None:
    assert attest_wheel(reference=True) == attest_wheel(reference=True)
    assert zipped({"a": (b"1", 0o644)}) == zipped({"a": (b"1", 0o644)})
    assert requirements() == requirements()


def test_a_prairielearn_question_shows_nothing_hidden_and_its_tests_lie_in_tests(
    attest: Attest,
    secretive: Path,
    tmp_path: Path,
    fits: Check,
) -> None:
    run = attest("export", "prairielearn", secretive, "-o", "p.zip", "--image", "example/attest:1")
    assert run.returncode == 0, run.stderr
    files = entries(tmp_path / "p.zip")
    info = json.loads(files["questions/thing/info.json"])
    fits("prairielearn_info", info)
    assert info["externalGradingOptions"]["image"] == "example/attest:1"
    assert "questions/thing/tests/assignment/tests/test_hidden.py" in files
    seen = {name: data for name, data in files.items() if not name.startswith("questions/thing/tests/")}
    assert hidden_in(seen) == set()
    page = files["questions/thing/question.html"].decode()
    assert "returns 3" in page
    assert '<pl-file-upload optional-file-names="thing.py, answers.md"></pl-file-upload>' in page
    assert "questions/thing/clientFilesQuestion/thing.py" in files


def test_a_question_stays_the_same_one(attest: Attest, doubling: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        attest("export", "prairielearn", doubling, "-o", name, "--image", "x")
    infos = [entries(tmp_path / name)["questions/doubling/info.json"] for name in ("one.zip", "two.zip")]
    assert infos[0] == infos[1]


def test_a_handout_fills_in_nothing_of_prairielearns(attest: Attest, doubling: Path, tmp_path: Path) -> None:
    (doubling / "handout.md").write_text(
        "# Doubling\n\nWrite `{{x}}` and {{{params.a}}} <script>1</script>.\n"
    )
    attest("export", "prairielearn", doubling, "-o", "p.zip", "--image", "x")
    page = entries(tmp_path / "p.zip")["questions/doubling/question.html"].decode()
    assert "{{" not in page
    assert "&#123;&#123;x}}" in page
    assert "<script>" not in page


def test_words_alone_are_no_question_for_an_external_grader(attest: Attest, doubling: Path) -> None:
    (doubling / "assignment.toml").write_text(
        'schema = 1\nid = "why"\ntitle = "Why"\nversion = "1.0"\npoints = 2\n'
        '[prose]\nheadings = ["Why"]\n[rubric.why]\ntitle = "Says why"\npoints = 2\n'
    )
    for name in ("variants/square.py", "accepted/sum.py"):
        (doubling / name).unlink()
    for name in ("public", "hidden"):
        (doubling / "tests" / f"test_{name}.py").write_text("")
    run = attest("export", "prairielearn", doubling, "-o", "p.zip", "--image", "x")
    assert run.returncode == 2
    assert "asks for words alone" in run.stderr


def test_nothing_hidden_is_in_a_repository_for_github_classroom(
    attest: Attest,
    secretive: Path,
    tmp_path: Path,
) -> None:
    run = attest("export", "github-classroom", secretive, "-o", "c.zip")
    assert run.returncode == 0, run.stderr
    files = entries(tmp_path / "c.zip")
    wheels = {name: data for name, data in files.items() if name.endswith(".whl")}
    for name, wheel in wheels.items():
        (tmp_path / Path(name).name).write_bytes(wheel)
        files |= entries(tmp_path / Path(name).name)
    assert len(wheels) == 1
    assert hidden_in(files) == set()
    assert not any(name.startswith(("reference/", "assignments/")) for name in files)
    assert not any("test_hidden" in name for name in files)
    assert ".github/attest/checks/tests/test_public.py" in files


@pytest.mark.parametrize(
    ("assignment", "options", "programs"),
    [
        ("examples/masks", [], {"masks.py"}),
        ("examples/masks", ["--notebooks"], {"masks.ipynb"}),
        ("examples", ["--notebooks"], {"examples.ipynb"}),
        (
            "examples",
            [],
            {
                "scaled_dot_product_attention/attention.py",
                "multi_head_attention/multi_head_attention.py",
                "masks/masks.py",
                "tiny_classifier/tiny_classifier.py",
            },
        ),
    ],
)
def test_a_repository_has_each_answer_in_one_place(
    attest: Attest, tmp_path: Path, assignment: str, options: list[str], programs: set[str]
) -> None:
    run = attest("export", "github-classroom", assignment, "-o", "c.zip", *options)
    assert run.returncode == 0, run.stderr
    files = entries(tmp_path / "c.zip")
    found = {name for name in files if name.endswith((".py", ".ipynb")) and not name.startswith(".github/")}
    assert found == programs
    if "README.md" in files:
        said = files["README.md"].decode()
        assert ("Hand in `examples.ipynb`" in said) is bool(options)
        assert ("attest check scaled_dot_product_attention/attention.py" in said) is not bool(options)


def test_the_workflow_hands_its_result_to_the_reporter(
    attest: Attest, doubling: Path, tmp_path: Path
) -> None:
    attest("export", "github-classroom", doubling, "-o", "c.zip")
    workflow = yaml.safe_load(entries(tmp_path / "c.zip")[".github/workflows/classroom.yml"])
    (job,) = workflow["jobs"].values()
    assert workflow["permissions"] == {"actions": "read", "checks": "write", "contents": "read"}
    steps = {step["name"]: step for step in job["steps"]}
    assert steps["Checkout code"]["with"]["persist-credentials"] is False
    assert steps["Public checks"]["id"] == "attest"
    assert "$GITHUB_OUTPUT" in steps["Public checks"]["run"]
    reporter = steps["Autograding Reporter"]
    assert reporter["with"]["runners"] == "attest"
    assert reporter["env"] == {"ATTEST_RESULTS": "${{ steps.attest.outputs.result }}"}


def test_a_student_runs_the_public_checks_of_such_a_repository(
    attest: Attest, doubling: Path, tmp_path: Path
) -> None:
    attest("export", "github-classroom", doubling, "-o", "c.zip")
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        archive.extractall(tmp_path / "mine")
    (tmp_path / "mine" / "double.py").write_text("def double(x):\n    return 2 * x\n")
    run = attest("check", "double.py", cwd=tmp_path / "mine")
    assert run.returncode == 0, run.stderr
    assert "1 of 1 check passes" in run.stdout


def test_what_is_there_is_replaced_only_by_force(attest: Attest, doubling: Path, tmp_path: Path) -> None:
    (tmp_path / "g.zip").write_text("mine")
    run = attest("export", "gradescope", doubling, "-o", "g.zip")
    assert run.returncode == 2
    assert "--force" in run.stderr
    assert (tmp_path / "g.zip").read_text() == "mine"
    assert attest("export", "gradescope", doubling, "-o", "g.zip", "--force").returncode == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--late", "a lot"], "is no part of a late policy"),
        (["--wheelhouse", "."], "holds no wheels"),
        (["--attempts", "0"], "--attempts"),
    ],
)
def test_wrong_use_is_explained(
    attest: Attest, doubling: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    run = attest("export", "gradescope", doubling, "-o", "g.zip", *options)
    assert run.returncode == 2
    assert said in run.stderr
    assert not (tmp_path / "g.zip").exists()


def test_a_handout_is_no_assignment_to_export(attest: Attest, tmp_path: Path) -> None:
    write_assignment(tmp_path / "doubling")
    attest("release", "doubling", "-o", "out")
    for to in (("gradescope",), ("prairielearn", "--image", "x"), ("github-classroom",)):
        run = attest("export", *to, "out/checks", "-o", "g.zip")
        assert run.returncode == 2
        assert "part of a handout already" in run.stderr
