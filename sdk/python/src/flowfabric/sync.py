"""The same for programs without asyncio: each call blocks until it is done.

import flowfabric as ff
from shop import bill                        # tasks are written as always

handle = bill.sync.submit(7, idempotency_key="order-7")
print(handle.result())

Web frameworks, scripts and notebooks submit and watch this way. Not for use inside an event loop, which it would block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import httpx

from . import client as aio
from .api import BlockingApi
from .blocking import LOOP, Blocks
from .client import Event, Frame, Gap
from .durations import Duration
from .handle import Handle as AsyncHandle
from .transport import Backoff

if TYPE_CHECKING:
    from .app import App as AsyncApp
    from .tasks import Call, Options
    from .tasks import Task as AsyncTask

R = TypeVar("R")


class Client(BlockingApi):
    """As `flowfabric.Client`: one method per route, and iterators over streams and feeds."""

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
        super().__init__(
            aio.Client(base_url, token, timeout=timeout, backoff=backoff, verify=verify, http_transport=http_transport)
        )

    @property
    def base_url(self) -> str:
        """Where the server is."""
        return str(self._inner.base_url)

    def close(self) -> None:
        """Closes the connections."""
        LOOP.wait(self._inner.close())

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def frames(self, execution_id: str, *, after: str | None = None) -> Iterator[Frame]:
        """As `flowfabric.Client.frames`."""
        return LOOP.each(self._inner.frames(execution_id, after=after))

    def feed(self, families: str = "completion", *, cursor: str | None = None, **filters: Any) -> Feed:
        """As `flowfabric.Client.feed`."""
        return Feed(self._inner.feed(families, cursor=cursor, **filters))

    def execution_feed(self, execution_id: str, *, cursor: str | None = None) -> Feed:
        """As `flowfabric.Client.execution_feed`."""
        return Feed(self._inner.execution_feed(execution_id, cursor=cursor))

    def flow_feed(self, flow_id: str, *, cursor: str | None = None) -> Feed:
        """As `flowfabric.Client.flow_feed`."""
        return Feed(self._inner.flow_feed(flow_id, cursor=cursor))


class Feed:
    """As `flowfabric.Feed`: `for event in client.feed("completion")`."""

    def __init__(self, feed: aio.Feed) -> None:
        self._feed = feed

    @property
    def cursor(self) -> str | None:
        """Where to go on later."""
        return self._feed.cursor

    def __iter__(self) -> Iterator[Event | Gap]:
        return LOOP.each(self._feed.__aiter__())


class Handle(Blocks, Generic[R]):
    """As `flowfabric.Handle`: an execution that was submitted."""

    def __init__(self, handle: AsyncHandle[R]) -> None:
        super().__init__(handle)
        self._handle = handle

    def __repr__(self) -> str:
        return repr(self._handle)

    @property
    def execution_id(self) -> str:
        """The id of the execution."""
        return self._handle.execution_id

    @property
    def created(self) -> bool:
        """False if the submission found an execution with the same id or idempotency key."""
        return self._handle.created

    def info(self) -> dict[str, Any]:
        """What the server knows of the execution."""
        return LOOP.wait(self._handle.info())

    def state(self) -> str:
        """Its public state: waiting, active, suspended, delayed, completed, failed, ..."""
        return LOOP.wait(self._handle.state())

    def result(self, *, timeout: Duration | None = None) -> R:
        """Waits for the end and gives the result. Raises `ExecutionFailed` if it ended without one."""
        return LOOP.wait(self._handle.result(timeout=timeout))

    def wait(self, *, timeout: Duration | None = None) -> str:
        """Waits for the end and gives the outcome: success, failed, cancelled, expired or skipped."""
        return LOOP.wait(self._handle.wait(timeout=timeout))

    def stream(self) -> Iterator[str]:
        """What handlers gave to `ctx.stream`, as text, until the execution has ended."""
        return LOOP.each(self._handle.stream())

    def frames(self, *, after: str | None = None) -> Iterator[Frame]:
        """All frames: streamed text, logs, progress and the rest."""
        return LOOP.each(self._handle.frames(after=after))

    def cancel(self, reason: str = "cancelled by its submitter") -> None:
        """Ends the execution. Its handler, if one runs, is told with the next renewal of its lease."""
        LOOP.wait(self._handle.cancel(reason))

    def pending(self) -> list[dict[str, Any]]:
        """The waits that are open now, by `waitpoint_key`."""
        return LOOP.wait(self._handle.pending())

    def signal(
        self,
        wait: str,
        signal: str,
        payload: Any = None,
        *,
        by: str = "application",
        category: str = "custom",
        source_type: str = "external_api",
        signal_id: str | None = None,
    ) -> str:
        """As `flowfabric.Handle.signal`."""
        sending = self._handle.signal(
            wait, signal, payload, by=by, category=category, source_type=source_type, signal_id=signal_id
        )
        return LOOP.wait(sending)

    def approve(self, wait: str, *, by: str, data: Any = None) -> None:
        """Answers the approval of that name with yes."""
        LOOP.wait(self._handle.approve(wait, by=by, data=data))

    def reject(self, wait: str, *, by: str, data: Any = None) -> None:
        """Answers the approval of that name with no."""
        LOOP.wait(self._handle.reject(wait, by=by, data=data))


class Task(Generic[R]):
    """`task.sync`: submits a task and blocks until it is stored."""

    def __init__(self, task: AsyncTask[R]) -> None:
        self._task = task

    def submit(
        self,
        *args: Any,
        idempotency_key: str | None = None,
        execution_id: str | None = None,
        delay: Duration | None = None,
        lane: str | None = None,
        priority: int | None = None,
        budget: str | Sequence[str] | None = None,
        tags: Mapping[str, str] | None = None,
        namespace: str | None = None,
        options: Options | None = None,
        **kwargs: Any,
    ) -> Handle[R]:
        """As `flowfabric.Task.submit`."""
        submitting = self._task.submit(
            *args,
            idempotency_key=idempotency_key,
            execution_id=execution_id,
            delay=delay,
            lane=lane,
            priority=priority,
            budget=budget,
            tags=tags,
            namespace=namespace,
            options=options,
            **kwargs,
        )
        return Handle(LOOP.wait(submitting))

    def handle(self, execution_id: str) -> Handle[R]:
        """The handle of an execution that was submitted earlier."""

        async def made() -> AsyncHandle[R]:  # with the connections of the loop that will use it
            return self._task.handle(execution_id)

        return Handle(LOOP.wait(made()))


class App:
    """`app.sync`: what an application does from outside, blocking."""

    def __init__(self, app: AsyncApp) -> None:
        self._app = app

    def submit(
        self,
        call: Call[R],
        *,
        idempotency_key: str | None = None,
        execution_id: str | None = None,
        delay: Duration | None = None,
    ) -> Handle[R]:
        """Hands a call to the engine."""
        submitting = self._app.submit(call, idempotency_key=idempotency_key, execution_id=execution_id, delay=delay)
        return Handle(LOOP.wait(submitting))

    def submit_many(self, calls: Iterable[Call[R]], *, idempotency_keys: Iterable[str] | None = None) -> list[Handle[R]]:
        """Hands many calls to the engine, a thousand in a request. Raises the first refusal after all were sent."""
        return [Handle(h) for h in LOOP.wait(self._app.submit_many(calls, idempotency_keys=idempotency_keys))]

    def create_budget(self, name: str, *, hard: Mapping[str, int], **options: Any) -> str:
        """As `flowfabric.App.create_budget`."""
        return LOOP.wait(self._app.create_budget(name, hard=hard, **options))

    def close(self) -> None:
        """Closes the connections that blocking calls have used."""
        LOOP.wait(self._app.close())
