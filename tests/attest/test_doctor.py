"""`attest doctor` tries the backend that it is asked about, and says what held."""

from __future__ import annotations

import os
import shutil

import pytest

from attest.doctor import doctor_command
from attest.terminal import ALL_WELL, NOT_ALL_WELL
from sandbox.undefended import KINDS, UNDEFENDED

MISSING = shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all"


@pytest.mark.skipif(MISSING, reason="bubblewrap (bwrap) is not installed")
def test_every_attempt_against_bubblewrap_is_held(attest) -> None:
    run = attest("doctor")
    assert run.returncode == 0, run.stdout + run.stderr
    for tried in KINDS.values():
        assert f"held: {tried}" in run.stdout
    assert "NOT HELD" not in run.stdout
    assert "Attest can grade on this machine with --sandbox bubblewrap." in run.stdout
    assert "--sandbox docker" in run.stdout
    assert "--sandbox user" in run.stdout


def test_what_a_backend_does_not_claim_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor_command("none") == ALL_WELL
    out = capsys.readouterr().out
    assert f"not held, and not claimed: {KINDS['host files']}" in out
    assert f"held: {KINDS['leftovers']}" in out


def test_what_a_backend_claims_and_does_not_hold_is_exit_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(UNDEFENDED, "none", {})
    assert doctor_command("none") == NOT_ALL_WELL
    out = capsys.readouterr().out
    assert f"NOT HELD: {KINDS['network']}" in out
    assert "Grade nobody's work with this backend" in out


def test_an_unknown_backend_is_wrong_use(attest) -> None:
    run = attest("doctor", "--sandbox", "chroot")
    assert run.returncode == 2
    assert "there is no backend 'chroot'; --sandbox takes one of bubblewrap, docker, user, none" in run.stderr
