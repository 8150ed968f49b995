"""A real server for tests: `with ff.testing.server() as server:`.

The program is found through FLOWFABRIC_BINARY, the package `flowfabric-server`, or PATH. It keeps everything in memory and
listens on a free port of this machine. `server.advance("3d")` moves its time ahead.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from .app import App
from .blocking import LOOP
from .durations import Duration, to_ms
from .errors import ConfigError, FlowFabricError
from .worker import Worker

_SERVING = re.compile(r"serving (\S+)")
_START_S = 60.0
_LOG_LINES_MAX = 400


def binary() -> str:
    """Where the server program is."""
    named = os.environ.get("FLOWFABRIC_BINARY")
    if named:
        if not os.access(named, os.X_OK):
            raise ConfigError(f"FLOWFABRIC_BINARY is {named}, which is not a program")
        return named
    with contextlib.suppress(ImportError):
        package: Any = importlib.import_module("flowfabric_server")
        return str(package.binary())
    found = shutil.which("flowfabric")
    if found:
        return found
    raise ConfigError("no flowfabric program: set FLOWFABRIC_BINARY, install flowfabric-server, or put it into PATH")


class TestServer:
    """A server process. `url` is where it listens; `log` the last lines it wrote."""

    __test__ = False  # pytest, this is no test

    def __init__(
        self,
        *,
        settings: Mapping[str, str] | None = None,
        data_dir: str = ":memory:",
        program: str | None = None,
    ) -> None:
        self._program = program or binary()
        # What the program's environment sets for a real server is not meant for this one.
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith("FF_")}
        self._environment.update({"FF_DATA_DIR": data_dir, "FF_LISTEN_ADDR": "127.0.0.1:0"})
        self._environment.update(settings or {})
        in_memory = self._environment["FF_DATA_DIR"] == ":memory:"
        if in_memory and self._environment.get("FF_BACKEND", "embedded") == "embedded":
            self._environment.setdefault("FF_TEST_CLOCK", "true")
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.log: list[str] = []

    def start(self) -> TestServer:
        """Starts the process and waits until it serves."""
        folder = tempfile.gettempdir()
        self._process = subprocess.Popen(
            [self._program, "server"],
            env=self._environment,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        serving = threading.Event()
        threading.Thread(target=self._read, args=(self._process, serving), daemon=True).start()
        if not serving.wait(_START_S) or not self.url:
            lines = "\n".join(self.log[-20:])
            self.kill()
            raise FlowFabricError(f"{self._program} server did not start:\n{lines}")
        # A restart takes the same port, so that clients find it again.
        self._environment["FF_LISTEN_ADDR"] = self.url.partition("//")[2]
        return self

    def _read(self, process: subprocess.Popen[str], serving: threading.Event) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.log.append(line.rstrip())
            del self.log[:-_LOG_LINES_MAX]
            found = _SERVING.search(line)
            if found and not serving.is_set():
                self.url = found.group(1)
                serving.set()
        serving.set()

    def advance(self, by: Duration) -> None:
        """Moves the server's time ahead, as if `by` had passed at once: timeouts, sleeps and schedules that fall due happen now.

        It blocks for one short request. Leases of running handlers live on. Only for servers in memory.
        """
        token = self._environment.get("FF_API_TOKEN")
        reply = httpx.post(
            self.url + "/v1/test/clock",
            json={"advance_ms": to_ms(by)},
            headers={"authorization": f"Bearer {token}"} if token else {},
            timeout=_START_S,
        )
        if reply.status_code == httpx.codes.NOT_FOUND:
            raise ConfigError(
                "this server's time cannot be moved: it keeps its data in a folder or a Valkey, or has FF_TEST_CLOCK=false"
            )
        if reply.is_error:
            raise FlowFabricError(f"the time was not moved: {reply.text}")

    def stop(self) -> None:
        """Ends the process as an operator does, with SIGTERM."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends the process as a power cut does."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def restart(self) -> None:
        """Kills the process and starts it again on the same port; only a durable folder keeps what there was."""
        self.kill()
        for left in range(20, 0, -1):
            try:
                self.start()
                return
            except FlowFabricError:  # the port may still be in use for a moment
                if left == 1:
                    raise
                time.sleep(0.1)

    def __enter__(self) -> TestServer:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    async def __aenter__(self) -> TestServer:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        await asyncio.to_thread(self.stop)


def server(*, settings: Mapping[str, str] | None = None, data_dir: str | Path = ":memory:") -> TestServer:
    """A server for a `with` or `async with` block. `settings` are FF_ variables."""
    return TestServer(settings=settings, data_dir=str(data_dir))


class RunningWorker:
    """Runs a worker for as long as the block: in this event loop with `async with`, beside the program with `with`."""

    def __init__(self, app: App, changes: Mapping[str, Any]) -> None:
        self._app = app
        self._changes = changes
        self._made: Worker | None = None
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Worker:
        made = self._made = self._app.worker(**self._changes)
        registered = asyncio.Event()
        self._running = asyncio.create_task(made.run(ready=registered.set))
        waiting = asyncio.create_task(registered.wait())
        await asyncio.wait([self._running, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._running.done():
            self._running.result()
        return made

    async def __aexit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self._made is not None and self._running is not None:
            self._made.stop()
            await self._running

    def __enter__(self) -> Worker:
        return LOOP.wait(self.__aenter__())

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        LOOP.wait(self.__aexit__(kind, value, trace))


def worker(app: App, **changes: Any) -> RunningWorker:
    """A worker for the tasks of an application, for a `with` or `async with` block. `changes` are members of `WorkerOptions`."""
    return RunningWorker(app, changes)
