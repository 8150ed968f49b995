"""What a handler holds in its hands while it runs."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import typing
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import codec
from .durations import Duration, to_ms
from .errors import (
    ApiError,
    BudgetExceeded,
    ChildFailed,
    ConfigError,
    ConnectError,
    DecodeError,
    DuplicateStepName,
    LeaseLost,
    StepTypeChanged,
    WaitTimedOut,
)
from .frames import FrameWriter
from .tasks import Call
from .transport import Backoff, escape
from .waiting import BEGIN, END, Decision, EndOfRun, Signal, begin_step

if TYPE_CHECKING:
    from .client import Client

T = TypeVar("T")

_inside_step: contextvars.ContextVar[str] = contextvars.ContextVar("flowfabric_step", default="")
#: Refusals that say that this worker no longer holds the task.
LEASE_ENDED = frozenset(
    {
        "stale_lease",
        "lease_expired",
        "lease_revoked",
        "execution_not_active",
        "execution_not_found",
        "stale_owner_cannot_append",
    }
)
_SHORT_DIMENSIONS = {
    "tokens": "total_tokens",
    "input_tokens": "total_input_tokens",
    "output_tokens": "total_output_tokens",
    "thinking_tokens": "total_thinking_tokens",
}
_MICRO = 1_000_000
_AWAY = Backoff(attempts=1, initial="100ms", max="2s")


class Context:
    """The running task: its steps, waits, stream and identity. Given to handlers as their first argument."""

    def __init__(self, client: Client, task: Mapping[str, Any], lease_lasts: Callable[[], bool]) -> None:
        self.client = client
        self.execution_id = str(task["execution_id"])
        self.kind = str(task["execution_kind"])
        self.lane = str(task["lane_id"])
        self.namespace = str(task["namespace"])
        self.attempt_index = int(task["attempt_index"])
        #: initial, retry, replay, fallback, resumed or reclaim.
        self.attempt_type = str(task["attempt_type"])
        self.flow_id: str | None = task.get("flow_id")
        self.tags: Mapping[str, str] = task.get("tags") or {}
        self.task_token = str(task["task_token"])
        #: Set when the lease was lost, revoked, or the execution cancelled. Sync handlers look at it; async ones are cancelled.
        self.cancelled = False
        self.ending: EndOfRun | None = None
        self._task = task
        self._lease_lasts = lease_lasts
        self._steps: dict[str, Mapping[str, Any]] | None = None
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._frames: FrameWriter | None = None

    # Steps

    @overload
    async def step(self, name: str, do: Callable[[], Awaitable[T]], *, type: Any = None) -> T: ...

    @overload
    async def step(self, name: str, do: Callable[[], T], *, type: Any = None) -> T: ...

    async def step(self, name: str, do: Callable[[], Any], *, type: Any = None) -> Any:
        """Does something once: the first run calls `do` and records what it gave, later runs answer what was recorded.

        A crash between `do` and the record runs `do` again, so its effect happens at most once more. `do` may be async; a
        function that blocks belongs in `asyncio.to_thread`. The value is kept as JSON (or bytes), and what the handler gets is
        always what was kept. `type` is the type to read it as, by default what `do` is annotated to return.
        """
        self._take(name)
        declared = type if type is not None else _return_type(do)
        found = (await self._recorded()).get(name)
        if found is not None:
            return self._step_value(name, found, declared)
        mark = _inside_step.set(name)
        try:
            value = do()
            if inspect.isawaitable(value):
                value = await value
        finally:
            _inside_step.reset(mark)
        return self._step_value(name, await self._record(name, value), declared)

    def _take(self, name: str) -> None:
        if not name or name.startswith("$") or len(name.encode()) > 200:
            raise ConfigError(f"{name!r} cannot name a step: use 1 to 200 bytes that do not begin with `$`")
        if name in self._used:
            raise DuplicateStepName(name)
        self._used.add(name)

    def _number(self, what: str, name: str | None) -> str:
        """A name for a wait that was given none: `sleep`, `sleep#2`, ... in the order of this run."""
        if name is None:
            count = self._numbers[what] = self._numbers.get(what, 0) + 1
            name = what if count == 1 else f"{what}#{count}"
        self._take(name)
        return name

    def _step_value(self, name: str, found: Mapping[str, Any], declared: Any) -> Any:
        try:
            return codec.decode(codec.read_bytes(found, "value"), str(found.get("encoding") or ""), declared)
        except DecodeError as error:
            raise StepTypeChanged(name, str(error)) from None

    async def _recorded(self) -> dict[str, Mapping[str, Any]]:
        """The steps of the execution: those that came with the claim, read on first use where they did not fit in."""
        if self._steps is None:
            self._steps = {str(s["name"]): s for s in self._task.get("steps") or ()}
            if self._task.get("steps_state") == "omitted":
                after: Any = None
                while True:
                    page = await self._get("steps", after=after)
                    self._steps.update((str(s["name"]), s) for s in page["steps"])
                    after = page.get("next_cursor")
                    if after is None:
                        break
        return self._steps

    async def _record(self, name: str, value: Any) -> Mapping[str, Any]:
        data, encoding = codec.encode(value)
        step = {"name": name, "value": "", **codec.bytes_fields("value", data)}
        if "value_base64" in step:
            del step["value"]
        if encoding:
            step["encoding"] = encoding
        body = {"task_token": self.task_token, "steps": [step]}
        answer = await self._call(lambda: self.client.transport.call("POST", f"{self._path}/steps", body=body, safe=True))
        (outcome,) = answer["steps"]
        known: Mapping[str, Any] = outcome if outcome["status"] == "duplicate" else step
        steps = await self._recorded()
        steps[name] = known
        return known

    @property
    def _path(self) -> str:
        return f"/v1/executions/{escape(self.execution_id)}"

    async def _get(self, what: str, **query: Any) -> Any:
        return await self._call(lambda: self.client.transport.call("GET", f"{self._path}/{what}", query=query))

    async def _call(self, request: Callable[[], Awaitable[T]]) -> T:
        """A request about this task that may be repeated, made again while no answer comes and the lease lasts.

        Neither a server that is away nor the end of the lease is the handler's failure: failing would repeat the effects that
        it could not record.
        """
        failures = 0
        while True:
            try:
                return await request()
            except ApiError as error:
                if error.code in LEASE_ENDED:
                    raise LeaseLost(str(error)) from error
                if not error.retryable or not self._lease_lasts():
                    raise
            except ConnectError as error:
                if not self._lease_lasts():
                    raise LeaseLost(f"the lease of {self.execution_id} ran out while the server was away: {error}") from error
            failures += 1
            await asyncio.sleep(_AWAY.pause_s(failures))
            if self.cancelled:
                raise LeaseLost(f"execution {self.execution_id} is no longer ours")

    # Waits

    async def sleep(self, duration: Duration, *, name: str | None = None) -> None:
        """Ends this run; the execution goes on here when the time is over. No worker is held meanwhile."""
        name = self._number("sleep", name)
        if BEGIN + name in await self._recorded():
            return  # the execution cannot be claimed before its time
        delay_ms = to_ms(duration)
        step = begin_step(name, {"sleep_ms": delay_ms})
        self._end(f"ctx.sleep({name!r})", "delay", {"delay_ms": delay_ms, "steps": [step]})

    async def wait_for(
        self,
        name: str,
        *signals: str,
        timeout: Duration | None = None,
        condition: Mapping[str, Any] | None = None,
    ) -> Signal:
        """Waits for one signal (of these names, or any) and gives it. Raises `WaitTimedOut` after `timeout`.

        The outside sends it to the waitpoint `name` of this execution, for example with `handle.signal`. `condition` is a
        resume condition of the engine in place of names.
        """
        return (await self._signals(name, signals, "any", timeout, condition))[-1]

    async def wait_for_all(self, name: str, *signals: str, timeout: Duration | None = None) -> list[Signal]:
        """Waits until a signal of each of these names has come."""
        return await self._signals(name, signals, "all", timeout, None)

    async def approval(
        self,
        name: str,
        *,
        ask: str | None = None,
        to: str | Sequence[str] | None = None,
        form: Mapping[str, Any] | None = None,
        context: Any = None,
        due: Duration | None = None,
        timeout: Duration | None = None,
    ) -> Decision:
        """Asks somebody and gives their decision; nothing runs meanwhile. After `timeout` the decision is no, `timed_out`."""
        details: dict[str, Any] = {}
        if ask is not None:
            details["prompt"] = ask
        if to is not None:
            details["assignees"] = [to] if isinstance(to, str) else list(to)
        if form is not None:
            details["form"] = dict(form)
        if context is not None:
            data, encoding = codec.encode(context)
            details.update(codec.bytes_fields("context", data))
            details["context_type"] = "application/octet-stream" if encoding == codec.BYTES else "application/json"
        if due is not None:
            details["due_at"] = f"+{to_ms(due)}"
        extra: dict[str, Any] = {"reason_code": "waiting_for_approval"}
        if details:
            extra["approval"] = details
        self._take(name)
        try:
            signal = (await self._wait(name, ("approved", "rejected"), "any", timeout, None, extra))[-1]
        except WaitTimedOut:
            return Decision(False, timed_out=True)
        try:
            data_given = signal.value()
        except DecodeError:
            data_given = signal.payload
        return Decision(signal.name == "approved", signal.by, data_given, signal.accepted_at)

    async def _signals(
        self,
        name: str,
        signals: Sequence[str],
        match: str,
        timeout: Duration | None,
        condition: Mapping[str, Any] | None,
    ) -> list[Signal]:
        self._take(name)
        return await self._wait(name, signals, match, timeout, condition, {"reason_code": "waiting_for_signal"})

    async def _wait(
        self,
        name: str,
        signals: Sequence[str],
        match: str,
        timeout: Duration | None,
        condition: Mapping[str, Any] | None,
        extra: Mapping[str, Any],
    ) -> list[Signal]:
        steps = await self._recorded()
        outcome = steps.get(END + name)
        begun, turn = None, 1
        while outcome is None and (step := steps.get(BEGIN + name + (f"#{turn}" if turn > 1 else ""))) is not None:
            begun, turn = self._step_value(name, step, dict), turn + 1
        if outcome is None and begun is not None:
            found = await self._outcome(str(begun["waitpoint_id"]))
            if found is not None:
                outcome = await self._record(END + name, found)
        if outcome is not None:
            return self._read_outcome(name, outcome)
        waitpoint, suspension = str(uuid.uuid4()), str(uuid.uuid4())
        body: dict[str, Any] = {
            **extra,
            "suspension_id": suspension,
            "waitpoint": {"waitpoint_id": waitpoint, "waitpoint_key": name},
            "timeout_behavior": "auto_resume_with_timeout_signal",
            "steps": [
                begin_step(name + (f"#{turn}" if turn > 1 else ""), {"waitpoint_id": waitpoint, "suspension_id": suspension})
            ],
        }
        if condition is not None:
            body["resume_condition"] = dict(condition)
        else:
            body.update(signals=list(signals), match=match)
        if timeout is not None:
            body["timeout_ms"] = to_ms(timeout)
        else:
            del body["timeout_behavior"]
        self._end(f"the wait {name!r}", "suspend", body)

    def _read_outcome(self, name: str, outcome: Mapping[str, Any]) -> list[Signal]:
        fields = self._step_value(name, outcome, dict)
        if fields.get("timed_out"):
            raise WaitTimedOut(name)
        return [Signal.read(s) for s in fields["signals"]]

    async def _outcome(self, waitpoint_id: str) -> dict[str, Any] | None:
        """How a wait ended, or None if it never came to an end: its suspension was cut off and has to begin again.

        No later suspension can have taken the place of this one: the run that sees its end records it before any other wait.
        """
        suspension: Mapping[str, Any] = await self._call(lambda: self.client.get_suspension(self.execution_id))
        if suspension.get("waitpoint_id") != waitpoint_id:
            return None
        reason = str(suspension.get("close_reason") or "")
        if reason not in ("resumed", "operator_resume", "timed_out_auto_resume"):
            return None
        index = int(suspension.get("attempt_index") or 0)
        answer = await self._call(lambda: self.client.resume_signals(self.execution_id, attempt_index=index))
        signals = [_signal(s) for s in answer["signals"]]
        if any(s.category == "timeout" and s.by == "suspension_timeout" for s in signals):
            return {"timed_out": True}
        if not signals:  # an operator resumed it
            signals = [Signal("resumed", str(suspension.get("resume_actor") or "operator"), "operator", None, 0, "")]
        return {"signals": [s.record() for s in signals]}

    # Children

    async def call(self, call: Call[T], *, name: str | None = None) -> T:
        """Runs another task as a child and gives its result. This run ends; the execution goes on when the child has ended."""
        return (await self.gather([call], name=name or self._next("call")))[0]

    def _next(self, what: str) -> str:
        count = self._numbers[what] = self._numbers.get(what, 0) + 1
        return what if count == 1 else f"{what}#{count}"

    async def gather(self, calls: Sequence[Call[T]], *, name: str | None = None, return_exceptions: bool = False) -> list[T]:
        """Runs tasks as children, each exactly once, and gives their results in order.

        The first child that ends without success is raised as `ChildFailed`, or stands in the list with `return_exceptions`.
        At most 256 calls at a time.
        """
        name = self._number("gather", name)
        if not calls:
            return []
        if len(calls) > 256:
            raise ConfigError(f"ctx.gather takes at most 256 calls, not {len(calls)}; gather them in groups")
        names = [c.name or str(i) for i, c in enumerate(calls)]
        if len(set(names)) != len(names):
            raise ConfigError("two calls of one gather have the same name")
        steps = await self._recorded()
        outcome = steps.get(END + name)
        if outcome is None and BEGIN + name in steps:
            outcome = await self._record(END + name, await self._children(name))
        if outcome is None:
            # Without a lane a child would go to its parent's; a task goes where it goes when it is submitted.
            children = [{"name": f"{name}/{n}", "lane_id": "default", **c.body()} for n, c in zip(names, calls)]
            body = {
                "steps": [begin_step(name, {"children": [c["name"] for c in children]})],
                "children": children,
                "on_child_failure": "continue",
            }
            self._end(f"ctx.gather({name!r})", "call-children", body)
        ended = {str(c["name"]): c for c in self._step_value(name, outcome, list)}
        results: list[Any] = []
        for child_name, call in zip(names, calls):
            value = self._child_result(f"{name}/{child_name}", ended, call)
            if isinstance(value, ChildFailed) and not return_exceptions:
                raise value
            results.append(value)
        return results

    def _child_result(self, name: str, ended: Mapping[str, Mapping[str, Any]], call: Call[Any]) -> Any:
        child = ended.get(name)
        if child is None:
            raise ConfigError(f"the call `{name}` was not among the children that were begun under this name")
        if child.get("outcome") != "success":
            return ChildFailed(
                name,
                str(child.get("execution_id", "")),
                str(child.get("outcome", "")),
                str(child.get("failure_reason") or ""),
                str(child.get("failure_category") or ""),
            )
        try:
            data = codec.read_bytes(child, "result")
            return codec.decode(data, str(child.get("result_encoding") or ""), call.task.result_type)
        except DecodeError as error:
            raise StepTypeChanged(name, str(error)) from None

    async def _children(self, name: str) -> list[dict[str, Any]]:
        """What became of the children of one call, with their results."""
        prefix = name + "/"
        given = self._task.get("children") or []
        if self._task.get("children_state") != "inline":
            given, after = [], None
            while True:
                page = await self._get("children", after=after)
                given += page["children"]
                after = page.get("next_cursor")
                if after is None:
                    break
        out = []
        for child in given:
            if str(child["name"]).startswith(prefix):
                child = dict(child)
                if child.get("outcome") == "success" and child.get("result_state") == "omitted":
                    child.update(codec.bytes_fields("result", await self._result_of(str(child["execution_id"]))))
                out.append(child)
        return out

    async def _result_of(self, execution_id: str) -> bytes:
        return await self._call(lambda: self.client.get_result(execution_id))

    def _end(self, what: str, route: str, body: dict[str, Any]) -> typing.NoReturn:
        if _inside_step.get():
            raise ConfigError(f"{what} inside the step `{_inside_step.get()}`: wait between steps, not within one")
        self.ending = EndOfRun(what, route, body)
        raise self.ending

    # Flows

    async def expand(self, nodes: Sequence[Mapping[str, Any]], *, name: str | None = None) -> dict[str, Any]:
        """Adds nodes to the flow this execution belongs to, once for each `name`. `ff.Flow.document()["nodes"]` makes them."""
        if self.flow_id is None:
            raise ConfigError(f"execution {self.execution_id} belongs to no flow, so there is nothing to expand")
        name = self._number("expand", name)
        flow_id, mutation = self.flow_id, str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.execution_id}/{name}"))

        async def send() -> dict[str, Any]:
            return dict(await self._call(lambda: self.client.expand_flow(flow_id, mutation_id=mutation, nodes=list(nodes))))

        self._used.discard(name)
        return await self.step(name, send, type=dict)

    # Stream, usage, progress

    async def stream(self, chunk: str | bytes, *, type: str = "token") -> None:
        """Adds to the live output. Chunks travel together, at the latest 20 ms after the first of them."""
        await self._writer().add(type, chunk)

    async def log(self, message: str, **fields: Any) -> None:
        """Writes a log frame, which the console and `flowfabric tail` show."""
        level = fields.pop("level", "info")
        await self._writer().add("log", codec.dumps({"level": level, "message": message, **fields}), encoding="json")

    async def flush(self) -> None:
        """Waits until everything streamed and logged so far is stored."""
        if self._frames is not None:
            await self._frames.flush()

    def _writer(self) -> FrameWriter:
        if self._frames is None:
            self._frames = FrameWriter(self._send_frames)
        return self._frames

    async def _send_frames(self, frames: list[dict[str, Any]]) -> None:
        path = f"{self._path}/attempts/{self.attempt_index}/stream"
        body = {"task_token": self.task_token, "frames": frames}
        # `seq` makes the repeat of an append whose answer was lost the same append.
        await self._call(lambda: self.client.transport.call("POST", path, body=body, safe=True))

    async def progress(self, percent: float | None = None, message: str | None = None) -> None:
        """Tells how far the task is."""
        pct = None if percent is None else max(0, min(100, round(percent)))
        await self._call(lambda: self.client.progress(self.execution_id, task_token=self.task_token, pct=pct, message=message))

    async def spend(
        self,
        *,
        name: str | None = None,
        budget: str | None = None,
        cost_usd: str | Decimal | float | None = None,
        **amounts: int,
    ) -> None:
        """Counts what was spent: `tokens`, `input_tokens`, `output_tokens`, `cost_usd`, or any dimension of a budget.

        Counted once: outside a step once for each execution (by `name`, or the order of unnamed ones), inside a step once for
        each time that the step runs. Raises `BudgetExceeded` when a hard limit was passed; what was spent is counted all the
        same.
        """
        await self._use("spent", name, budget, cost_usd, amounts)

    async def try_spend(
        self,
        *,
        name: str | None = None,
        budget: str | None = None,
        cost_usd: str | Decimal | float | None = None,
        **amounts: int,
    ) -> bool:
        """Counts it only if every budget has room for all of it; otherwise counts nothing and gives False."""
        try:
            await self._use("check", name, budget, cost_usd, amounts)
        except BudgetExceeded:
            return False
        return True

    async def _use(
        self,
        mode: str,
        name: str | None,
        budget: str | None,
        cost_usd: str | Decimal | float | None,
        amounts: Mapping[str, int],
    ) -> None:
        from .tasks import budget_id

        dimensions = {_SHORT_DIMENSIONS.get(k, k): v for k, v in amounts.items()}
        if cost_usd is not None:
            dimensions["total_cost"] = round(Decimal(str(cost_usd)) * _MICRO)
        step = _inside_step.get()
        if name is None:
            count = self._numbers[f"spend/{step}"] = self._numbers.get(f"spend/{step}", 0) + 1
            name = f"#{count}"
        run = f"{self._task['lease_epoch']}/{step}/" if step else ""
        answer = await self._call(
            lambda: self.client.report_usage(
                self.execution_id,
                task_token=self.task_token,
                dimensions=dimensions,
                budget_id=None if budget is None else budget_id(budget),
                dedup_key=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.execution_id}/{run}{name}")),
                mode=None if mode == "spent" else mode,
            )
        )
        for result in answer["results"]:
            if result.get("status") == "hard_breach":
                raise BudgetExceeded(
                    str(result.get("budget_id", "")),
                    str(result.get("dimension", "")),
                    str(result.get("action", "")),
                    int(result.get("current_usage") or 0),
                    int(result.get("hard_limit") or 0),
                )


class SyncContext:
    """What a handler that is a plain function gets: the same, blocking. It runs in a thread of its own."""

    def __init__(self, context: Context, loop: asyncio.AbstractEventLoop) -> None:
        self.async_context = context
        self._loop = loop

    @property
    def execution_id(self) -> str:
        """The id of the execution."""
        return self.async_context.execution_id

    @property
    def attempt_index(self) -> int:
        """The number of this attempt, from 0."""
        return self.async_context.attempt_index

    @property
    def kind(self) -> str:
        """The name of the task."""
        return self.async_context.kind

    @property
    def attempt_type(self) -> str:
        """initial, retry, replay, fallback, resumed or reclaim."""
        return self.async_context.attempt_type

    @property
    def flow_id(self) -> str | None:
        """The flow it belongs to."""
        return self.async_context.flow_id

    @property
    def tags(self) -> Mapping[str, str]:
        """The tags of the execution."""
        return self.async_context.tags

    @property
    def cancelled(self) -> bool:
        """Whether the work is for nothing: the lease was lost or the execution cancelled. Look at it in long loops."""
        return self.async_context.cancelled

    def _run(self, request: Any) -> Any:
        if self.async_context.cancelled:
            request.close()
            raise LeaseLost(f"execution {self.execution_id} is no longer ours")
        return asyncio.run_coroutine_threadsafe(request, self._loop).result()

    def step(self, name: str, do: Callable[[], T], *, type: Any = None) -> T:
        """As `Context.step`, with a function that may block."""
        declared = type if type is not None else _return_type(do)
        loop_context = contextvars.copy_context()

        def inside() -> T:
            mark = _inside_step.set(name)
            try:
                return do()
            finally:
                _inside_step.reset(mark)

        async def run() -> T:
            return await asyncio.to_thread(loop_context.run, inside)

        result: T = self._run(self.async_context.step(name, run, type=declared))
        return result

    def sleep(self, duration: Duration, *, name: str | None = None) -> None:
        """As `Context.sleep`."""
        self._run(self.async_context.sleep(duration, name=name))

    def wait_for(self, name: str, *signals: str, timeout: Duration | None = None) -> Signal:
        """As `Context.wait_for`."""
        signal: Signal = self._run(self.async_context.wait_for(name, *signals, timeout=timeout))
        return signal

    def wait_for_all(self, name: str, *signals: str, timeout: Duration | None = None) -> list[Signal]:
        """As `Context.wait_for_all`."""
        all_of_them: list[Signal] = self._run(self.async_context.wait_for_all(name, *signals, timeout=timeout))
        return all_of_them

    def approval(
        self,
        name: str,
        *,
        ask: str | None = None,
        to: str | Sequence[str] | None = None,
        form: Mapping[str, Any] | None = None,
        context: Any = None,
        due: Duration | None = None,
        timeout: Duration | None = None,
    ) -> Decision:
        """As `Context.approval`."""
        asking = self.async_context.approval(name, ask=ask, to=to, form=form, context=context, due=due, timeout=timeout)
        decision: Decision = self._run(asking)
        return decision

    def call(self, call: Call[T], *, name: str | None = None) -> T:
        """As `Context.call`."""
        result: T = self._run(self.async_context.call(call, name=name))
        return result

    def gather(self, calls: Sequence[Call[T]], *, name: str | None = None, return_exceptions: bool = False) -> list[T]:
        """As `Context.gather`."""
        results: list[T] = self._run(self.async_context.gather(calls, name=name, return_exceptions=return_exceptions))
        return results

    def expand(self, nodes: Sequence[Mapping[str, Any]], *, name: str | None = None) -> dict[str, Any]:
        """As `Context.expand`."""
        added: dict[str, Any] = self._run(self.async_context.expand(nodes, name=name))
        return added

    def flush(self) -> None:
        """As `Context.flush`."""
        self._run(self.async_context.flush())

    def stream(self, chunk: str | bytes, *, type: str = "token") -> None:
        """As `Context.stream`."""
        self._run(self.async_context.stream(chunk, type=type))

    def log(self, message: str, **fields: Any) -> None:
        """As `Context.log`."""
        self._run(self.async_context.log(message, **fields))

    def progress(self, percent: float | None = None, message: str | None = None) -> None:
        """As `Context.progress`."""
        self._run(self.async_context.progress(percent, message))

    def spend(self, **amounts: Any) -> None:
        """As `Context.spend`."""
        self._run(self.async_context.spend(**amounts))

    def try_spend(self, **amounts: Any) -> bool:
        """As `Context.try_spend`."""
        return bool(self._run(self.async_context.try_spend(**amounts)))


def _return_type(function: Callable[..., Any]) -> Any:
    """What a function is annotated to return, with awaitables taken off; Any where nothing is said."""
    try:
        declared = typing.get_type_hints(function).get("return", Any)
    except Exception:  # a lambda, a partial, a name that exists for type checkers only: nothing is declared then
        return Any
    origin = typing.get_origin(declared)
    if isinstance(origin, type) and issubclass(origin, Awaitable):
        declared = typing.get_args(declared)[-1]
    return declared


def _signal(entry: Mapping[str, Any]) -> Signal:
    return Signal(
        str(entry.get("signal_name", "")),
        str(entry.get("source_identity", "")),
        str(entry.get("signal_category", "")),
        codec.read_bytes(entry, "payload"),
        int(entry.get("accepted_at") or 0),
        str(entry.get("signal_id", "")),
    )
