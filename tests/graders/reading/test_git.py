"""What is committed in a student's repository is read, and nothing of the repository is obeyed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from graders.reading import CohortError, UnreadableSubmission, find_handed_in

WANTED = ("attention.py",)
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine")
pytestmark = needs_git


def git(repository: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(repository),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "a@example.edu"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    return subprocess.run(
        ["git", *arguments], cwd=repository, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def clone(path: Path, *init: str) -> Path:
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main", *init)
    (path / "attention.py").write_text("committed = 1\n")
    (path / "data").mkdir()
    (path / "data" / "t.csv").write_text("1")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "x")
    (path / "attention.py").write_text("working = 1\n")
    return path


def files(path: Path) -> dict[str, bytes]:
    cohort = find_handed_in([path], WANTED, "git")
    assert len(cohort.found) == 1
    return dict(cohort.found[0].read(WANTED).files)


COMMITTED = {"attention.py": b"committed = 1\n", "data/t.csv": b"1"}


def test_head_or_the_working_tree(tmp_path: Path) -> None:
    clone(tmp_path / "c" / "lee")
    (tmp_path / "c" / "kim").mkdir()
    (tmp_path / "c" / "kim" / "attention.py").write_text("x = 1\n")
    cohort = find_handed_in([tmp_path / "c"], WANTED, "git")
    assert cohort.skipped == (("kim", "is no git repository"),)
    assert dict(cohort.found[0].read(WANTED).files) == COMMITTED
    plain = find_handed_in([tmp_path / "c"], WANTED)
    assert {each.student.id for each in plain.found} == {"lee", "kim"}
    assert "--from git reads what is committed" in plain.notes[-1]
    lee = next(each for each in plain.found if each.student.id == "lee")
    assert lee.read(WANTED).files["attention.py"] == b"working = 1\n"


@pytest.mark.parametrize("state", ["packed", "detached", "bare", "sha256"])
def test_every_way_to_keep_a_commit(tmp_path: Path, state: str) -> None:
    path = clone(tmp_path / "c" / "lee", *(["--object-format=sha256"] if state == "sha256" else []))
    if state == "packed":
        git(path, "gc", "-q")
        git(path, "pack-refs", "--all")
        assert not (path / ".git/refs/heads/main").exists()
    elif state == "detached":
        git(path, "checkout", "-q", "-f", "--detach")
    elif state == "bare":
        git(path, "clone", "-q", "--bare", ".", str(tmp_path / "b" / "lee.git"))
        path = tmp_path / "b" / "lee.git"
        assert find_handed_in([path.parent], WANTED, "git").found[0].student.id == "lee"
    assert files(path.parent) == COMMITTED


def test_nothing_that_the_repository_configures_is_run(tmp_path: Path) -> None:
    path = clone(tmp_path / "c" / "lee")
    mark = tmp_path / "ran"
    run = tmp_path / "run"
    run.write_text(f"#!/bin/sh\necho ran >> {mark}\ncat\n")
    run.chmod(0o755)
    (path / ".gitattributes").write_text("* filter=evil diff=evil\n")
    git(path, "add", ".gitattributes")
    git(path, "commit", "-q", "-m", "y")
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "filter.evil.smudge",
        "filter.evil.clean",
        "diff.evil.textconv",
        "diff.external",
        "remote.origin.uploadpack",
    ):
        git(path, "config", key, str(run))
    git(path, "config", "filter.evil.required", "true")
    git(path, "config", "remote.origin.url", f"ext::{run}")
    git(path, "config", "remote.origin.promisor", "true")
    git(path, "config", "extensions.partialClone", "origin")
    for hook in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        shutil.copy(run, path / ".git/hooks" / hook)
    before = sorted((p, p.stat().st_mtime_ns) for p in path.rglob("*"))
    assert files(path.parent) == COMMITTED
    blob = git(path, "rev-parse", "HEAD:attention.py")
    mark.unlink(missing_ok=True)
    lost = path / ".git/objects" / blob[:2] / blob[2:]
    lost.unlink()
    with pytest.raises(UnreadableSubmission, match="is missing from the repository"):
        files(path.parent)
    assert not mark.exists()
    after = sorted((p, p.stat().st_mtime_ns) for p in path.rglob("*"))
    assert {p for p, _ in before} - {p for p, _ in after} == {lost}


def test_links_and_submodules_are_left_out_and_said(tmp_path: Path) -> None:
    path = clone(tmp_path / "c" / "lee")
    (path / "secret.py").symlink_to("/etc/passwd")
    git(path, "add", "secret.py")
    git(path, "update-index", "--add", "--cacheinfo", f"160000,{git(path, 'rev-parse', 'HEAD')},sub")
    git(path, "commit", "-q", "-m", "y")
    submission = find_handed_in([path.parent], WANTED, "git").found[0].read(WANTED)
    assert dict(submission.files) == COMMITTED
    assert any("secret.py was left out: it is a symbolic link" in note for note in submission.notes)
    assert any("sub was left out: it is a submodule" in note for note in submission.notes)


@pytest.mark.parametrize(
    "trick", ["alternates", "objects link", "head link", "head path", "git file", "empty"]
)
def test_a_repository_that_leads_elsewhere_is_refused(tmp_path: Path, trick: str) -> None:
    other = clone(tmp_path / "other")
    path = clone(tmp_path / "c" / "lee")
    inner = path / ".git"
    if trick == "alternates":
        (inner / "objects/info/alternates").write_text(f"{other}/.git/objects\n")
    elif trick == "objects link":
        shutil.rmtree(inner / "objects")
        (inner / "objects").symlink_to(other / ".git/objects")
    elif trick == "head link":
        (inner / "HEAD").unlink()
        (inner / "HEAD").symlink_to(other / ".git/HEAD")
    elif trick == "head path":
        (inner / "HEAD").write_text("ref: refs/heads/../../../../../other/.git/refs/heads/main\n")
    elif trick == "git file":
        shutil.rmtree(inner)
        inner.write_text(f"gitdir: {other}/.git\n")
        with pytest.raises(CohortError, match="no git repositories"):
            files(path.parent)
        return
    else:
        shutil.rmtree(inner)
        git(path, "init", "-q", "-b", "main")
    with pytest.raises(UnreadableSubmission) as caught:
        files(path.parent)
    assert str(caught.value).startswith("lee ")
    assert ";" in str(caught.value)


def test_a_bomb_of_trees_ends_in_time(tmp_path: Path) -> None:
    path = clone(tmp_path / "c" / "lee")
    blob = git(path, "rev-parse", "HEAD:attention.py")
    tree = subprocess.run(
        ["git", "mktree"],
        cwd=path,
        input=f"100644 blob {blob}\tx.py\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    for _ in range(10):
        listing = "".join(f"040000 tree {tree}\td{n}\n" for n in range(10))
        tree = subprocess.run(
            ["git", "mktree"], cwd=path, input=listing, capture_output=True, text=True, check=True
        ).stdout.strip()
    commit = git(path, "commit-tree", tree, "-m", "bomb")
    (path / ".git/HEAD").write_text(f"{commit}\n")
    submission = find_handed_in([path.parent], WANTED, "git").found[0].read(WANTED)
    assert any("20,000 files" in note for note in submission.notes)
