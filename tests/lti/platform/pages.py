"""What people see of a platform in a browser: a page with a tool in a frame, forms that post themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape

# Answers `lti.capabilities`, `lti.put_data` and `lti.get_data` of the tool's origin, and keeps what is put.
# Source: 1EdTech LTI Client Side postMessages 1.0; LTI Platform Storage 1.0.
_STORAGE = """
const kept = new Map();
const allowed = %(origins)s;
addEventListener("message", (event) => {
  const asked = event.data;
  if (!asked || typeof asked !== "object" || typeof asked.subject !== "string") return;
  const answer = { subject: asked.subject + ".response", message_id: asked.message_id };
  const say = (more) => event.source.postMessage({ ...answer, ...more }, event.origin);
  if (asked.subject === "lti.capabilities") {
    say({ supported_messages: ["lti.capabilities", "lti.get_data", "lti.put_data"].map(
      (subject) => subject === "lti.capabilities" ? { subject } : { subject, frame: %(target)s }) });
    return;
  }
  if (!["lti.get_data", "lti.put_data"].includes(asked.subject)) return;
  if (!allowed.includes(event.origin)) {
    say({ error: { code: "wrong_origin", message: event.origin } });
    return;
  }
  const key = event.origin + " " + asked.key;
  if (typeof asked.key !== "string" || !asked.key) {
    say({ error: { code: "bad_request", message: "key" } });
  } else if (asked.subject === "lti.put_data") {
    if (asked.value === null) kept.delete(key); else kept.set(key, asked.value);
    say({ key: asked.key, value: asked.value });
  } else {
    say({ key: asked.key, value: kept.has(key) ? kept.get(key) : null });
  }
});
"""


def posted_by_itself(action: str, fields: Mapping[str, str]) -> str:
    """A page that sends a form as soon as it is loaded."""
    inputs = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in fields.items()
    )
    return _page(
        f'<form method="post" action="{escape(action)}">{inputs}<button>Go on</button></form>'
        "<script>document.forms[0].submit()</script>"
    )


def course_page(title: str, frame: str, storage_target: str | None, origins: list[str]) -> str:
    """A page with the tool in a frame; platform storage is in this window, or in a frame of that name."""
    script = ""
    if storage_target == "_parent":
        script = f"<script>{storage_script(storage_target, origins)}</script>"
    elif storage_target:
        script = f'<iframe name="{escape(storage_target)}" src="/storage" hidden></iframe>'
    return _page(
        f"<h1>{escape(title)}</h1>{script}"
        f'<iframe name="tool" title="{escape(title)}" src="{escape(frame)}" width="900" height="600">'
        "</iframe>"
    )


def storage_page(target: str, origins: list[str]) -> str:
    """The frame that keeps values for a tool."""
    return _page(f"<script>{storage_script(target, origins)}</script>")


def storage_script(target: str, origins: list[str]) -> str:
    return _STORAGE % {"origins": json.dumps(origins), "target": json.dumps(target)}


def said(text: str) -> str:
    """A page with one sentence."""
    return _page(f"<p>{escape(text)}</p>")


def _page(body: str) -> str:
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>School</title><body>{body}</body>'
