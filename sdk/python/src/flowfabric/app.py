"""The application: its tasks, its client, its worker."""

from __future__ import annotations

import asyncio
import logging
import sys
import weakref
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, overload

import httpx

from . import sync
from .client import Client
from .durations import Duration, to_ms
from .errors import ConfigError, api_error
from .handle import Handle
from .tasks import Call, Options, Retry, Task, budget_id
from .worker import Worker, WorkerOptions

T = TypeVar("T")
_CREATE_BATCH_MAX = 1000


class MakesTask(Protocol):
    """`@app.task(...)`, waiting for its function."""

    @overload
    def __call__(self, function: Callable[..., Awaitable[T]], /) -> Task[T]: ...

    @overload
    def __call__(self, function: Callable[..., T], /) -> Task[T]: ...


class App:
    """Tasks that belong together, and the server they run on (FF_SERVER_URL and FF_API_TOKEN unless given)."""

    def __init__(
        self,
        server_url: str | None = None,
        token: str | None = None,
        *,
        namespace: str | None = None,
        http_transport: httpx.AsyncBaseTransport | None = None,
        worker: WorkerOptions | None = None,
    ) -> None:
        self.tasks: dict[str, Task[Any]] = {}
        self.namespace = namespace
        self.worker_options = worker or WorkerOptions()
        self._server_url = server_url
        self._token = token
        self._http_transport = http_transport
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = weakref.WeakKeyDictionary()
        self._unbound: Client | None = None

    @property
    def client(self) -> Client:
        """The client of this application. Connections belong to an event loop, so each loop gets its own."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._unbound = self._unbound or self._made()
            return self._unbound
        found = self._clients.get(loop)
        if found is None:
            found, self._unbound = self._unbound or self._made(), None
            self._clients[loop] = found
        return found

    def _made(self) -> Client:
        return Client(self._server_url, self._token, http_transport=self._http_transport)

    @property
    def sync(self) -> sync.App:
        """The same for programs without asyncio: each call blocks."""
        return sync.App(self)

    def use(self, server_url: str | None = None, token: str | None = None) -> None:
        """Points the application at another server, for tests."""
        self._server_url, self._token, self._unbound = server_url, token, None
        self._clients.clear()

    async def close(self) -> None:
        """Closes the connections of the running loop."""
        found = self._clients.pop(asyncio.get_running_loop(), None)
        if found is not None:
            await found.close()

    @overload
    def task(self, function: Callable[..., Awaitable[T]], /) -> Task[T]: ...

    @overload
    def task(self, function: Callable[..., T], /) -> Task[T]: ...

    @overload
    def task(
        self,
        *,
        name: str | None = None,
        lane: str | None = None,
        retry: Retry | None = None,
        timeout: Duration | None = None,
        deadline: Duration | None = None,
        priority: int | None = None,
        capabilities: Sequence[str] = (),
        budget: str | Sequence[str] | None = None,
        quota: str | None = None,
        retention: Duration | None = None,
        tags: Mapping[str, str] | None = None,
        policy: Mapping[str, Any] | None = None,
        version: str = "",
    ) -> MakesTask: ...

    def task(self, *function: Callable[..., Any], **given: Any) -> Any:
        """Makes a function a task: `@app.task` or `@app.task(lane="agents", retry=ff.Retry(attempts=5))`.

        Its first argument is the context if it is annotated `ff.Context` (`ff.SyncContext` in plain functions) or called `ctx`.
        The name (the function's, unless given) is what the engine calls the kind: keep it when you rename the function.
        """
        name, version = given.pop("name", None), given.pop("version", "")
        options = Options(**{k: v for k, v in given.items() if v is not None})

        def made(function: Callable[..., Any]) -> Task[Any]:
            task: Task[Any] = Task(self, function, name or function.__name__, options, version)
            if task.name in self.tasks:
                raise ConfigError(f"there are two tasks `{task.name}`; give one of them a name")
            self.tasks[task.name] = task
            return task

        return made(*function) if function else made

    def include(self, other: App) -> None:
        """Adds the tasks of another application to this one's worker."""
        for name, task in other.tasks.items():
            if self.tasks.setdefault(name, task) is not task:
                raise ConfigError(f"there are two tasks `{name}`; give one of them a name")

    async def submit(
        self,
        call: Call[T],
        *,
        idempotency_key: str | None = None,
        execution_id: str | None = None,
        delay: Duration | None = None,
    ) -> Handle[T]:
        """Hands a call to the engine."""
        body = self._body(call)
        if idempotency_key is not None:
            body["idempotency_key"] = idempotency_key
        if execution_id is not None:
            body["execution_id"] = execution_id
        if delay is not None:
            body["delay_until"] = f"+{to_ms(delay)}"
        client = self.client
        safe = idempotency_key is not None or execution_id is not None
        answer = await client.transport.call("POST", "/v1/executions", body=body, safe=safe)
        created = answer.get("status") == "created"
        return Handle(client, str(answer["execution_id"]), call.task.result_type, created=created)

    async def submit_many(self, calls: Iterable[Call[T]], *, idempotency_keys: Iterable[str] | None = None) -> list[Handle[T]]:
        """Hands many calls to the engine, a thousand in a request. Raises the first refusal after all were sent."""
        pairs = [(c, self._body(c)) for c in calls]
        for (_, body), key in zip(pairs, idempotency_keys or ()):
            body["idempotency_key"] = key
        client = self.client
        handles: list[Handle[T]] = []
        refusal: Exception | None = None
        for first in range(0, len(pairs), _CREATE_BATCH_MAX):
            part = pairs[first : first + _CREATE_BATCH_MAX]
            answer = await client.transport.call(
                "POST",
                "/v1/executions/batch",
                body={"executions": [b for _, b in part]},
                safe=idempotency_keys is not None,
            )
            for (call, _), result in zip(part, answer["results"]):
                if result["status"] == "error":
                    refusal = refusal or api_error(400, result, str(result))
                    continue
                created = result["status"] == "created"
                handles.append(Handle(client, str(result["execution_id"]), call.task.result_type, created=created))
        if refusal is not None:
            raise refusal
        return handles

    def _body(self, call: Call[Any]) -> dict[str, Any]:
        body = call.body()
        namespace = call.options.namespace or call.task.options.namespace or self.namespace
        if namespace:
            body["namespace"] = namespace
        return body

    async def create_budget(
        self,
        name: str,
        *,
        hard: Mapping[str, int],
        soft: Mapping[str, int] | None = None,
        on_hard_limit: str = "fail",
        reset: Duration | None = None,
        scope_type: str = "global",
        scope_id: str | None = None,
    ) -> str:
        """Makes the budget of that name unless it is there, and gives its id. Tasks name it with `budget=name`."""
        answer = await self.client.create_budget(
            scope_type=scope_type,
            scope_id=scope_id,
            budget_id=budget_id(name),
            name=name,
            on_hard_limit=on_hard_limit,
            dimensions=list(hard),
            hard_limits=list(hard.values()),
            soft_limits=[(soft or {}).get(d, 0) for d in hard],
            reset_interval_ms=None if reset is None else to_ms(reset),
        )
        return str(answer["budget_id"])

    def worker(self, **changes: Any) -> Worker:
        """A worker for this application's tasks, on the running loop. `changes` are members of `WorkerOptions`."""
        from dataclasses import replace

        options = replace(self.worker_options, **changes)
        if options.namespace is None and self.namespace:
            options = replace(options, namespace=self.namespace)
        return Worker(self.client, self.tasks, options)

    async def serve(self, **changes: Any) -> None:
        """Runs a worker until SIGTERM or SIGINT."""
        worker = self.worker(**changes)
        worker.stop_on_signals()
        try:
            await worker.run()
        finally:
            await self.close()

    def run(self, **changes: Any) -> None:
        """Runs a worker until SIGTERM or SIGINT: the last line of a program."""
        if not logging.getLogger().handlers:
            logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
            logging.getLogger("httpx").setLevel(logging.WARNING)
        asyncio.run(self.serve(**changes))
