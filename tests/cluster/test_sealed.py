"""What is sealed is opened with the same key, for the same purpose, whole, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from graders.assignment import find_assignment, read_assignment
from graders.cluster import envelope
from graders.cluster.bundle import BundleError, hash_of, pack, unpack
from graders.cluster.envelope import ClusterError, UnknownSeal, read_key, seal, unseal
from graders.cluster.letters import Job, Parcel, decode_job, encode
from graders.cluster.store import Store, unwrap, wrap
from graders.cluster.terms import difference, terms
from tests.attest.conftest import write_assignment

BODIES = [b"", b"short", b"long " * 10_000]


@pytest.mark.parametrize("body", BODIES, ids=len)
def test_what_is_sealed_is_opened(body: bytes) -> None:
    assert unseal(b"key", "job 1", seal(b"key", "job 1", body)) == body


@pytest.mark.parametrize("body", BODIES, ids=len)
@pytest.mark.parametrize(
    ("key", "purpose"), [(b"yek", "job 1"), (b"", "job 1"), (b"key", "job 2"), (b"key", "answer 1")]
)
def test_another_key_or_purpose_opens_nothing(body: bytes, key: bytes, purpose: str) -> None:
    with pytest.raises(UnknownSeal):
        unseal(key, purpose, seal(b"key", "job 1", body))


def test_a_bit_that_was_turned_opens_nothing() -> None:
    sealed = seal(b"key", "job 1", b"body")
    for at in range(len(sealed)):
        with pytest.raises(UnknownSeal):
            unseal(b"key", "job 1", sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :])
        with pytest.raises(UnknownSeal):
            unseal(b"key", "job 1", sealed[:at])


def test_what_unpacks_to_more_than_anything_of_ours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = seal(b"key", "job 1", b"0" * 100_000)
    monkeypatch.setattr(envelope, "MOST_BYTES", 99_999)
    with pytest.raises(UnknownSeal):
        unseal(b"key", "job 1", sealed)


def test_a_short_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTEST_CLUSTER_KEY", "secret")
    with pytest.raises(ClusterError, match="has 6 characters; at least 16 are expected"):
        read_key()


@pytest.mark.parametrize("name", ["lesson", "basics", "lab"])
def test_an_assignment_arrives_as_it_was(name: str, tmp_path: Path) -> None:
    sent = find_assignment(name)
    bundle = pack(sent)
    came = unpack(bundle.data, bundle.hash, tmp_path / "came")
    assert came.info == sent.info
    assert pack(came) == bundle
    for here, there in zip(sent.exercises, came.exercises, strict=True):
        assert there.variants == tuple(
            replace(variant, path=there.folder / variant.path.relative_to(here.folder))
            for variant in here.variants
        )


def test_the_hash_is_of_all_that_an_assignment_holds(tmp_path: Path) -> None:
    folder = write_assignment(tmp_path / "doubling")
    before = pack(read_assignment(folder))
    (folder / "variants" / "square.py").write_text("def double(x):\n    return x ** 2\n")
    after = pack(read_assignment(folder))
    assert read_assignment(folder).info.content_hash  # which does not look at variants
    assert before.hash != after.hash
    (folder / "tests" / "__pycache__").mkdir()
    (folder / "tests" / "__pycache__" / "test_hidden.pyc").write_bytes(b"left by Python")
    assert pack(read_assignment(folder)) == after


def test_an_assignment_that_is_not_the_one_asked_for_is_not_unpacked(tmp_path: Path) -> None:
    bundle = pack(read_assignment(write_assignment(tmp_path / "doubling")))
    with pytest.raises(BundleError, match="was asked for"):
        unpack(bundle.data + b"\0", bundle.hash, tmp_path / "came")
    assert not (tmp_path / "came").exists()


@pytest.mark.parametrize("name", ["../out.py", "/tmp/out.py", "a/../../out.py"])
def test_an_assignment_writes_nothing_outside_its_folder(name: str, tmp_path: Path) -> None:
    data = msgspec.msgpack.encode({"root": ".", "files": {name: b"x"}})
    with pytest.raises(BundleError, match="leads out of its folder"):
        unpack(data, hash_of(data), tmp_path / "came")
    assert not (tmp_path / "came").exists()


def job(**changes: object) -> bytes:
    """A Job as it travels, right but for some changes."""
    right = Job("0" * 24, 1, terms("bubblewrap", "cpu"), "0" * 64, 1, b"{}", "a.py", Parcel(b"x"), False)
    return encode(msgspec.structs.replace(right, **changes))


def test_a_job_names_only_what_jobs_name() -> None:
    assert decode_job(job()).source == "a.py"
    stored = f"runs/{'0' * 32}/{'0' * 24}"
    assert decode_job(job(submission=Parcel(name=stored))).submission.name == stored
    for wrong in (
        {"bundle": "../../../home"},
        {"bundle": "0" * 64 + "\n"},
        {"id": "../x"},
        {"submission": Parcel(name="../../etc/passwd")},
        {"submission": Parcel(name=f"{stored}/../../x")},
    ):
        with pytest.raises(msgspec.ValidationError):
            decode_job(job(**wrong))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"attest": "0.0.1"}, "its Attest is 0.0.1, and "),
        ({"torch": "2.0"}, "its PyTorch is 2.0, and "),
        ({"schema": 9}, "its schema of results is 9"),
        ({"code": "abc"}, "its code of Attest is abc"),
        ({"backend": "docker"}, "Give both the same --sandbox"),
        ({"device": "cuda"}, "Start the worker with the --queue of that device"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_difference_is_named_with_both_sides(change: dict[str, object], said: str) -> None:
    asked = terms("bubblewrap", "cpu")
    assert difference(asked, asked) == ""
    assert said in difference(asked, msgspec.structs.replace(asked, **change))


def test_only_what_is_large_lies_in_the_store(tmp_path: Path) -> None:
    store = Store(f"file://{tmp_path}")
    large = b"x" * 300_000
    assert unwrap(wrap(b"small", "runs/1/a", store), store) == b"small"
    parcel = wrap(large, "runs/1/b", store)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["b"]
    assert unwrap(parcel, store) == large
    with pytest.raises(ClusterError, match="Start it with the command's --store"):
        unwrap(parcel, None)
    (tmp_path / "runs" / "1" / "b").write_bytes(b"another")
    with pytest.raises(ClusterError, match="is not what was put there"):
        unwrap(parcel, store)
    store.remove("runs/1")
    with pytest.raises(ClusterError, match="Give command and workers the same --store"):
        unwrap(parcel, store)


def test_a_store_of_an_unknown_kind_is_a_sentence() -> None:
    with pytest.raises(ClusterError, match=r"--store nowhere://x: cannot be used .* Expected a URL"):
        Store("nowhere://x")
