"""Time that a test moves ahead: `server.advance`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

import flowfabric as ff
from conftest import until
from flowfabric.testing import worker

pytestmark = pytest.mark.skipif(
    "embedded" not in os.environ.get("FF_TEST_STORES", "embedded"), reason="only the embedded store in memory has such a clock"
)


async def test_approval_times_out_after_three_days() -> None:
    with ff.testing.server() as server:
        app = ff.App(server.url)

        @app.task
        async def publish(ctx: ff.Context) -> str:
            decision = await ctx.approval("publish", ask="Publish this?", to="legal", timeout="3d")
            return "nobody answered" if decision.timed_out else "answered"

        async with worker(app):
            handle = await publish.submit()
            await until(handle.pending, what="the approval")
            server.advance("2d")
            assert await handle.pending()
            server.advance("1d")
            assert await handle.result(timeout=30) == "nobody answered"
        await app.close()


async def test_sleep_of_an_hour_ends_when_it_has_passed() -> None:
    with ff.testing.server() as server:
        app = ff.App(server.url)

        @app.task
        async def nap(ctx: ff.Context) -> str:
            await ctx.sleep("1h")
            return "rested"

        async with worker(app):
            handle = await nap.submit()
            await until(lambda: state_is(handle, "delayed"), what="the sleep")
            server.advance("59m")
            assert await state_is(handle, "delayed")
            server.advance("1m")
            assert await handle.result(timeout=30) == "rested"
        await app.close()


async def test_running_handler_keeps_its_lease() -> None:
    with ff.testing.server() as server:
        app = ff.App(server.url)
        begun, go = asyncio.Event(), asyncio.Event()

        @app.task
        async def busy(ctx: ff.Context) -> int:
            begun.set()
            await go.wait()
            return ctx.attempt_index

        async with worker(app):
            handle = await busy.submit()
            await asyncio.wait_for(begun.wait(), 30)
            server.advance("3d")
            go.set()
            assert await handle.result(timeout=30) == 0
        await app.close()


def test_time_of_data_that_is_kept_cannot_be_moved(tmp_path: Path) -> None:
    with ff.testing.server(data_dir=tmp_path / "data") as server, pytest.raises(ff.ConfigError, match="keeps its data"):
        server.advance("1s")
    with (
        pytest.raises(ff.FlowFabricError, match="FF_TEST_CLOCK"),
        ff.testing.server(data_dir=tmp_path / "data", settings={"FF_TEST_CLOCK": "true"}),
    ):
        pass


async def state_is(handle: ff.Handle[object], state: str) -> bool:
    return (await handle.info())["public_state"] == state
