"""The client for programs that submit, watch and operate."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import httpx

from .api import Api
from .codec import read_bytes
from .durations import Duration
from .errors import ApiError, ConnectError, FlowFabricError, MalformedResponse, api_error
from .transport import Backoff, Transport, escape

_RECONNECT = Backoff(attempts=30, initial="100ms", max="5s")


@dataclass(frozen=True)
class Frame:
    """One frame of an execution's stream."""

    id: str
    attempt_index: int
    type: str
    payload: bytes | str
    encoding: str
    fields: Mapping[str, Any] = field(repr=False)

    @property
    def text(self) -> str:
        """The payload as text."""
        return self.payload if isinstance(self.payload, str) else self.payload.decode(errors="replace")


@dataclass(frozen=True)
class Event:
    """One event of a feed; `fields` has what the family carries."""

    family: str
    execution_id: str
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Gap:
    """Told in place of events that are no longer stored; `lost` is how many, or None if nobody knows."""

    lost: int | None
    fields: Mapping[str, Any]


class Feed:
    """Events as they happen: `async for event in client.feed("completion")`.

    Reconnects with its cursor. Keep `cursor` to go on later: at most the events since the last checkpoint come again.
    """

    def __init__(self, transport: Transport, path: str, cursor: str | None, filters: Mapping[str, Any]) -> None:
        self._transport = transport
        self._path = path
        self._filters = filters
        self.cursor = cursor

    async def __aiter__(self) -> AsyncIterator[Event | Gap]:
        failures = 0
        while True:
            query = dict(self._filters)
            if self.cursor:
                query["cursor"] = self.cursor
            try:
                async for name, event_id, data in self._transport.events(self._path, query=query):
                    failures = 0
                    if name == "checkpoint":
                        self.cursor = event_id or self.cursor
                    elif name == "gap":
                        fields = _decoded(data)
                        yield Gap(fields.get("lost"), fields)
                    elif name == "error":
                        raise _stream_error(data)
                    elif name != "shutdown":
                        fields = _decoded(data)
                        yield Event(name, str(fields.get("execution_id") or ""), fields)
            except (ConnectError, ApiError) as error:
                failures += 1
                _give_up(error, failures)
            else:
                failures += 1
            await asyncio.sleep(_RECONNECT.pause_s(failures))


class Client(Api):
    """Everything the server can do: one method per route, and iterators over streams and feeds.

    `async with Client() as client:` uses FF_SERVER_URL (else http://127.0.0.1:9090) and FF_API_TOKEN. What is safe to repeat is
    repeated as `backoff` says; everything else fails with the first error.
    """

    def __init__(
        self,
        base_url: str | None = None,
        token: str | None = None,
        *,
        timeout: Duration = 30,
        backoff: Backoff | None = None,
        verify: bool | str = True,
        http_transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.transport = Transport(
            base_url, token, timeout=timeout, backoff=backoff, verify=verify, http_transport=http_transport
        )

    @property
    def base_url(self) -> str:
        """Where the server is."""
        return self.transport.base_url

    async def close(self) -> None:
        """Closes the connections."""
        await self.transport.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def frames(self, execution_id: str, *, after: str | None = None) -> AsyncIterator[Frame]:
        """The frames of all attempts as they come, until the execution has ended. Reconnects where it was.

        `after` is the id of a frame seen earlier.
        """
        path = f"/v1/executions/{escape(execution_id)}/stream"
        last, failures = after, 0
        while True:
            try:
                async for name, event_id, data in self.transport.events(path, query={"mode": "all_attempts"}, last_id=last):
                    failures = 0
                    if name == "frame":
                        last = event_id or last
                        yield _frame(_decoded(data), event_id)
                    elif name == "end":
                        return
                    elif name == "error":
                        raise _stream_error(data)
            except (ConnectError, ApiError) as error:
                failures += 1
                _give_up(error, failures)
            else:
                failures += 1
            await asyncio.sleep(_RECONNECT.pause_s(failures))

    def feed(self, families: str = "completion", *, cursor: str | None = None, **filters: Any) -> Feed:
        """Follows a feed: `completion`, `lease_history`, `signal_delivery`, `instance_tags`, `operator`, or several, by comma.

        Filters: `namespace`, `tag`, `execution_id`, `flow_id`, `lane`, `type`, `partition`, `since`. Without a cursor it begins
        now; `cursor="earliest"` begins with the oldest event that is kept.
        """
        return Feed(self.transport, f"/v1/streams/{escape(families)}/subscribe", cursor, filters)

    def execution_feed(self, execution_id: str, *, cursor: str | None = None) -> Feed:
        """All events of one execution, from the first that is kept."""
        return Feed(self.transport, f"/v1/executions/{escape(execution_id)}/feed", cursor, {})

    def flow_feed(self, flow_id: str, *, cursor: str | None = None) -> Feed:
        """All events of one flow, from the first that is kept."""
        return Feed(self.transport, f"/v1/flows/{escape(flow_id)}/feed", cursor, {})


def _give_up(error: FlowFabricError, failures: int) -> None:
    if failures >= _RECONNECT.attempts or not getattr(error, "retryable", False):
        raise error


def _decoded(data: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError as error:
        raise MalformedResponse(f"an event that is not JSON: {error}") from None
    return value if isinstance(value, dict) else {}


def _stream_error(data: str) -> ApiError:
    body = _decoded(data)
    return api_error(int(body.get("status", 500)), body, data[:4096])


def _frame(body: Mapping[str, Any], event_id: str) -> Frame:
    fields = body.get("fields") or {}
    payload = read_bytes(fields, "payload")
    index = body.get("attempt_index")
    if index is None:
        index = int(event_id.partition(":")[0] or 0)
    return Frame(
        id=event_id or str(body.get("id", "")),
        attempt_index=int(index),
        type=str(fields.get("frame_type", "")),
        payload="" if payload is None else payload,
        encoding=str(fields.get("encoding", "")),
        fields=fields,
    )
