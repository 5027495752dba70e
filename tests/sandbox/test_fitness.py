"""`attest doctor`: what it finds here, and what it says where something is missing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sandbox import Sandbox, fitness


def test_where_the_sandbox_works_every_finding_is_good(family: Sandbox) -> None:
    findings = fitness.findings()
    assert [finding.name for finding in findings if not finding.ok] == []
    assert findings[-1].name == "a guest"
    assert "torch" in findings[-1].found


def test_without_bubblewrap_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    (bad,) = [finding for finding in fitness.findings() if not finding.ok]
    assert bad.name == "bubblewrap"
    assert "apt install bubblewrap" in bad.advice


def test_user_namespaces_switched_off_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    switch = tmp_path / "max_user_namespaces"
    switch.write_text("0\n")
    monkeypatch.setattr(fitness, "_USER_NAMESPACES", switch)
    (bad,) = [finding for finding in fitness.findings() if not finding.ok]
    assert bad.name == "user namespaces"
    assert "sysctl user.max_user_namespaces" in bad.advice


REFUSED = """#!/bin/sh
[ $1 = --version ] && echo bubblewrap 0.8.0 && exit
echo 'bwrap: setting up uid map: Permission denied' >&2
exit 1
"""


def test_a_bubblewrap_that_the_kernel_refuses_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory() as folder:  # one that an unprivileged user may look into
        Path(folder).chmod(0o755)
        fake = Path(folder, "bwrap")
        fake.write_text(REFUSED)
        fake.chmod(0o755)
        switch = tmp_path / "restrict"
        switch.write_text("1\n")
        monkeypatch.setattr(fitness, "_APPARMOR_SWITCH", switch)
        monkeypatch.setenv("PATH", folder)
        (bad,) = [finding for finding in fitness.findings() if not finding.ok]
    assert bad.name == "namespaces"
    assert bad.found == "bwrap: setting up uid map: Permission denied"
    assert "AppArmor" in bad.advice
    assert "sysctl kernel.apparmor_restrict_unprivileged_userns=0" in bad.advice


def test_it_needs_nothing_heavy() -> None:
    code = "import sys, sandbox.fitness; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
