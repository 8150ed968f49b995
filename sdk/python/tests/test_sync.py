"""The face for programs without asyncio."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Iterator

import pytest

import flowfabric as ff
from flowfabric.api import ROUTES
from flowfabric.testing import TestServer, worker


@pytest.fixture
def blocking_app(server: TestServer) -> Iterator[ff.App]:
    made = ff.App(server.url)
    yield made
    made.sync.close()


def test_handle_gives_result_and_stream(blocking_app: ff.App, lane: str) -> None:
    @blocking_app.task(lane=lane)
    async def shout(ctx: ff.Context, word: str) -> str:
        for letter in word:
            await ctx.stream(letter)
        return word.upper()

    with worker(blocking_app):
        handle = shout.sync.submit("hey", idempotency_key=lane)
        assert list(handle.stream()) == ["h", "e", "y"]
        assert handle.result(timeout=30) == "HEY"
        assert [f.text for f in handle.frames()][1:] == ["e", "y"]
    assert handle.state() == "completed"
    again = shout.sync.submit("hey", idempotency_key=lane)
    assert (again.created, again.execution_id) == (False, handle.execution_id)
    assert shout.sync.handle(handle.execution_id).result() == "HEY"


def test_waits_are_answered_and_executions_cancelled(blocking_app: ff.App, lane: str) -> None:
    @blocking_app.task(lane=lane)
    def ask(ctx: ff.SyncContext) -> list[object]:
        decision = ctx.approval("publish", ask="Publish this?", timeout="3d")
        paid = ctx.wait_for_all("payment", "paid")
        return [decision.by, paid[0].value(), ctx.kind, ctx.attempt_type, dict(ctx.tags)]

    with worker(blocking_app):
        handle, other = ask.sync.submit(tags={"team": "a"}), ask.sync.submit()
        when_waiting(handle, "publish")
        handle.approve("publish", by="ada")
        when_waiting(handle, "payment")
        handle.signal("payment", "paid", 12)
        assert handle.result(timeout=30) == ["ada", 12, "ask", "resumed", {"team": "a"}]
        when_waiting(other, "publish")
        other.cancel()
        assert other.wait(timeout=30) == "cancelled"
        with pytest.raises(ff.ExecutionFailed):
            other.result()


def when_waiting(handle: ff.sync.Handle[object], name: str) -> None:
    end = time.monotonic() + 30
    while not any(w["waitpoint_key"] == name for w in handle.pending()):
        assert time.monotonic() < end, f"the wait {name} did not come"
        time.sleep(0.02)


def test_many_are_submitted_at_once(blocking_app: ff.App, lane: str) -> None:
    @blocking_app.task(lane=lane)
    def twice(n: int) -> int:
        return 2 * n

    with worker(blocking_app):
        handles = blocking_app.sync.submit_many([twice.of(n) for n in range(20)])
        assert [h.result(timeout=30) for h in handles] == [2 * n for n in range(20)]
        assert blocking_app.sync.submit(twice.of(21)).result(timeout=30) == 42


def test_client_has_every_method_of_the_async_one(server: TestServer, lane: str) -> None:
    with ff.sync.Client(server.url) as client:
        made = client.create_execution(execution_kind="k", lane_id=lane, payload=b"\x00\xff")
        assert client.get_payload(made["execution_id"]) == b"\x00\xff"
        feed = client.feed("completion", lane=lane, cursor="earliest")
        client.cancel_execution(made["execution_id"])
        event = next(iter(feed))
        assert isinstance(event, ff.Event)
        assert event.execution_id == made["execution_id"]
        with pytest.raises(ff.NotFound):
            client.get_execution("{fp:1}:00000000-0000-4000-8000-000000000000")
    for name in {*ROUTES.values(), "feed", "frames", "execution_feed", "flow_feed", "close"}:
        ours, theirs = getattr(ff.sync.Client, name), getattr(ff.Client, name)
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters), name
        assert not inspect.iscoroutinefunction(ours)


async def test_blocking_calls_inside_an_event_loop_are_refused(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    def nothing() -> None: ...

    with pytest.raises(ff.ConfigError, match="would block the event loop"):
        nothing.sync.submit()
    assert (await nothing.submit()).created


def test_forked_process_has_connections_of_its_own(server: TestServer, lane: str) -> None:
    app = ff.App(server.url)

    @app.task(lane=lane)
    def nothing() -> None: ...

    assert nothing.sync.submit().created
    child = os.fork()
    if child == 0:
        os._exit(0 if nothing.sync.submit().created else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    app.sync.close()
