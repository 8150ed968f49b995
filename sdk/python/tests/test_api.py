"""The client's methods and the server's routes are the same set."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import flowfabric as ff
from flowfabric.api import ROUTES
from flowfabric.testing import TestServer

TOOL = Path(__file__).resolve().parent.parent / "tools" / "generate_api.py"


def test_client_is_what_the_document_says(server: TestServer) -> None:
    done = subprocess.run([sys.executable, str(TOOL), server.url, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + "or: sdk/python/run-tests <folder> <program> write-api"


def test_every_route_has_a_method_or_an_iterator(server: TestServer) -> None:
    with urllib.request.urlopen(server.url + "/openapi.json", timeout=30) as reply:
        document = json.load(reply)
    routes = {f"{verb.upper()} {path}" for path, verbs in document["paths"].items() for verb in verbs}
    by_hand = {
        "GET /openapi.json",
        "POST /v1/executions/{id}/priority",
        "GET /v1/executions/{id}/attempts/{idx}/stream/sse",
        "GET /v1/executions/{id}/feed",
        "GET /v1/flows/{id}/feed",
        "GET /v1/streams/{families}/subscribe",
    }
    assert routes - by_hand == set(ROUTES), "run sdk/python/run-tests <folder> <program> write-api"
    for name in ROUTES.values():
        assert callable(getattr(ff.Client, name))
