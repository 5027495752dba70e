"""What packaging/cluster holds says of Attest what Attest says of itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from attest.main import app
from graders.cluster.broker import QUEUES
from graders.cluster.envelope import KEY_VARIABLE

FOLDER = Path(__file__).resolve().parents[2] / "packaging" / "cluster"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((FOLDER / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def kubernetes() -> dict[tuple[str, str], dict[str, Any]]:
    documents = yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text())
    return {(one["kind"], one["metadata"]["name"]): one for one in documents}


def parses(arguments: list[str]) -> bool:
    """Whether `attest worker` takes these, as far as it can be told without a broker."""
    done = CliRunner().invoke(app, ["worker", *arguments], env={"ATTEST_BROKER": ""})
    return "no broker was named" in done.output


def test_compose_starts_workers_that_know_their_options(compose: dict[str, Any]) -> None:
    worker = compose["services"]["worker"]
    assert parses(worker["command"])
    assert not parses(["--queue", "tpu"])
    assert {"ATTEST_BROKER", KEY_VARIABLE} <= set(worker["environment"])
    assert "@redis:6379/" in worker["environment"]["ATTEST_BROKER"]
    assert worker["depends_on"]["redis"]["condition"] == "service_healthy"


def test_no_password_is_written_down(compose: dict[str, Any]) -> None:
    text = (FOLDER / "compose.yaml").read_text()
    assert set(re.findall(r"requirepass\", \"([^\"]*)", text)) == {"${ATTEST_REDIS_PASSWORD:?set it first}"}
    assert all("127.0.0.1" in port for port in compose["services"]["redis"]["ports"])


def test_kubernetes_scales_by_the_queue_that_workers_take_from(kubernetes: Any) -> None:
    scaled = kubernetes["ScaledObject", "attest-worker"]["spec"]
    worker = kubernetes["Deployment", scaled["scaleTargetRef"]["name"]]["spec"]["template"]["spec"]
    (container,) = worker["containers"]
    assert parses(container["args"])
    (trigger,) = scaled["triggers"]
    assert trigger["metadata"]["listName"] == QUEUES["cpu"]
    assert trigger["metadata"]["address"].startswith("redis.attest.svc")
    assert ("TriggerAuthentication", trigger["authenticationRef"]["name"]) in kubernetes
    assert worker["terminationGracePeriodSeconds"] >= 600


def test_kubernetes_gives_workers_no_rights(kubernetes: Any) -> None:
    (container,) = kubernetes["Deployment", "attest-worker"]["spec"]["template"]["spec"]["containers"]
    rights = container["securityContext"]
    assert rights["runAsNonRoot"]
    assert rights["allowPrivilegeEscalation"] is False
    assert rights["capabilities"] == {"drop": ["ALL"]}
    assert kubernetes["NetworkPolicy", "redis"]["spec"]["policyTypes"] == ["Ingress"]


def test_every_secret_that_is_used_is_one_that_the_head_makes(kubernetes: Any) -> None:
    text = (FOLDER / "kubernetes.yaml").read_text()
    made = set(re.findall(r"--from-literal=(\w+)=", text))
    used = set(re.findall(r"secretKeyRef: {name: attest-cluster, key: (\w+)}", text))
    used |= set(re.findall(r"name: attest-cluster, key: (\w+)", text))
    assert used == made


def test_the_image_begins_as_a_worker() -> None:
    text = (FOLDER / "Dockerfile").read_text()
    assert 'ENTRYPOINT ["attest", "worker"]' in text
    assert "[cluster]" in text
    assert "bubblewrap" in text
    assert re.search(r"^USER 1000$", text, re.MULTILINE)
