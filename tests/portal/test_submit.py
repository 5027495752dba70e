"""`attest submit`, as a student runs it, against a portal that really runs."""

from __future__ import annotations

import contextlib
import http.server
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from attest.submit import TOKEN, find_token, keep_token, tokens_file, what_to_send
from tests.attest.conftest import RIGHT, write_assignment
from tests.portal.running import COMMAND, Browser, Portal, new_database
from tests.portal.test_serving import course_with_roster, first_administrator, student


@dataclass(frozen=True)
class Place:
    """A portal, an assignment's address there, and a student's token."""

    portal: Portal
    browser: Browser
    assignment: str
    token: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("portal")
    portal = Portal(folder / "data", "--workers", "0", env=new_database())
    try:
        instructor = first_administrator(portal)
        assignment, link = course_with_roster(portal, instructor, write_assignment(folder / "doubling"))
        browser = student(portal, link)
        made = browser.post("/me/tokens/", {"name": "laptop"})
        token = re.search(r"attest_[\w-]{40,}", made.text)
        assert token, made.text
        yield Place(portal, browser, assignment, token[0])
    finally:
        portal.end()


def submit(folder: Path, *words: str, token: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "COLUMNS": "160"}
    return subprocess.run(
        [*COMMAND, "submit", *words],
        cwd=folder,
        env={**env, "ATTEST_TOKEN": token} if token else env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_file_is_received_with_time_and_hash(place: Place, tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text(RIGHT)

    run = submit(tmp_path, "double.py", "--to", place.assignment, token=place.token)

    assert run.returncode == 0, run.stderr
    assert re.search(r"Received: attempt \d+ at \d{4}-\d\d-\d\dT", run.stdout)
    receipt = re.search(r"http://\S+", run.stdout)
    digest = re.search(r"sha256:\w{64}", run.stdout)
    assert receipt
    assert digest
    page = place.browser.get(receipt[0]).text
    assert digest[0] in page
    assert "the command line" in page


class LosesTheFirstAnswer:
    """A way to a portal on which the first answer is lost, when the portal has given it."""

    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.carried = 0
        threading.Thread(target=self._carry, daemon=True).start()

    def _carry(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                with client, socket.create_connection(self._to) as portal:
                    threading.Thread(target=self._up, args=(client, portal), daemon=True).start()
                    answer = b""
                    while part := portal.recv(65536):  # each request asks for its connection to be closed
                        answer += part
                    self.carried += 1
                    if self.carried > 1:
                        client.sendall(answer)
                    client.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _up(client: socket.socket, portal: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := client.recv(65536):
                portal.sendall(part)

    def close(self) -> None:
        self._listener.close()


def test_where_the_answer_is_lost_it_goes_once_more_and_is_one_attempt(place: Place, tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text("# its answer is lost\n" + RIGHT)
    way = LosesTheFirstAnswer(place.portal.port)
    before = place.portal.rows("SELECT count(*) FROM handing_in_submission")
    try:
        address = re.sub(r":\d+/", f":{way.port}/", place.assignment)

        run = submit(tmp_path, "double.py", "--to", address, token=place.token)
    finally:
        way.close()

    assert run.returncode == 0, run.stderr
    assert way.carried == 2
    assert "Received: attempt" in run.stdout
    assert place.portal.rows("SELECT count(*) FROM handing_in_submission") == [(before[0][0] + 1,)]


def test_a_folder_goes_as_a_zip_that_is_the_same_for_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "work" / "__pycache__").mkdir(parents=True)
        (tmp_path / name / "work" / "double.py").write_text(RIGHT)
        (tmp_path / name / "work" / ".secret").write_text("mine")
        (tmp_path / name / "work" / "__pycache__" / "double.pyc").write_bytes(b"x")
    os.utime(tmp_path / "two" / "work" / "double.py", (1, 1))

    first, second = (what_to_send(tmp_path / name / "work") for name in ("one", "two"))

    assert first == second
    assert first[0] == "work.zip"
    assert b"secret" not in first[1]


@pytest.mark.parametrize(
    ("file", "to", "token", "sentence"),
    [
        ("double.py", "http://localhost:1/assignments/1/", "attest_x", "does not answer as a portal"),
        ("double.py", "http://portal.example.edu/assignments/1/", "attest_x", "use https://"),
        ("double.py", "https://portal.example.edu/", "attest_x", "expected the address of the assignment"),
        ("double.py", "{assignment}", "attest_wrong", "does not know this token"),
        ("double.py", "{assignment}", "", "run this once at a terminal"),
        ("double.py", "{origin}/assignments/999/", "{token}", "no such assignment"),
        ("nothing.py", "{assignment}", "{token}", "nothing.py"),
        ("empty.py", "{assignment}", "{token}", "is empty"),
        ("folder", "{assignment}", "{token}", "holds no files"),
        ("essay.rtf", "{assignment}", "{token}", "essay.rtf is a rich text document, not a Python script"),
    ],
)
def test_what_is_not_handed_in_is_said_in_a_sentence(  # noqa: PLR0917 - parameters
    place: Place, tmp_path: Path, file: str, to: str, token: str, sentence: str
) -> None:
    (tmp_path / "double.py").write_text(RIGHT)
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "essay.rtf").write_text("{\\rtf1 Because.}")
    (tmp_path / "folder").mkdir()
    known = {"assignment": place.assignment, "origin": place.browser.root, "token": place.token}

    run = submit(tmp_path, file, "--to", to.format(**known), token=token.format(**known))

    assert run.returncode == 2
    assert sentence in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert place.token not in run.stderr


def test_a_token_follows_no_redirect(tmp_path: Path) -> None:
    asked: list[str] = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(307)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/thief")
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (tmp_path / "double.py").write_text(RIGHT)
        to = f"http://127.0.0.1:{server.server_port}/assignments/1/"
        run = submit(tmp_path, "double.py", "--to", to, token="attest_x")
        server.shutdown()

    assert run.returncode == 2
    assert "the portal is elsewhere" in run.stderr
    assert asked == ["/api/assignments/1/submissions/"]


def test_a_token_that_was_taken_is_kept_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv(TOKEN, raising=False)
    tokens_file().parent.mkdir(parents=True)
    tokens_file().write_text("{}")
    tokens_file().chmod(0o644)
    keep_token("https://portal", "attest_one")
    assert find_token("https://portal") == "attest_one"
    assert tokens_file().stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv(TOKEN, "attest_two")
    keep_token("https://other", "attest_two")
    assert "attest_two" not in tokens_file().read_text()
