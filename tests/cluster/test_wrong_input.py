"""What cannot work is said in a sentence, before anything is begun."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from graders.installing import install_command
from tests.attest.conftest import run_attest, write_assignment, write_cohort
from tests.cluster.conftest import Broker, Cluster


@pytest.fixture
def commands(attest_command: list[str], tmp_path: Path):
    """Run `attest grade --engine celery` or `attest worker` in a folder with a small cohort."""
    write_assignment(tmp_path / "doubling")
    write_cohort(tmp_path / "cohort")
    asked = {
        "grade": ("grade", "doubling", "cohort", "-o", "out", "--engine", "celery"),
        "worker": ("worker",),
    }

    def run(which: str, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
        done = run_attest(attest_command, tmp_path, *asked[which], *more, env=environment, timeout=60)
        assert not (tmp_path / "out").exists()
        assert "Traceback" not in done.stderr
        return done

    return run


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize("which", ["grade", "worker"])
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "no broker was named. Give its URL by --broker or in ATTEST_BROKER"),
        (
            ("--broker", "http://localhost"),
            "--broker http://localhost: expected the URL of a Redis or RabbitMQ",
        ),
        (("--broker", "redis://"), "--broker redis://: expected the URL"),
        (("--broker", "redis://host:port/0"), "expected the URL"),
        (("--broker", "redis://:secret@host:0/0"), "--broker redis://:***@host:0/0: expected"),
    ],
)
def test_a_broker_that_is_none(commands, which: str, more: Sequence[str], said: str) -> None:
    done = commands(which, *more, ATTEST_BROKER="")
    assert done.returncode == 2
    assert said in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize("which", ["grade", "worker"])
def test_a_broker_that_is_not_there(commands, which: str) -> None:
    done = commands(which, ATTEST_BROKER=f"redis://:secret@127.0.0.1:{unused_port()}/0")
    assert done.returncode == 2
    assert "the broker cannot be reached" in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize("which", ["grade", "worker"])
def test_a_broker_that_wants_another_password(commands, which: str, broker: Broker) -> None:
    broker.database(0).config_set("requirepass", "another")
    try:
        done = commands(which, ATTEST_BROKER=f"redis://:secret@127.0.0.1:{broker.port}/0")
    finally:
        broker.database(0, "another").config_set("requirepass", "")
    assert done.returncode == 2
    assert "the broker refuses" in done.stderr
    assert "Look at user and password" in done.stderr


@pytest.mark.parametrize("which", ["grade", "worker"])
@pytest.mark.parametrize("package", ["celery", "redis"])
def test_without_the_extra_it_is_said_what_to_install(
    commands, which: str, package: str, tmp_path: Path
) -> None:
    hiding = tmp_path / "hiding" / package
    hiding.mkdir(parents=True)
    (hiding / "__init__.py").write_text(f"raise ModuleNotFoundError('none', name={package!r})\n")
    root = Path(__file__).resolve().parents[2]
    done = commands(which, ATTEST_BROKER="redis://127.0.0.1:1/0", PYTHONPATH=f"{hiding.parent}:{root}")
    assert done.returncode == 2
    command = install_command("cluster").removeprefix(sys.executable)  # it may be reached by another path
    assert f"needs the package {package}. Run: " in done.stderr
    assert command in done.stderr


@pytest.mark.parametrize("which", ["grade", "worker"])
def test_no_stranger_s_code_without_a_sandbox(commands, which: str, cluster: Cluster) -> None:
    done = commands(which, "--sandbox", "none", ATTEST_BROKER=cluster.url)
    assert done.returncode == 2
    assert "bubblewrap, docker or user" in done.stderr


@pytest.mark.parametrize("which", ["grade", "worker"])
def test_a_short_key(commands, which: str, cluster: Cluster) -> None:
    done = commands(which, ATTEST_BROKER=cluster.url, ATTEST_CLUSTER_KEY="secret")
    assert done.returncode == 2
    assert "ATTEST_CLUSTER_KEY has 6 characters" in done.stderr


def test_check_says_what_works(commands, cluster: Cluster, tmp_path: Path) -> None:
    done = commands("worker", "--check", "--store", f"file://{tmp_path / 'store'}", ATTEST_BROKER=cluster.url)
    assert done.returncode == 0, done.stderr
    assert f"{cluster.url}: reached; 0 wait in attest.cpu." in done.stdout
    assert "written and read." in done.stdout
    assert "the bubblewrap sandbox stands" in done.stdout
    assert cluster.left_over() == []
