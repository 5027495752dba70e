"""`attest submit`: hand in to a portal from the command line, by a personal token.

The token goes to the portal alone: never over http to another machine, never along a redirect.
"""

from __future__ import annotations

import getpass
import io
import ipaddress
import json
import os
import re
import secrets
import sys
import time
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, sentences, shown_path, stop
from graders.reading.folder import refused_by_system
from graders.reading.names import is_hidden
from graders.reading.submission import content_hash
from reports.amounts import bytes_text, points_text
from reports.visible_text import one_line

TOKEN = "ATTEST_TOKEN"  # noqa: S105 - the name of a setting
MOST_BYTES = 32 * 2**20
TIMEOUT_SECONDS = 120.0
LOOK_SECONDS = 2.0
_ADDRESS = re.compile(r"/assignments/(\d{1,18})/?")


class SubmitError(ValueError):
    """The submission was not handed in. The message says why, and what to do."""


class NoAnswer(SubmitError):
    """Whether anything was received is not known."""


@dataclass(frozen=True)
class Target:
    """Where to hand in: the portal, and the number of the assignment there."""

    origin: str
    assignment: int


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow none: the next place would be sent the token."""


_open = urllib.request.build_opener(_NoRedirect).open


def submit_command(path: Path, to: str, *, wait: bool) -> int:
    """Hand in a file or folder; return the exit status."""
    screen = console()
    with sentences(SubmitError):
        target = read_target(to)
        name, data = what_to_send(path)
        token = find_token(target.origin)
        receipt = send(target, name, data, token)
        keep_token(target.origin, token)
        if receipt.get("content_hash") != content_hash({name: data}):
            raise SubmitError("what the portal received is not what was sent. Hand it in again.")
        screen.print(
            f"Received: attempt {receipt['attempt']} at {one_line(str(receipt['received_at']), 40)}.\n"
            f"Content:  {receipt['content_hash']}\n"
            f"Receipt:  {target.origin}{one_line(str(receipt['page']), 200)}",
            soft_wrap=True,
        )
        if not wait:
            return ALL_WELL
        state = wait_for_report(target, str(receipt["state"]), token)
    if state.get("points") is None:
        screen.print(one_line(str(state["sentence"]), 300), soft_wrap=True)
        return NOT_ALL_WELL
    points, most = float(state["points"]), float(state["max_points"])
    waits = one_line(str(state.get("undecided", "")), 80)
    of = f"{points_text(points)} of {points_text(most)} points"
    screen.print(f"Graded:   {', '.join(filter(None, (of, waits)))}", soft_wrap=True)
    if state.get("sentence"):
        screen.print(one_line(str(state["sentence"]), 300), soft_wrap=True)
    return ALL_WELL


def read_target(to: str) -> Target:
    """Read the address of an assignment's page. Raises SubmitError."""
    expected = (
        "expected the address of the assignment's page, such as https://attest.example.edu/assignments/12/"
    )
    parts = urlsplit(to)
    found = _ADDRESS.fullmatch(parts.path)
    if parts.scheme not in ("http", "https") or not parts.hostname or found is None:
        raise SubmitError(f"--to {one_line(to, 200)}: is no such address; {expected}.")
    if parts.scheme == "http" and not _is_here(parts.hostname):
        raise SubmitError(
            f"--to {one_line(to, 200)}: everybody on the way could read your token there; use https://."
        )
    return Target(f"{parts.scheme}://{parts.netloc}", int(found[1]))


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def what_to_send(path: Path) -> tuple[str, bytes]:
    """Return a file's name and content; of a folder those of a zip, the same for the same files."""
    label = shown_path(path)
    try:
        if path.is_dir():
            name, data = f"{path.resolve().name or 'files'}.zip", _packed(path)
        else:
            name, data = path.name, path.read_bytes()
    except OSError as error:
        raise SubmitError(refused_by_system(error).of(label).sentence) from None
    if not data:
        raise SubmitError(f"{label}: is empty. Save your work and hand it in again.")
    if len(data) > MOST_BYTES:
        raise SubmitError(
            f"{label}: has {bytes_text(len(data))}; at most {bytes_text(MOST_BYTES)} are taken. "
            "Leave out data and checkpoints."
        )
    return name, data


def _packed(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            if file.is_file() and not file.is_symlink() and not is_hidden(name):
                archive.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)
        if not archive.namelist():
            raise SubmitError(f"{shown_path(folder)}: holds no files. Name the folder with your work.")
    return packed.getvalue()


def find_token(origin: str) -> str:
    """Return the token for this portal: of the environment, kept from earlier, or asked for."""
    if given := os.environ.get(TOKEN, "").strip():
        return given
    kept = _kept_tokens()
    if origin in kept:
        return kept[origin]
    if not sys.stdin.isatty():
        raise SubmitError(
            f"no token for {origin}: make one on its page “Tokens”, and set {TOKEN}, "
            "or run this once at a terminal."
        )
    asked = f"Your token for {origin} (from its page “Tokens”; it is kept for next time): "
    token = getpass.getpass(asked).strip()
    if not token:
        raise SubmitError(f"no token was given. Make one on the page “Tokens” of {origin}.")
    return token


def keep_token(origin: str, token: str) -> None:
    """Keep a token that the portal has taken, for its owner alone; not one of the environment."""
    if os.environ.get(TOKEN, "").strip():
        return
    kept = _kept_tokens()
    if kept.get(origin) != token:
        _write_tokens({**kept, origin: token})


def tokens_file() -> Path:
    """Return where tokens are kept, readable for the user alone."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "attest" / "tokens.json"


def _kept_tokens() -> dict[str, str]:
    try:
        found = json.loads(tokens_file().read_text("utf-8"))
        if not isinstance(found, dict):
            raise ValueError(f"it holds a {type(found).__name__}, not an object of tokens by address")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SubmitError(f"{tokens_file()}: cannot be read ({error}). Mend or remove it.") from None
    return {str(origin): str(token) for origin, token in found.items()}


def _write_tokens(tokens: dict[str, str]) -> None:
    path = tokens_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.fchmod(handle, 0o600)  # of a file that was there already, too
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(tokens, file, indent=1)
    except OSError as error:
        stop(f"{path}: the token cannot be kept ({error.strerror}). Set {TOKEN} instead.")


def send(target: Target, name: str, data: bytes, token: str) -> dict[str, Any]:
    """Send it, once more where no answer came, and return the receipt. Raises SubmitError."""
    mark = secrets.token_hex(16)
    quoted = name.replace("\\", "_").replace('"', "_").replace("\r", "_").replace("\n", "_")
    # The portal takes what comes twice by the same name once.
    body = (
        f'--{mark}\r\nContent-Disposition: form-data; name="once"\r\n\r\n{secrets.token_urlsafe(12)}\r\n'
        f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{quoted}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    ).encode() + data
    address = f"{target.origin}/api/assignments/{target.assignment}/submissions/"
    sent = (address, token, body + f"\r\n--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}")
    try:
        return ask(*sent)
    except NoAnswer:
        time.sleep(LOOK_SECONDS)
        return ask(*sent)


def wait_for_report(target: Target, state: str, token: str) -> dict[str, Any]:
    """Return how it ended. Raises SubmitError."""
    if not re.fullmatch(r"/api/submissions/\d+/", state):
        raise SubmitError("the portal's receipt cannot be read. Look at its page.")
    while True:
        found = ask(target.origin + state, token)
        if found.get("ended"):
            return found
        time.sleep(LOOK_SECONDS)


def ask(url: str, token: str, body: bytes | None = None, kind: str = "") -> dict[str, Any]:
    """Ask the portal for JSON. Raises SubmitError, and NoAnswer where none came."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    if kind:
        headers["Content-Type"] = kind
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - read_target has looked at it
    try:
        with _open(request, timeout=TIMEOUT_SECONDS) as answer:
            found = json.loads(answer.read())
    except urllib.error.HTTPError as error:
        raise SubmitError(_refusal(error)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise NoAnswer(
            f"{urlsplit(url).netloc} does not answer as a portal ({one_line(str(reason), 200)}). "
            "Nothing is known to be received; look at your attempts there before you hand in again."
        ) from None
    if not isinstance(found, dict):
        raise SubmitError(f"{urlsplit(url).netloc} does not answer as a portal. Look at the address.")
    return found


def _refusal(error: urllib.error.HTTPError) -> str:
    if error.code == 401:
        return (
            "the portal does not know this token. Make a new one on its page “Tokens”, and set "
            f"{TOKEN}, or remove {tokens_file()}."
        )
    if error.code == 404:
        return "the portal has no such assignment, or you are not in its course. Look at the address."
    if 300 <= error.code < 400:
        return "the portal is elsewhere. Use the address that your browser shows for the assignment's page."
    try:
        return f"not taken: {one_line(str(json.loads(error.read())['refused']), 500)}"
    except (OSError, ValueError, KeyError, TypeError):
        return f"the portal answered {error.code}. Nothing was received; try again later."
