"""Tasks: what an application can do, how it is called, and what it wants from the engine."""

from __future__ import annotations

import inspect
import typing
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import codec
from .durations import Duration, to_ms
from .errors import ConfigError, DecodeError

if TYPE_CHECKING:
    from .app import App
    from .handle import Handle
    from .sync import Task as SyncTask

R = TypeVar("R")
_BUDGETS = uuid.UUID("7d3f9a52-6c1e-5f0b-9a7d-3b1c5e9f2a40")


@dataclass(frozen=True)
class RetryBackoff:
    """How long the engine waits before an attempt follows a failed one; made by `exponential` and `fixed`."""

    policy: Mapping[str, Any]


def exponential(initial: Duration, *, max: Duration = "1m", multiplier: float = 2, jitter: bool = True) -> RetryBackoff:
    """Pauses that grow: `initial`, then times `multiplier` for each failure, at most `max`."""
    return RetryBackoff(
        {
            "type": "exponential",
            "initial_delay_ms": to_ms(initial),
            "max_delay_ms": to_ms(max),
            "multiplier": multiplier,
            "jitter": jitter,
        }
    )


def fixed(delay: Duration) -> RetryBackoff:
    """The same pause before each attempt."""
    return RetryBackoff({"type": "fixed", "delay_ms": to_ms(delay)})


@dataclass(frozen=True)
class Retry:
    """How often a task is tried: `attempts` in all. `only` restricts retries to these failure categories."""

    attempts: int = 3
    backoff: RetryBackoff | None = None
    only: Sequence[str] = ()

    def policy(self) -> dict[str, Any]:
        """The engine's `retry_policy`."""
        if self.attempts < 1:
            raise ConfigError("Retry(attempts=...) counts the first attempt too, so it is at least 1")
        out: dict[str, Any] = {"max_retries": self.attempts - 1}
        if self.backoff:
            out["backoff"] = dict(self.backoff.policy)
        if self.only:
            out["retryable_categories"] = list(self.only)
        return out


def budget_id(name: str) -> str:
    """The id of a budget: a UUID stays what it is, a name always gives the same UUID."""
    try:
        return str(uuid.UUID(name))
    except ValueError:
        return str(uuid.uuid5(_BUDGETS, name))


@dataclass(frozen=True)
class Options:
    """What a task, or one submission of it, asks of the engine. Unset members leave it to the lane and the server."""

    lane: str | None = None
    retry: Retry | None = None
    timeout: Duration | None = None
    deadline: Duration | None = None
    priority: int | None = None
    capabilities: Sequence[str] = ()
    budget: str | Sequence[str] | None = None
    quota: str | None = None
    retention: Duration | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    namespace: str | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)

    def over(self, below: Options) -> Options:
        """These options where they are set, the others' elsewhere."""
        changes = {
            name: value
            for name, value in self.__dict__.items()
            if value is not None and not (isinstance(value, (dict, tuple)) and not value)
        }
        if self.tags and below.tags:
            changes["tags"] = {**below.tags, **self.tags}
        return replace(below, **changes)

    def engine_policy(self) -> dict[str, Any]:
        """The `policy` of an execution."""
        out: dict[str, Any] = dict(self.policy)
        if self.retry:
            out["retry_policy"] = self.retry.policy()
        timeouts = dict(out.get("timeout_policy", {}))
        if self.timeout is not None:
            timeouts["attempt_timeout_ms"] = to_ms(self.timeout)
        if self.deadline is not None:
            timeouts["execution_deadline_ms"] = to_ms(self.deadline)
        if timeouts:
            out["timeout_policy"] = timeouts
        if self.capabilities:
            out["routing_requirements"] = {"required_capabilities": list(self.capabilities)}
        if self.budget:
            names = [self.budget] if isinstance(self.budget, str) else list(self.budget)
            out["budget_ids"] = [budget_id(name) for name in names]
        if self.quota:
            out["quota_policy_id"] = self.quota
        if self.retention is not None:
            out["retention_ms"] = to_ms(self.retention)
        return out


@dataclass(frozen=True)
class Input:
    """Stands in arguments for a named input that the flow brings."""

    name: str


@dataclass(frozen=True)
class Call(Generic[R]):
    """A task with its arguments, not sent yet: for `ctx.gather`, `ctx.call`, `app.submit_many` and flows."""

    task: Task[R]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    options: Options = Options()
    name: str | None = None

    def using(self, *, name: str | None = None, **options: Any) -> Call[R]:
        """The same call with other options, or a name of its own among its siblings."""
        return replace(self, name=name or self.name, options=Options(**options).over(self.options))

    def body(self) -> dict[str, Any]:
        """The members of a create or of a child for this call."""
        options = self.options.over(self.task.options)
        data, encoding = self.task.encode_arguments(self.args, self.kwargs)
        out: dict[str, Any] = {"execution_kind": self.task.name, **codec.bytes_fields("payload", data)}
        if encoding:
            out["payload_encoding"] = encoding
        if options.lane:
            out["lane_id"] = options.lane
        if options.priority is not None:
            out["priority"] = options.priority
        if options.tags:
            out["tags"] = dict(options.tags)
        policy = options.engine_policy()
        if policy:
            out["policy"] = policy
        return out


class Task(Generic[R]):
    """A function that the engine runs. Made by `@app.task`; calling it runs the function as it is, which suits unit tests."""

    def __init__(self, app: App, function: Callable[..., Any], name: str, options: Options, version: str) -> None:
        self.app = app
        self.function = function
        self.name = name
        self.options = options
        self.version = version
        self.is_async = inspect.iscoroutinefunction(function)
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", name)
        self._read_signature()

    def _read_signature(self) -> None:
        from .context import Context, SyncContext

        try:
            hints = typing.get_type_hints(self.function)
        except NameError as error:
            raise ConfigError(f"task `{self.name}`: cannot read its annotations: {error}") from None
        parameters = list(inspect.signature(self.function).parameters.values())
        self.takes_context = bool(parameters) and (
            hints.get(parameters[0].name) in (Context, SyncContext) or parameters[0].name in ("ctx", "context")
        )
        if self.takes_context:
            parameters = parameters[1:]
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise ConfigError(f"task `{self.name}`: *{parameter.name} cannot be sent; name each argument")
        self.parameters = parameters
        self.signature = inspect.Signature(parameters)
        self.types = {p.name: hints.get(p.name, Any) for p in parameters}
        self.result_type = hints.get("return", Any)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function as if it were no task."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<Task {self.name}>"

    def of(self, *args: Any, **kwargs: Any) -> Call[R]:
        """This task with arguments, to be called by another one, or put into a flow."""
        self._bind(args, kwargs)
        return Call(self, args, kwargs)

    async def submit(
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
        """Hands the task to the engine and gives a handle of its execution.

        With an `idempotency_key` (or an `execution_id`) a repeated submission is the same execution.
        """
        given = Options(lane=lane, priority=priority, budget=budget, tags=tags or {}, namespace=namespace)
        call = Call(self, args, kwargs, given.over(options or Options()))
        return await self.app.submit(call, idempotency_key=idempotency_key, execution_id=execution_id, delay=delay)

    @property
    def sync(self) -> SyncTask[R]:
        """The same for programs without asyncio: `task.sync.submit(...)` blocks and gives a handle that blocks."""
        from .sync import Task as SyncTask

        return SyncTask(self)

    def handle(self, execution_id: str) -> Handle[R]:
        """The handle of an execution that was submitted earlier."""
        from .handle import Handle

        return Handle(self.app.client, execution_id, self.result_type)

    def _bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return dict(self.signature.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise ConfigError(f"task `{self.name}`: {error}") from None

    def encode_arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[bytes | str | None, str]:
        """The payload for these arguments. A single argument is the payload itself, several are an object by name."""
        given = self._bind(args, kwargs)
        inputs = any(isinstance(value, Input) for value in given.values())
        if len(self.parameters) == 1 and not inputs:
            if not given:
                return None, ""
            value = given[self.parameters[0].name]
            return ("null", codec.JSON) if value is None else codec.encode(value)
        if not given:
            return None, ""
        plain = {k: {"$input": v.name} if isinstance(v, Input) else v for k, v in given.items()}
        return codec.dumps(plain), codec.ARGUMENTS

    async def decode_arguments(
        self,
        data: bytes | str | None,
        encoding: str,
        fetch: Callable[[str], Awaitable[bytes]],
    ) -> dict[str, Any]:
        """Arguments by name from a payload; `fetch` gives a named input."""
        if not self.parameters:
            return {}
        if len(self.parameters) == 1 and encoding != codec.ARGUMENTS:
            only = self.parameters[0]
            if data is None and only.default is not only.empty:
                return {}
            return {only.name: codec.decode(data, encoding, self.types[only.name])}
        fields = codec.decode(data, codec.JSON, dict) if data else {}
        known = {p.name for p in self.parameters}
        for name in fields:
            if name not in known:
                raise DecodeError(f"task `{self.name}` has no argument `{name}`")
        out: dict[str, Any] = {}
        for parameter in self.parameters:
            name = parameter.name
            if name in fields:
                value = fields[name]
                if isinstance(value, dict) and set(value) == {"$input"}:
                    out[name] = codec.decode(await fetch(str(value["$input"])), "", self.types[name])
                else:
                    out[name] = codec.convert(value, self.types[name], (name,))
            elif parameter.default is parameter.empty:
                raise DecodeError(f"task `{self.name}` needs the argument `{name}`")
        return out
