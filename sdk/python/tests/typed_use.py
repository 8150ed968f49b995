"""A program as users write it, for the type checkers: what they are told of it. Nobody runs it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from typing_extensions import assert_type

import flowfabric as ff

app = ff.App()


@dataclass
class Report:
    pages: int


@app.task
async def write(ctx: ff.Context, topic: str) -> Report:
    sources = await ctx.step("search", lambda: search(topic))
    assert_type(sources, list[str])
    decision = await ctx.approval("publish", ask="Publish this?")
    assert_type(decision, ff.Decision)
    parts = await ctx.gather([count.of(source) for source in sources])
    assert_type(parts, list[int])
    return Report(sum(parts))


@app.task(retry=ff.Retry(attempts=5), timeout="10m")
def count(ctx: ff.SyncContext, source: str) -> int:
    return ctx.step("count", lambda: len(source))


async def search(topic: str) -> list[str]:
    return [topic]


async def with_await() -> None:
    handle = await write.submit("tea", idempotency_key="tea", delay="1h", lane="press", budget="team-a")
    assert_type(handle, ff.Handle[Report])
    assert_type(await handle.result(timeout="1m"), Report)
    assert_type(handle.stream(), AsyncIterator[str])
    async with ff.Client() as client:
        assert_type((await client.cancel_execution(handle.execution_id))["status"], str)


def without_await() -> None:
    handle = write.sync.submit("tea", idempotency_key="tea", delay="1h", lane="press", budget="team-a")
    assert_type(handle, ff.sync.Handle[Report])
    assert_type(handle.result(timeout="1m"), Report)
    assert_type(handle.stream(), Iterator[str])
    many = app.sync.submit_many([count.of("a"), count.of("b")])
    assert_type([one.result() for one in many], list[int])
    with ff.sync.Client() as client:
        assert_type(client.cancel_execution(handle.execution_id)["status"], str)
        client.list_executions(lane=7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        for frame in client.frames(handle.execution_id):
            assert_type(frame.text, str)
