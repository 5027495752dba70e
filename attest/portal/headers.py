"""What every answer says to the browser: nothing but our own, in nobody's frame, not kept."""

from __future__ import annotations

from collections.abc import Callable, Collection

from django.http import HttpRequest, HttpResponse

NOBODY = "frame-ancestors 'none'"


def policy(framed_by: Collection[str] = (), forms: str = "'self'") -> str:
    """Return what a page may load, where its forms may go, and which origins may frame it."""
    return "; ".join(
        (
            "default-src 'none'",
            "style-src 'self'",
            "script-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            f"form-action {forms}",
            "base-uri 'none'",
            f"frame-ancestors {' '.join(sorted(framed_by))}" if framed_by else NOBODY,
        )
    )


POLICY = policy()


PROBED = ("/healthz", "/readyz", "/metrics")  # by machines, which may know a number alone


def protect(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: add the headers, where a view has not set stricter ones."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        if NOBODY in response.headers["Content-Security-Policy"]:
            response.headers.setdefault("X-Frame-Options", "DENY")  # it cannot name who may
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()"
        )
        return response

    return respond


def refuse_other_names(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: answer no request for a name that is not this portal's, as a rebound one has it."""

    def respond(request: HttpRequest) -> HttpResponse:
        if request.path not in PROBED:
            request.get_host()
        return get_response(request)

    return respond
