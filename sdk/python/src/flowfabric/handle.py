"""Handles of executions: their result, their stream, and what a person does with them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

from . import codec
from .client import Client, Frame
from .durations import Duration, to_ms
from .errors import ConfigError, ExecutionFailed, NotFound, ResultTimeout

R = TypeVar("R")
_WAIT_MS = 25_000
STREAM_TYPES = frozenset({"token", "text_chunk"})


class Handle(Generic[R]):
    """An execution that was submitted."""

    def __init__(self, client: Client, execution_id: str, result_type: Any = Any, *, created: bool = True) -> None:
        self.client = client
        self.execution_id = execution_id
        #: False if the submission found an execution with the same id or idempotency key.
        self.created = created
        self._result_type = result_type

    def __repr__(self) -> str:
        return f"<Handle {self.execution_id}>"

    async def info(self) -> dict[str, Any]:
        """What the server knows of the execution."""
        return dict(await self.client.get_execution(self.execution_id))

    async def state(self) -> str:
        """Its public state: waiting, active, suspended, delayed, completed, failed, ..."""
        return str((await self.info())["public_state"])

    async def result(self, *, timeout: Duration | None = None) -> R:
        """Waits for the end and gives the result. Raises `ExecutionFailed` if it ended without one."""
        await self.wait(timeout=timeout)
        info = await self.info()
        outcome = str(info["state_vector"]["terminal_outcome"])
        if outcome != "success":
            raise ExecutionFailed(
                self.execution_id,
                outcome,
                str(info.get("failure_reason") or info.get("cancellation_reason") or ""),
                str(info.get("failure_category") or ""),
            )
        try:
            data: bytes | None = await self.client.get_result(self.execution_id)
        except NotFound:
            data = None
        value: R = codec.decode(data, str(info.get("result_encoding") or ""), self._result_type)
        return value

    async def wait(self, *, timeout: Duration | None = None) -> str:
        """Waits for the end and gives the outcome: success, failed, cancelled, expired or skipped."""
        loop = asyncio.get_running_loop()
        end = None if timeout is None else loop.time() + to_ms(timeout) / 1000
        while True:
            left_ms = _WAIT_MS if end is None else min(_WAIT_MS, max(0, round((end - loop.time()) * 1000)))
            answer = await self.client.wait_for_end(self.execution_id, block_ms=left_ms)
            if not answer.get("timed_out"):
                return str(answer.get("terminal_outcome") or "")
            if end is not None and loop.time() >= end:
                raise ResultTimeout(f"execution {self.execution_id} is still {answer.get('public_state')}")

    async def stream(self) -> AsyncIterator[str]:
        """What handlers gave to `ctx.stream`, as text, until the execution has ended."""
        async for frame in self.client.frames(self.execution_id):
            if frame.type in STREAM_TYPES:
                yield frame.text

    async def frames(self, *, after: str | None = None) -> AsyncIterator[Frame]:
        """All frames: streamed text, logs, progress and the rest."""
        async for frame in self.client.frames(self.execution_id, after=after):
            yield frame

    async def cancel(self, reason: str = "cancelled by its submitter") -> None:
        """Ends the execution. Its handler, if one runs, is told with the next renewal of its lease."""
        await self.client.cancel_execution(self.execution_id, reason=reason)

    async def pending(self) -> list[dict[str, Any]]:
        """The waits that are open now, by `waitpoint_key`."""
        answer = await self.client.list_pending_waitpoints(self.execution_id)
        return [dict(w) for w in answer["waitpoints"]]

    async def signal(
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
        """Sends a signal to the open wait of that name and gives the effect it had.

        With a `signal_id` of your own a repeated call is the same signal.
        """
        for open_wait in await self.pending():
            if open_wait.get("waitpoint_key") == wait:
                break
        else:
            raise ConfigError(f"execution {self.execution_id} has no open wait `{wait}`; it may not have come there yet")
        data, encoding = codec.encode(payload)
        waitpoint = str(open_wait["waitpoint_id"])
        token = open_wait.get("waitpoint_token")  # absent where the server redacts listings
        if not token:
            token = (await self.client.get_waitpoint_token(self.execution_id, waitpoint))["token"]
        answer = await self.client.deliver_signal(
            self.execution_id,
            waitpoint_id=waitpoint,
            waitpoint_token=str(token),
            signal_id=signal_id or str(uuid.uuid4()),
            signal_name=signal,
            signal_category=category,
            source_type=source_type,
            source_identity=by,
            payload=data,
            payload_encoding=encoding or None,
        )
        return str(answer.get("effect") or answer.get("status"))

    async def approve(self, wait: str, *, by: str, data: Any = None) -> None:
        """Answers the approval of that name with yes."""
        await self.signal(wait, "approved", data, by=by, category="approval", source_type="user")

    async def reject(self, wait: str, *, by: str, data: Any = None) -> None:
        """Answers the approval of that name with no."""
        await self.signal(wait, "rejected", data, by=by, category="rejection", source_type="user")
