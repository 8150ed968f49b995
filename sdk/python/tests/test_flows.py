from __future__ import annotations

import pytest

import flowfabric as ff
from flowfabric.testing import worker


async def test_results_travel_along_the_edges(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def fetch(url: str) -> list[str]:
        return [url, "page"]

    @app.task(lane=lane)
    async def count(page: list[str]) -> int:
        return len(page)

    @app.task(lane=lane)
    async def join(ctx: ff.Context, words: int, page: list[str], *, suffix: str = "") -> str:
        return f"{words} {page[0]}{suffix}"

    flow = ff.Flow("report")
    page = flow.add(fetch, "https://example.org")
    words = flow.add(count, page)
    report = flow.add(join, words, page, suffix="!")
    async with worker(app):
        handle = await flow.submit(app)
        again = await flow.submit(app)
        assert again.nodes == handle.nodes
        assert await handle.result(report, timeout=60) == "2 https://example.org!"
        assert await handle.wait(timeout=60) == "completed"


async def test_member_expands_its_flow_once(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def part(number: int) -> int:
        return number * 2

    @app.task(lane=lane, retry=ff.Retry(attempts=2, backoff=ff.fixed("10ms")))
    async def split(ctx: ff.Context, parts: int) -> list[str]:
        more = ff.Flow("more")
        for number in range(parts):
            more.add(part, number, name=f"part-{number}")
        answer = await ctx.expand(more.nodes())
        if ctx.attempt_index == 0:
            raise ValueError("again")
        return sorted(answer["nodes"])

    flow = ff.Flow("fan-out")
    first = flow.add(split, 3)
    async with worker(app):
        handle = await flow.submit(app, seal=False)
        assert await handle.result(first, timeout=60) == ["part-0", "part-1", "part-2"]
        await app.client.seal_flow(handle.flow_id)
        assert await handle.wait(timeout=60) == "completed"
        assert len((await app.client.list_members(handle.flow_id))["members"]) == 4


async def test_failed_node_ends_the_flow(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def bad() -> int:
        raise ff.Fatal("no")

    @app.task(lane=lane)
    async def after(number: int) -> int:
        return number

    flow = ff.Flow("doomed")
    flow.add(after, flow.add(bad))
    async with worker(app):
        handle = await flow.submit(app)
        with pytest.raises(ff.ExecutionFailed):
            await handle.wait(timeout=60)


def test_mistakes_in_a_graph_are_refused() -> None:
    app = ff.App("http://127.0.0.1:1")

    @app.task
    async def one(a: int) -> int:
        return a

    flow = ff.Flow("x")
    node = flow.add(one, 1, name="a")
    with pytest.raises(ff.ConfigError, match="two nodes"):
        flow.add(one, 1, name="a")
    with pytest.raises(ff.ConfigError, match="not a list"):
        flow.add(one, [node])
