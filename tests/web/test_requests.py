"""The server as a program meets it: headers, limits on what comes in, files, no traceback."""

from __future__ import annotations

import json
import re
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

HOSTILE = (
    "/download/limits.csv?1.machine=../../etc/passwd&1.months=1e999&v=%00&1.name=%3Cscript%3E&1.search=reference",
    "/download/utilization.png?1.overrides=network.9.bandwidth:1e9",
    "/download/limits.json?1.hidden=yes",
    "/download/limits.exe",
    "/download/..%2f..%2fetc.csv",
    "/files/plan/json?model=../../x&gpus=0&seq=nan&global_batch=1e30&tp=9999999999999999999",
    "/files/plan/exe",
    "/files/nothing/csv",
    "/progress/" + "a" * 5000,
    "/machines/%2e%2e%2f",
)


def asked(url: str, path: str, body: str | None = None) -> tuple[int, dict[str, str], str]:
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=60)
    headers = {"Content-Type": "application/json"} if body is not None else {}
    connection.request("GET" if body is None else "POST", path, body, headers)
    reply = connection.getresponse()
    text = reply.read().decode("utf-8", "replace")
    connection.close()
    return reply.status, {name.lower(): value for name, value in reply.getheaders()}, text


def test_nothing_foreign_is_allowed_in(url: str) -> None:
    status, headers, text = asked(url, "/")
    assert status == 200
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "http" not in policy
    (scripts,) = re.findall("script-src ([^;]*)", policy)
    assert "unsafe-inline" not in scripts
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", text)


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_address_gets_a_plain_answer(path: str, url: str) -> None:
    status, headers, text = asked(url, path)
    assert status in (200, 404, 422)
    assert "Traceback" not in text
    assert "content-security-policy" in headers


def test_a_request_that_is_too_large_is_refused(url: str) -> None:
    status, _, _ = asked(url, "/_dash-update-component", json.dumps({"output": "x" * 1_100_000}))
    assert status == 413


def test_a_broken_request_breaks_nothing(url: str) -> None:
    for body in ("", "{", "[]", '{"output": "ask.data"}', '{"output": "..answered.data..", "inputs": [1]}'):
        status, _, text = asked(url, "/_dash-update-component", body)
        assert status >= 400
        assert "Traceback" not in text
    assert asked(url, "/")[0] == 200
