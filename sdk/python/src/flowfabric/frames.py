"""Frames of one run, sent together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from . import codec

FLUSH_AFTER_S = 0.02
_FRAMES_MAX = 256
_BYTES_MAX = 512 * 1024


class FrameWriter:
    """Gathers frames for at most 20 ms and appends them in order. Who adds more than the server takes waits for it."""

    def __init__(self, send: Callable[[list[dict[str, Any]]], Awaitable[None]]) -> None:
        self._send = send
        self._frames: list[dict[str, Any]] = []
        self._bytes = 0
        self._seq = 0
        self._timer: asyncio.Task[None] | None = None
        self._sending = asyncio.Lock()
        self._failure: Exception | None = None

    async def add(self, frame_type: str, payload: str | bytes, *, encoding: str | None = None) -> None:
        """Takes a frame. A failure of an earlier append is raised here."""
        self._raise_failure()
        self._seq += 1
        frame: dict[str, Any] = {"frame_type": frame_type, "seq": self._seq, "ts": int(time.time() * 1000)}
        frame.update(codec.bytes_fields("payload", payload))
        if encoding:
            frame["encoding"] = encoding
        self._frames.append(frame)
        self._bytes += len(payload)
        if len(self._frames) >= _FRAMES_MAX or self._bytes >= _BYTES_MAX:
            await self.flush()
        elif self._timer is None:
            self._timer = asyncio.create_task(self._flush_soon())

    async def flush(self) -> None:
        """Sends what was added, and waits for what is being sent."""
        timer, self._timer = self._timer, None
        if timer is not None and timer is not asyncio.current_task():
            timer.cancel()
        async with self._sending:
            while self._frames:
                batch, self._frames, self._bytes = self._frames[:_FRAMES_MAX], self._frames[_FRAMES_MAX:], 0
                await self._send(batch)
        self._raise_failure()

    async def _flush_soon(self) -> None:
        await asyncio.sleep(FLUSH_AFTER_S)
        self._timer = None
        try:
            await asyncio.shield(self.flush())
        except Exception as error:  # raised to the handler by its next use of the stream
            self._failure = error

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
