from __future__ import annotations

import asyncio
import os
import uuid

import pytest

import flowfabric as ff
from faults import AFTER, BEFORE, FaultyTransport, once
from flowfabric.testing import TestServer


async def test_bytes_go_in_and_come_out_as_they_were(client: ff.Client, lane: str) -> None:
    payload = bytes(range(256))
    made = await client.create_execution(execution_kind="k", lane_id=lane, payload=payload)
    assert await client.get_payload(made["execution_id"]) == payload
    answer = await client.claim_tasks("w", worker_instance_id="w-" + lane, lanes=[lane], wait_ms=5000)
    assert answer is not None
    (task,) = answer["tasks"]
    await client.complete(made["execution_id"], task_token=task["task_token"], result=payload)
    assert await client.get_result(made["execution_id"]) == payload


async def test_refusal_is_an_exception_of_its_class(client: ff.Client, lane: str) -> None:
    with pytest.raises(ff.NotFound) as caught:
        await client.get_execution("{fp:1}:" + str(uuid.uuid4()))
    assert (caught.value.status, caught.value.code, caught.value.retryable) == (404, "execution_not_found", False)
    made = await client.create_execution(execution_kind="k", lane_id=lane)
    await client.cancel_execution(made["execution_id"], reason="first")
    with pytest.raises(ff.InformationalError):
        await client.change_priority(made["execution_id"], new_priority=2)
    with pytest.raises(ff.TerminalError) as terminal:
        await client.renew_lease(made["execution_id"])
    assert (terminal.value.status, terminal.value.code) == (400, "fence_required")
    with pytest.raises(ff.TerminalError) as unknown:
        await client.transport.call("POST", "/v1/executions", body={"execution_kind": "k", "paylod": "x"})
    assert "paylod" in str(unknown.value)
    with pytest.raises(ff.ApiError) as missing:
        await client.revoke_lease(made["execution_id"])
    assert missing.value.code == "no_active_lease"
    assert isinstance(missing.value, ff.InformationalError)


async def test_no_answer_is_a_connect_error() -> None:
    async with ff.Client("http://127.0.0.1:1", backoff=ff.Backoff(attempts=2, initial="1ms")) as client:
        with pytest.raises(ff.ConnectError, match="no answer from"):
            await client.health()


@pytest.mark.parametrize("when", [BEFORE, AFTER])
async def test_safe_request_is_sent_again_when_the_line_is_cut(server: TestServer, lane: str, when: str) -> None:
    transport = FaultyTransport(once("POST", "/v1/executions", when))
    async with ff.Client(server.url, http_transport=transport) as client:
        made = await client.create_execution(execution_kind="k", lane_id=lane, idempotency_key=lane)
        assert made["status"] == ("created" if when == BEFORE else "duplicate")
    async with ff.Client(server.url) as client:
        found = await client.list_executions(lane=lane)
        assert [e["execution_id"] for e in found["executions"]] == [made["execution_id"]]


async def test_request_that_is_not_safe_is_not_sent_again(server: TestServer, lane: str) -> None:
    transport = FaultyTransport(once("POST", "/v1/executions", AFTER))
    async with ff.Client(server.url, http_transport=transport) as client:
        with pytest.raises(ff.ConnectError):
            await client.create_execution(execution_kind="k", lane_id=lane)
        assert len((await client.list_executions(lane=lane))["executions"]) == 1


async def test_feed_tells_of_ends_and_goes_on_from_its_cursor(client: ff.Client, lane: str) -> None:
    feed = client.feed("completion", lane=lane, cursor="earliest")
    seen: list[str] = []

    async def follow(feed: ff.Feed, last: str) -> None:
        async for event in feed:
            if isinstance(event, ff.Event):
                seen.append(event.execution_id)
                if event.execution_id == last:
                    return

    async def end_one() -> str:
        made = await client.create_execution(execution_kind="k", lane_id=lane)
        await client.cancel_execution(made["execution_id"])
        return str(made["execution_id"])

    first = await end_one()
    await asyncio.wait_for(follow(feed, first), 30)
    second = await end_one()
    await asyncio.wait_for(follow(client.feed("completion", lane=lane, cursor=feed.cursor), second), 30)
    assert set(seen) == {first, second}


async def test_token_is_sent() -> None:
    with ff.testing.server(settings={"FF_API_TOKEN": "secret"}) as server:
        async with ff.Client(server.url) as client:
            with pytest.raises(ff.Unauthorized):
                await client.list_lanes()
        async with ff.Client(server.url, "secret") as client:
            assert "lanes" in await client.list_lanes()


async def test_unix_socket_serves_as_well(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "api.sock")
    with ff.testing.server(settings={"FF_LISTEN_UNIX": path}):
        async with ff.Client("unix:" + path) as client:
            assert (await client.health())["status"] == "ok"


async def test_listing_is_complete_in_pages_of_seven(client: ff.Client, lane: str) -> None:
    made = await client.create_executions(executions=[{"execution_kind": "k", "lane_id": lane} for _ in range(50)])
    wanted = {r["execution_id"] for r in made["results"]}
    seen: list[str] = []
    cursor = None
    while True:
        page = await client.list_executions(lane=lane, limit=7, cursor=cursor)
        seen += [e["execution_id"] for e in page["executions"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(seen) == sorted(wanted)
