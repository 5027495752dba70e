"""What every answer says to the browser, and what the log and the measures say to whoever runs the portal."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from attest.portal.configuration import make_secret_key
from attest.portal.logs import Lines
from attest.portal.measures import REQUESTS
from tests.portal.school import School

TEMPLATES = Path(__file__).parents[2] / "attest" / "portal" / "templates"


@pytest.mark.parametrize("path", ["/", "/sign-in/", "/nothing", "/healthz", "/static/x/portal.css"])
@pytest.mark.django_db
def test_every_answer_allows_nothing_but_our_own(client: Client, path: str) -> None:
    answer = client.get(path)

    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Cache-Control"] == "no-store"


def test_no_template_has_a_script_a_style_or_a_handler_of_its_own() -> None:
    for template in TEMPLATES.rglob("*.jinja"):
        text = template.read_text()
        assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", text), template


def test_a_box_that_may_scroll_is_reached_by_keys_and_has_a_name() -> None:
    for template in TEMPLATES.rglob("*.jinja"):
        for box in re.findall(r'<\w+[^>]* class="scroll"[^>]*>', template.read_text()):
            assert re.search(r'role="region" tabindex="0" aria-label(ledby)?="', box), (template, box)


def test_an_asset_is_kept_for_ever_under_a_name_that_changes_with_it(client: Client, db: None) -> None:
    page = client.get("/sign-in/").content.decode()
    for link in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        answer = client.get(link)
        assert answer.status_code == 200
        assert "immutable" in answer["Cache-Control"]


@pytest.mark.parametrize("name", ["../settings.py", "..%2fsettings.py", "htmx.LICENSE", "nothing.css"])
def test_nothing_else_is_served_as_an_asset(client: Client, name: str, db: None) -> None:
    assert client.get(f"/static/x/{name}").status_code == 404


def test_metrics_are_for_this_machine_or_who_has_the_token(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Client()
    text = browser.get("/metrics").content.decode()
    assert 'attest_jobs{state="queued"} 1' in text
    assert "attest_submissions_total 1" in text
    assert 'attest_request_seconds_count{view="metrics",method="GET",status="200"} ' in (
        browser.get("/metrics").content.decode()
    )
    assert browser.get("/metrics", REMOTE_ADDR="192.0.2.1").status_code == 404
    assert browser.get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 404
    known = replace(settings.CONFIGURATION, url="https://attest.example.edu")
    monkeypatch.setattr(settings, "CONFIGURATION", known)
    assert browser.get("/metrics", headers={"Host": "attest.example.edu"}).status_code == 404
    assert browser.get("/metrics", headers={"Host": "localhost:8000"}).status_code == 200
    monkeypatch.setenv("ATTEST_PORTAL_METRICS_TOKEN", "a secret")
    far = {"REMOTE_ADDR": "192.0.2.1"}
    assert browser.get("/metrics", headers={"Authorization": "Bearer a guess"}, **far).status_code == 404
    assert browser.get("/metrics", headers={"Authorization": "Bearer a secret"}, **far).status_code == 200


def test_methods_that_a_stranger_makes_up_are_counted_as_one(db: None) -> None:
    for number in range(3):
        Client().generic(f"MADEUP{number}", "/nothing")

    text = "\n".join(REQUESTS.lines())

    assert "MADEUP" not in text
    assert 'view="",method="other",status="404"' in text


@pytest.mark.django_db
def test_ready_says_what_is_in_the_way(client: Client, tmp_path: Path) -> None:
    files = settings.CONFIGURATION.files
    files.mkdir(exist_ok=True)
    assert client.get("/readyz").status_code == 200

    files.rename(tmp_path / "away")
    try:
        answer = client.get("/readyz")
    finally:
        (tmp_path / "away").rename(files)

    assert answer.status_code == 503
    assert "files cannot be written" in answer.content.decode()


def run(code: str, data: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of code as a process of a portal with this folder of data."""
    make_secret_key(data)
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ATTEST_PORTAL_DATA": str(data), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_ends_a_process_or_a_thread_is_a_line_without_its_words(tmp_path: Path) -> None:
    done = run(
        "import threading\n"
        "from attest.portal.logs import write_logs\n"
        "def fail(): raise ValueError('words ' + 'of a student')\n"
        "write_logs()\n"
        "thread = threading.Thread(target=fail); thread.start(); thread.join()\n"
        "fail()",
        tmp_path,
    )

    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.returncode == 1
    assert [(line["event"], line["exception"]) for line in lines] == [("ended by a fault", "ValueError")] * 2
    assert "words of a student" not in done.stderr


def test_what_others_code_logs_of_a_request_or_an_exception_stays_out(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.raise_request_exception = False
    client.get("/sign-in/", headers={"Host": "words.example"})
    logging.getLogger("asyncio").error("Task exception was never retrieved\nValueError('words of a student')")

    text = "\n".join(map(Lines().format, caplog.records))

    assert "django.security.DisallowedHost" in text
    assert "Task exception was never retrieved" in text
    assert "words" not in text


@pytest.mark.parametrize(("url", "name"), [("https://a.example.edu", "__Host-sessionid"), ("", "sessionid")])
def test_no_neighbour_sets_our_cookies_where_people_come_by_https(
    tmp_path: Path, url: str, name: str
) -> None:
    done = run(
        "from django.conf import settings; "
        "print(settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE)",
        tmp_path,
        ATTEST_PORTAL_URL=url,
    )

    assert done.stdout.split() == [name, str(bool(url)), str(bool(url))]


def test_the_log_holds_nobodys_words(school: School, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "attest.portal")
    school.browser(school.student).get(f"/submissions/{school.submission.pk}/?q=secret")
    try:
        raise ValueError("a student's words")
    except ValueError:
        logging.getLogger("attest.portal").exception("fault")

    lines = [json.loads(Lines().format(record)) for record in caplog.records]

    assert {"view": "submission", "status": 200, "person": school.student.pk}.items() <= lines[0].items()
    assert lines[-1]["exception"] == "ValueError"
    assert not re.search("secret|words of|student's|double|example", json.dumps(lines))
