"""What the server refuses and what it forbids the browser."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Flask, Response

from scalewall.web.workers import StaleError

__all__ = ["MOST_REQUEST_BYTES", "protect"]

MOST_REQUEST_BYTES = 1_000_000
"""Of one request; the largest of the page's own carries an uploaded file of 20,000 bytes."""


def protect(server: Flask, inline_scripts: Sequence[str]) -> None:
    """Limit requests and send the headers that keep foreign content out.

    Parameters
    ----------
    server : Flask
        The application.
    inline_scripts : sequence of str
        Hashes of the scripts that stand inside the page (``'sha256-...'``).

    Notes
    -----
    Styles may stand inline because Mantine and Plotly write them there; scripts may not, but for those named. Nothing
    may come from another origin. ``data:`` and ``blob:`` pictures are those that Plotly makes for downloads.
    """
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {' '.join(inline_scripts)}".strip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
    server.config["MAX_CONTENT_LENGTH"] = MOST_REQUEST_BYTES

    @server.errorhandler(StaleError)
    def ended(_: StaleError) -> Response:
        return Response("The search was ended.\n", status=503, mimetype="text/plain")

    @server.after_request
    def add(response: Response) -> Response:
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response
