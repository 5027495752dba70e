"""The `attest` program that students install: check their own work and hand it in."""

from __future__ import annotations

from attest.entry import check, doctor, new_app, run, submit

app = new_app(
    "Check your own work on PyTorch attention exercises: in a sandbox, with the public checks.",
    "Start in the folder of the handout with: attest check FILE",
)
app.command()(check)
app.command()(submit)
app.command()(doctor)


def main() -> None:
    """Entry point of the `attest` program."""
    run(app)
