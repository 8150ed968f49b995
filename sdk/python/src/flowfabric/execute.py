"""One claimed task from its handler's start to the call that ends it."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import codec
from .context import Context, SyncContext
from .durations import to_ms
from .errors import (
    BudgetExceeded,
    DecodeError,
    Fatal,
    LeaseLost,
    Retryable,
    StepTypeChanged,
    SuspensionSwallowed,
)
from .tasks import Task
from .waiting import EndOfRun

if TYPE_CHECKING:
    from .client import Client

log = logging.getLogger("flowfabric")
RETRY = "$retry:"
_REASON_MAX = 4000
_FRAMES_SHOWN = 8


@dataclass(frozen=True)
class Ended:
    """How a run ended: the task's route to call, and its body without the token."""

    route: str
    body: Mapping[str, Any]


LOST = Ended("", {})


class Held:
    """A task that this worker holds."""

    __slots__ = ("cancel", "context", "execution_id", "lease_id", "raw", "renewed_at", "returned", "ttl_s")

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.execution_id = str(raw["execution_id"])
        self.lease_id = str(raw["lease_id"])
        self.ttl_s = int(raw.get("lease_ttl_ms") or 30_000) / 1000
        self.renewed_at = time.monotonic()
        self.context: Context | None = None
        #: Cancels the handler, if one runs.
        self.cancel: Callable[[], object] | None = None
        #: Set when the drain gives the task back.
        self.returned = False

    @property
    def token(self) -> str:
        """What every call about the task carries."""
        return str(self.raw["task_token"])

    def lasts(self) -> bool:
        """Whether the lease lasts, by this process's clock."""
        return time.monotonic() - self.renewed_at < self.ttl_s

    def lose(self) -> None:
        """Tells the handler that it works for nothing."""
        if self.context is not None:
            self.context.cancelled = True
        if self.cancel is not None:
            self.cancel()


class Executor:
    """Runs handlers and says how each ended. It makes no call that ends a task."""

    def __init__(self, client: Client, tasks: Mapping[str, Task[Any]], threads: ThreadPoolExecutor) -> None:
        self._client = client
        self._tasks = tasks
        self._threads = threads

    async def run(self, held: Held) -> Ended:
        """Runs the handler of a task to its end."""
        task = self._tasks[str(held.raw["execution_kind"])]
        context = held.context = Context(self._client, held.raw, held.lasts)
        try:
            value = await self._call(task, held, context)
            if context.ending is not None:
                raise SuspensionSwallowed(context.ending.what)
            ended = self._completed(value)
        except EndOfRun as end:
            ended = Ended(end.route, end.body)
        except asyncio.CancelledError:
            if not context.cancelled and not held.returned:
                raise
            return LOST
        except LeaseLost:
            return LOST
        except Exception as error:
            try:
                ended = await self._failed(error, task, held, context)
            except LeaseLost:
                return LOST
            except Exception as problem:  # what the handler raised cannot be read, or asks for what cannot be
                ended = _fail(_reason(problem), "handler_error")
        try:
            await context.flush()
        except LeaseLost:
            return LOST
        except Exception as error:
            log.warning("frames of %s were lost: %s", held.execution_id, error)
        return ended

    async def _call(self, task: Task[Any], held: Held, context: Context) -> Any:
        raw = held.raw
        data = codec.read_bytes(raw, "payload")
        if raw.get("payload_state") == "omitted":
            data = await context._call(lambda: self._client.get_payload(held.execution_id))

        async def fetch(name: str) -> bytes:
            return await context._call(lambda: self._client.get_input(held.execution_id, name))

        arguments = await task.decode_arguments(data, str(raw.get("payload_encoding") or ""), fetch)
        if task.version:
            await context.log(f"{task.name} runs as version {task.version}", level="debug", version=task.version)
        if task.is_async:
            return await (task.function(context, **arguments) if task.takes_context else task.function(**arguments))
        loop = asyncio.get_running_loop()
        blocking = SyncContext(context, loop)

        def in_thread() -> Any:
            return task.function(blocking, **arguments) if task.takes_context else task.function(**arguments)

        return await loop.run_in_executor(self._threads, in_thread)

    def _completed(self, value: Any) -> Ended:
        data, encoding = codec.encode(value)
        body: dict[str, Any] = codec.bytes_fields("result", data)
        if encoding:
            body["result_encoding"] = encoding
        return Ended("complete", body)

    async def _failed(self, error: Exception, task: Task[Any], held: Held, context: Context) -> Ended:
        reason = _reason(error)
        log.info("%s %s failed: %s", task.name, held.execution_id, error)
        if isinstance(error, Fatal):
            return _fail(reason, error.category, no_retry=True)
        if isinstance(error, StepTypeChanged):
            return _fail(reason, "step_type_changed", no_retry=True)
        if isinstance(error, DecodeError):
            return _fail(reason, "extractor_payload_decode", no_retry=True)
        if isinstance(error, BudgetExceeded):
            return self._over_budget(error, reason)
        if isinstance(error, Retryable):
            if error.after is None:
                return _fail(reason, error.category)
            return await self._again(error, reason, task, context)
        return _fail(reason, "handler_error")

    def _over_budget(self, error: BudgetExceeded, reason: str) -> Ended:
        if error.action == "suspend":
            body = {
                "reason_code": "paused_by_budget",
                "resume_condition": {"condition_type": "operator_only", "required_signal_names": []},
            }
            return Ended("suspend", body)
        if error.action == "reroute_fallback":
            return Ended("fail", {"reason": reason, "category": "budget_exceeded", "fallback_to": "next"})
        return _fail(reason, "budget_exceeded")

    async def _again(self, error: Retryable, reason: str, task: Task[Any], context: Context) -> Ended:
        """The same attempt later: the failure is counted by a step that is recorded in the call that waits."""
        most = task.options.retry.attempts if task.options.retry else 3
        done = sum(1 for name in await context._recorded() if name.startswith(RETRY))
        if done + 1 >= most:
            return _fail(reason, error.category, no_retry=True)
        step = {"name": f"{RETRY}{done + 1}", "value": codec.dumps(str(error)[:1000]), "encoding": codec.JSON}
        return Ended("delay", {"delay_ms": to_ms(error.after or 0), "steps": [step]})


def _fail(reason: str, category: str, *, no_retry: bool = False) -> Ended:
    body: dict[str, Any] = {"reason": reason, "category": category}
    if no_retry:
        body["no_retry"] = True
    return Ended("fail", body)


def _reason(error: BaseException) -> str:
    """The error, and where in the user's code it came from: the last few frames, without those of this package."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/flowfabric/" not in f.filename.replace("\\", "/")]
    lines = [f"{f.filename.rpartition('/')[2]}:{f.lineno} in {f.name}" for f in frames[-_FRAMES_SHOWN:]]
    text = f"{type(error).__name__}: {error}"
    if lines:
        text += "\n" + "\n".join(lines)
    return text[:_REASON_MAX]
