"""Every test that takes `server` runs on each store: the embedded one, and a real Valkey."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

import flowfabric as ff
import stores
from flowfabric.testing import TestServer

ROOT = Path(__file__).resolve().parents[3]
STORES = [s for s in os.environ.get("FF_TEST_STORES", "embedded,valkey").split(",") if s]


@pytest.fixture(scope="session", params=STORES)
def server(request: pytest.FixtureRequest) -> Iterator[TestServer]:
    # Tests share it, so nobody moves its time.
    with stores.settings(request.param) as settings, ff.testing.server(settings={**settings, "FF_TEST_CLOCK": "false"}) as made:
        yield made


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
