"""Runs async code for programs without an event loop: in a loop of its own, in a thread of its own."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

from .errors import ConfigError

T = TypeVar("T")
P = ParamSpec("P")
Inner = TypeVar("Inner")


class Loop:
    """An event loop that starts with its first use and ends with the process. A forked process gets one of its own."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None or self._process != os.getpid():
                self._loop, self._process = asyncio.new_event_loop(), os.getpid()
                threading.Thread(target=self._loop.run_forever, name="flowfabric-sync", daemon=True).start()
            return self._loop

    def wait(self, request: Coroutine[Any, Any, T]) -> T:
        """Runs it to its end and gives what it gave."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            request.close()
            raise ConfigError("flowfabric.sync would block the event loop that runs here; use the async calls with `await`")
        under_way = asyncio.run_coroutine_threadsafe(request, self._running())
        try:
            return under_way.result()
        except BaseException:
            under_way.cancel()  # Ctrl-C while it waits
            raise

    def each(self, items: AsyncIterator[T]) -> Iterator[T]:
        """What an async iterator gives, as it comes."""

        async def following() -> T:
            return await items.__anext__()

        async def close() -> None:
            end = getattr(items, "aclose", None)
            if end is not None:
                await end()

        try:
            while True:
                try:
                    yield self.wait(following())
                except StopAsyncIteration:
                    return
        finally:
            self.wait(close())


LOOP = Loop()


class Blocks:
    """Has the async object whose calls `blocking` makes."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner


def blocking(method: Callable[Concatenate[Inner, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Blocks, P], T]:
    """The method of an async class as a method that blocks, for a class that `Blocks` on an object of it."""

    def call(self: Blocks, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return LOOP.wait(method(self._inner, *args, **kwargs))

    functools.update_wrapper(call, method)
    return call
