"""Every test that takes `server` runs on each store: the embedded one, and a real Valkey."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

import flowfabric as ff
from flowfabric.testing import TestServer

ROOT = Path(__file__).resolve().parents[3]
VALKEY = Path(os.environ.get("FF_TEST_VALKEY") or ROOT / ".tools" / "valkey" / "valkey-server")
STORES = [s for s in os.environ.get("FF_TEST_STORES", "embedded,valkey").split(",") if s]


class Valkey:
    """A Valkey process on a free port that keeps nothing."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.folder = tempfile.TemporaryDirectory(prefix="ff-sdk-valkey-")
        self.process = subprocess.Popen(
            [str(VALKEY), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
            cwd=self.folder.name,
            stdout=subprocess.DEVNULL,
        )
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.025)
        raise RuntimeError("Valkey did not start")

    def settings(self) -> dict[str, str]:
        return {
            "FF_BACKEND": "valkey",
            "FF_HOST": "127.0.0.1",
            "FF_PORT": str(self.port),
            "FF_WAITPOINT_HMAC_SECRET": "5a" * 32,
            "FF_FLOW_PARTITIONS": "16",
        }

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


@pytest.fixture(scope="session", params=STORES)
def server(request: pytest.FixtureRequest) -> Iterator[TestServer]:
    if request.param == "embedded":
        with ff.testing.server() as made:
            yield made
        return
    valkey = Valkey()
    try:
        with ff.testing.server(settings=valkey.settings()) as made:
            yield made
    finally:
        valkey.stop()


@pytest.fixture
def lane() -> str:
    """A lane of this test's own, so that nobody else's work is in it."""
    return "t" + uuid.uuid4().hex[:12]


@pytest_asyncio.fixture
async def client(server: TestServer) -> AsyncIterator[ff.Client]:
    async with ff.Client(server.url) as made:
        yield made


@pytest_asyncio.fixture
async def app(server: TestServer) -> AsyncIterator[ff.App]:
    made = ff.App(server.url)
    yield made
    await made.close()


async def until(condition, *, seconds: float = 30, what: str = "the condition") -> None:  # type: ignore[no-untyped-def]
    """Waits for a condition, which may be async. Never for a while."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return
        assert time.monotonic() < end, f"{what} did not come within {seconds} s"
        await asyncio.sleep(0.02)
