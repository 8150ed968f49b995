from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass

import pydantic
import pytest

import flowfabric as ff
from conftest import until
from faults import AFTER, BEFORE, FaultyTransport
from flowfabric.testing import TestServer, worker


@dataclass
class Order:
    number: int
    lines: list[str]


class Receipt(pydantic.BaseModel):
    total: int


async def test_result_of_a_task_comes_back_typed(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def bill(ctx: ff.Context, order: Order, *, factor: int = 1) -> Receipt:
        return Receipt(total=len(order.lines) * factor)

    async with worker(app):
        handle = await bill.submit(Order(7, ["a", "b"]), factor=10)
        assert await handle.result(timeout=30) == Receipt(total=20)


async def test_sync_functions_run_in_threads(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    def where(ctx: ff.SyncContext) -> bool:
        ctx.log("from a thread", n=1)
        ctx.progress(50, "half")
        return threading.current_thread() is threading.main_thread()

    async with worker(app):
        assert await (await where.submit()).result(timeout=30) is False


async def test_bytes_are_bytes(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def flip(data: bytes) -> bytes:
        return data[::-1]

    async with worker(app):
        assert await (await flip.submit(bytes(range(256)))).result(timeout=30) == bytes(range(255, -1, -1))


async def test_failure_is_retried_as_the_policy_says_and_told_with_its_place(app: ff.App, lane: str) -> None:
    @app.task(lane=lane, retry=ff.Retry(attempts=3, backoff=ff.fixed("10ms")))
    async def flaky(ctx: ff.Context, good_at: int) -> int:
        if ctx.attempt_index < good_at:
            raise ValueError("not yet")
        return ctx.attempt_index

    async with worker(app):
        assert await (await flaky.submit(2)).result(timeout=30) == 2
        with pytest.raises(ff.ExecutionFailed) as caught:
            await (await flaky.submit(9)).result(timeout=30)
    assert caught.value.category == "handler_error"
    assert "ValueError: not yet" in caught.value.reason
    assert "test_worker.py" in caught.value.reason


async def test_fatal_is_not_retried(app: ff.App, lane: str) -> None:
    runs: list[int] = []

    @app.task(lane=lane, retry=ff.Retry(attempts=5, backoff=ff.fixed("10ms")))
    async def never(ctx: ff.Context) -> None:
        runs.append(ctx.attempt_index)
        raise ff.Fatal("no", category="refused")

    async with worker(app):
        with pytest.raises(ff.ExecutionFailed) as caught:
            await (await never.submit()).result(timeout=30)
    assert (runs, caught.value.category) == ([0], "refused")


async def test_payload_that_does_not_fit_fails_at_once(app: ff.App, lane: str) -> None:
    @app.task(lane=lane, retry=ff.Retry(attempts=5))
    async def wants(number: int) -> None: ...

    async with worker(app):
        made = await app.client.create_execution(execution_kind="wants", lane_id=lane, payload='"text"')
        with pytest.raises(ff.ExecutionFailed) as caught:
            await wants.handle(made["execution_id"]).result(timeout=30)
    assert caught.value.category == "extractor_payload_decode"


async def test_stream_is_read_live_and_ends_with_the_execution(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def talk(ctx: ff.Context) -> None:
        for word in ("one ", "two ", "three"):
            await ctx.stream(word)
        await ctx.log("done talking", words=3)

    async with worker(app):
        handle = await talk.submit()
        assert "".join([token async for token in handle.stream()]) == "one two three"
        types = [f.type async for f in handle.frames()]
    assert types == ["token", "token", "token", "log"]


async def test_version_of_the_code_is_shown_with_each_attempt(app: ff.App, server: TestServer, lane: str) -> None:
    newer = ff.App(server.url)

    @app.task(lane=lane, name="versioned", version="1", retry=ff.Retry(attempts=2, backoff=ff.fixed("10ms")))
    async def before(ctx: ff.Context) -> None:
        app_worker.stop()
        raise ValueError("the next version does better")

    @newer.task(lane=lane, name="versioned", version="2")
    async def after(ctx: ff.Context) -> None: ...

    handle = await before.submit()
    app_worker = app.worker()
    await app_worker.run()
    async with worker(newer):
        await handle.result(timeout=30)
    versions = []
    for attempt in (0, 1):
        frames = await app.client.read_stream(handle.execution_id, attempt)
        versions.append([json.loads(f["fields"]["payload"])["version"] for f in frames["frames"]])
    assert versions == [["1"], ["2"]]
    await newer.close()


async def test_frames_travel_together(app: ff.App, lane: str) -> None:
    appends: list[str] = []

    def count(method: str, path: str, when: str) -> bool:
        if method == "POST" and path.endswith("/stream") and when == BEFORE:
            appends.append(path)
        return False

    counted = ff.App(app.client.base_url, http_transport=FaultyTransport(count))

    @counted.task(lane=lane)
    async def talk(ctx: ff.Context) -> None:
        for n in range(200):
            await ctx.stream(str(n))

    async with worker(counted):
        handle = await talk.submit()
        assert len([t async for t in handle.stream()]) == 200
    assert 1 <= len(appends) <= 20
    await counted.close()


async def test_submission_with_a_key_is_one_execution(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def once_only(ctx: ff.Context, n: int) -> int:
        return n

    first = await once_only.submit(1, idempotency_key=lane)
    second = await once_only.submit(2, idempotency_key=lane)
    assert first.created
    assert not second.created
    assert first.execution_id == second.execution_id


async def test_many_small_tasks_are_each_done_once(app: ff.App, lane: str) -> None:
    seen: list[int] = []

    @app.task(lane=lane)
    async def small(n: int) -> int:
        seen.append(n)
        return n

    async with worker(app, concurrency=50) as made:
        handles = await app.submit_many(small.of(n) for n in range(500))
        await asyncio.gather(*(h.wait(timeout=60) for h in handles[-20:]))
        await until(lambda: made.ended.get("complete") == 500, what="all completions")
    assert sorted(seen) == list(range(500))


async def test_cancelled_execution_cancels_its_handler(app: ff.App, lane: str) -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    @app.task(lane=lane)
    async def endless(ctx: ff.Context) -> None:
        started.set()
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            assert ctx.cancelled
            cancelled.set()
            raise

    async with worker(app, lease_ttl="1s"):
        handle = await endless.submit()
        await asyncio.wait_for(started.wait(), 30)
        await handle.cancel("enough")
        await asyncio.wait_for(cancelled.wait(), 30)
        with pytest.raises(ff.ExecutionFailed) as caught:
            await handle.result(timeout=30)
    assert caught.value.outcome == "cancelled"


async def test_lease_is_renewed_while_the_handler_runs(app: ff.App, lane: str) -> None:
    runs: list[int] = []

    @app.task(lane=lane)
    async def long(ctx: ff.Context) -> int:
        runs.append(ctx.attempt_index)
        await asyncio.sleep(3)
        return len(runs)

    async with worker(app, lease_ttl="1s"):
        assert await (await long.submit()).result(timeout=30) == 1
    assert runs == [0]


async def test_worker_asks_for_the_kinds_it_can_do(app: ff.App, server: TestServer, lane: str) -> None:
    other = ff.App(server.url)

    @app.task(lane=lane)
    async def mine() -> str:
        return "mine"

    @other.task(lane=lane)
    async def theirs(ctx: ff.Context) -> str:
        return ctx.attempt_type

    strangers = await other.submit_many([theirs.of() for _ in range(20)])
    async with worker(app) as working:
        for _ in range(3):
            assert await (await mine.submit()).result(timeout=30) == "mine"
        assert working.ended == {"complete": 3}
    async with worker(other):
        assert await strangers[0].result(timeout=30) == "initial"
    await other.close()


async def test_kind_without_a_handler_goes_back_unbegun(app: ff.App, server: TestServer, lane: str) -> None:
    """More kinds than a claim can ask for."""
    for number in range(65):
        app.task(lane=lane, name=f"kind-{number}")(lambda: None)
    other = ff.App(server.url)

    @app.task(lane=lane)
    async def mine() -> str:
        return "mine"

    @other.task(lane=lane)
    async def theirs(ctx: ff.Context) -> str:
        return ctx.attempt_type

    stranger = await theirs.submit()
    async with worker(app) as working:
        assert await (await mine.submit()).result(timeout=60) == "mine"
        await until(lambda: working.ended.get("release"), what="the release")
        async with worker(other):
            assert await stranger.result(timeout=60) == "initial"
    await other.close()


@pytest.mark.parametrize(
    ("ending", "when"),
    [("/tasks/claim", BEFORE), ("/tasks/claim", AFTER), ("/instances/", BEFORE), ("/fail", BEFORE), ("/fail", AFTER)],
)
async def test_cut_lines_cost_time_and_nothing_else(server: TestServer, lane: str, ending: str, when: str) -> None:
    left = [4]

    def fault(method: str, path: str, w: str) -> bool:
        if left[0] and w == when and ending in path:
            left[0] -= 1
            return True
        return False

    app = ff.App(server.url, http_transport=FaultyTransport(fault))
    runs: list[tuple[int, int]] = []

    @app.task(lane=lane, retry=ff.Retry(attempts=2, backoff=ff.fixed("10ms")))
    async def work(ctx: ff.Context, n: int) -> int:
        runs.append((n, ctx.attempt_index))
        if n == 0 and ctx.attempt_index == 0:
            raise ValueError("the first fails once")
        return n

    async with worker(app, lease_ttl="2s"):
        handles = await app.submit_many([work.of(n) for n in range(20)])
        assert [await h.result(timeout=60) for h in handles] == list(range(20))
    assert left[0] == 0
    if when == BEFORE or ending == "/fail":
        assert sorted(runs) == sorted([(n, 0) for n in range(20)] + [(0, 1)])
    await app.close()


async def test_budget_stops_what_is_too_dear(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def dear(ctx: ff.Context, tokens: int) -> str:
        await ctx.spend(tokens=tokens, cost_usd="0.0123")
        return "spent"

    budget = await app.create_budget("budget-" + lane, hard={"total_tokens": 100, "total_cost": 1_000_000})
    async with worker(app):
        assert await (await dear.submit(60, budget="budget-" + lane)).result(timeout=30) == "spent"
        with pytest.raises(ff.ExecutionFailed) as caught:
            await (await dear.submit(60, budget="budget-" + lane)).result(timeout=30)
    assert caught.value.category == "budget_exceeded"
    status = await app.client.get_budget(budget)
    assert status["usage"]["total_cost"] == 24_600


async def test_drain_lets_handlers_end_and_gives_the_rest_back(app: ff.App, lane: str) -> None:
    started = asyncio.Event()

    @app.task(lane=lane)
    async def short(ctx: ff.Context) -> str:
        started.set()
        await asyncio.sleep(0.5)
        return "ended"

    @app.task(lane=lane)
    async def long(ctx: ff.Context) -> str:
        if ctx.attempt_type == "initial":
            await asyncio.sleep(600)
        return ctx.attempt_type

    async with worker(app, drain="2s") as made:
        ended, returned = await short.submit(), await long.submit()
        await asyncio.wait_for(started.wait(), 30)
        await until(lambda: len(made._held) == 2, what="both tasks")
    assert made.ended == {"complete": 1, "release": 1}
    assert await ended.result(timeout=10) == "ended"
    async with worker(app):
        assert await returned.result(timeout=30) == "resumed"


async def test_worker_is_registered_while_it_runs(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def idle() -> None: ...

    async with worker(app) as made:
        workers = (await app.client.list_workers(namespace="default"))["workers"]
        assert made.instance_id in [w["worker_instance_id"] for w in workers]
    workers = (await app.client.list_workers(namespace="default"))["workers"]
    assert made.instance_id not in [w["worker_instance_id"] for w in workers]


async def test_server_that_is_away_is_not_the_failure_of_a_handler(server: TestServer, lane: str) -> None:
    cuts = 0

    def fault(method: str, path: str, when: str) -> bool:
        # More often than one request is repeated, for less long than the lease lasts.
        nonlocal cuts
        if when == AFTER or not path.endswith(("/steps", "/stream")) or cuts >= 14:
            return False
        cuts += 1
        return True

    app = ff.App(server.url, http_transport=FaultyTransport(fault))
    searches = 0

    @app.task(lane=lane, retry=ff.Retry(attempts=1))
    async def research(ctx: ff.Context) -> str:
        def search() -> str:
            nonlocal searches
            searches += 1
            return "found"

        found = await ctx.step("search", search)
        await ctx.stream(found)
        return found

    async with worker(app):
        handle = await research.submit()
        assert await handle.result(timeout=60) == "found"
        assert [text async for text in handle.stream()] == ["found"]
    assert (searches, cuts) == (1, 14)
    await app.close()


async def test_whatever_a_handler_raises_is_a_failure_that_says_what_it_was(app: ff.App, lane: str) -> None:
    class Unreadable(Exception):
        def __str__(self) -> str:
            raise TypeError("no text")

    @app.task(lane=lane, retry=ff.Retry(attempts=2, backoff=ff.fixed("10ms")))
    async def odd(which: int) -> None:
        raise [Unreadable(), ff.Retryable("later", after="soon")][which]

    async with worker(app):
        for which, reason in enumerate(["no text", "soon"]):
            with pytest.raises(ff.ExecutionFailed, match=reason) as caught:
                await (await odd.submit(which)).result(timeout=30)
            assert caught.value.category == "handler_error"
