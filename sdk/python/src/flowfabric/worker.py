"""The worker: claims, runs, renews, hands in.

One long poll waits for work. What handlers finish is handed in with the claim for the slots they free, so a busy worker makes
one request for a batch. One loop renews all leases. Every request that may have been carried out is sent again under the same
ids, so a lost answer costs time and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import signal
import socket
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .context import LEASE_ENDED
from .durations import Duration, to_ms
from .errors import ApiError, ConfigError, ConnectError
from .execute import LOST, Ended, Executor, Held
from .tasks import Task
from .transport import NO_REPEATS, Backoff, escape

if TYPE_CHECKING:
    from .client import Client

log = logging.getLogger("flowfabric")

_BATCH_MAX = 256
_HAND_IN_AT_A_TIME = 2
_RESULT_IN_BATCH_MAX = 64 * 1024
_KINDS_MAX = 64
_AWAY = Backoff(attempts=1, initial="100ms", max="5s")
_ENDING = Backoff(attempts=8, initial="100ms", max="5s")


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker works. `concurrency` bounds the tasks it holds; `lanes` is by default those of its tasks."""

    worker_id: str = "python"
    instance_id: str | None = None
    lanes: Sequence[str] = ()
    concurrency: int = 100
    capabilities: Sequence[str] = ()
    namespace: str | None = None
    lease_ttl: Duration = 30
    poll: Duration = 20
    drain: Duration = 25


class Worker:
    """Runs the tasks of an application until `stop`."""

    def __init__(self, client: Client, tasks: Mapping[str, Task[Any]], options: WorkerOptions) -> None:
        if not tasks:
            raise ConfigError("the worker has no tasks; import the modules that define them")
        self.client = client
        self.options = options
        self.tasks = dict(tasks)
        self.lanes = list(options.lanes) or sorted({t.options.lane or "default" for t in tasks.values()})
        self.instance_id = options.instance_id or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._ttl_ms = to_ms(options.lease_ttl)
        self._threads = ThreadPoolExecutor(max_workers=min(options.concurrency, 64), thread_name_prefix="flowfabric")
        self._executor = Executor(client, self.tasks, self._threads)
        # By lease: the next attempt of an execution may come while the answer to the end of this one is still out.
        self._held: dict[str, Held] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._slots = options.concurrency
        self._finished: list[tuple[Held, Ended]] = []
        self._handing_in = 0
        self._room = asyncio.Event()
        self._something_finished = asyncio.Event()
        self._stopping = asyncio.Event()
        self._strangers = 0
        # More cannot be asked for: then what has no handler here goes back unbegun.
        self._kinds = sorted(self.tasks) if len(self.tasks) <= _KINDS_MAX else []
        self._boot_id = uuid.uuid4().hex
        #: How many tasks ended, by route: complete, fail, suspend, delay, call-children, release.
        self.ended: dict[str, int] = {}

    # Life

    async def run(self, *, ready: Callable[[], object] | None = None) -> None:
        """Works until `stop` is called, then drains. Raises what no waiting can help, such as a wrong API token."""
        await self._register()
        if ready is not None:
            ready()
        log.info("worker %s serves %s on lanes %s", self.instance_id, ", ".join(sorted(self.tasks)), ", ".join(self.lanes))
        loops = [
            asyncio.create_task(self._claims(), name="flowfabric-claims"),
            asyncio.create_task(self._hand_ins(), name="flowfabric-hand-ins"),
            asyncio.create_task(self._renewals(), name="flowfabric-renewals"),
        ]
        stopped = asyncio.create_task(self._stopping.wait())
        try:
            done, _ = await asyncio.wait([stopped, *loops], return_when=asyncio.FIRST_COMPLETED)
            for ended in done:
                if ended is not stopped:
                    ended.result()
            await self._drain(loops[0])
        finally:
            for task in [stopped, *loops, *self._running]:
                task.cancel()
            await asyncio.gather(stopped, *loops, *self._running, return_exceptions=True)
            self._threads.shutdown(wait=False, cancel_futures=True)
            await self._unregister()

    def stop(self) -> None:
        """Begins the drain: no more claims, running handlers may end within `drain`, the rest is given back."""
        self._stopping.set()

    def stop_on_signals(self) -> None:
        """SIGTERM and SIGINT drain; a second one exits at once."""
        loop = asyncio.get_running_loop()

        def on_signal() -> None:
            if self._stopping.is_set():
                os._exit(130)
            log.info("draining; once more to exit at once")
            self.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, RuntimeError):  # not in a thread, not on Windows
                loop.add_signal_handler(number, on_signal)

    # Registration

    async def _register(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            try:
                await self.client.register_worker(
                    self.options.worker_id,
                    self.instance_id,
                    namespace=self.options.namespace or "default",
                    lanes=self.lanes,
                    capabilities=list(self.options.capabilities),
                    ttl_ms=max(self._ttl_ms * 2, 60_000),
                    boot_id=self._boot_id,
                    max_tasks=self.options.concurrency,
                )
                return
            except (ConnectError, ApiError) as error:
                if not error.retryable:
                    raise
                failures += 1
                log.warning("cannot register yet: %s", error)
                await self._pause(_AWAY.pause_s(failures))

    async def _unregister(self) -> None:
        try:
            await self.client.transport.call(
                "DELETE",
                f"/v1/workers/{escape(self.options.worker_id)}/instances/{escape(self.instance_id)}",
                query={"namespace": self.options.namespace or "default"},
                timeout_s=2.0,
                backoff=NO_REPEATS,
            )
        except (ConnectError, ApiError) as error:
            log.debug("the registration runs out by itself: %s", error)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    # Claims

    async def _claims(self) -> None:
        while not self._stopping.is_set():
            if self._slots <= 0 or self._finished or self._handing_in:
                self._room.clear()
                await self._room.wait()
                continue
            asked = min(self._slots, _BATCH_MAX)
            self._slots -= asked
            claim_id = uuid.uuid4().hex
            try:
                answer = await self._claim_until_answered(claim_id, asked)
            except asyncio.CancelledError:
                await self._forget(claim_id)
                raise
            finally:
                self._slots += asked
            await self._take(answer)

    async def _claim_until_answered(self, claim_id: str, asked: int) -> Mapping[str, Any] | None:
        """A claim without an answer may have got tasks, which nobody else gets before their leases are over: so the same claim is
        sent again until then.
        """
        failures, leases_over = 0, 0.0
        while True:
            try:
                wait_ms = 0 if failures else to_ms(self.options.poll)
                return await self._claim(claim_id, asked, wait_ms=wait_ms, first=not failures)
            except (ConnectError, ApiError) as error:
                if not error.retryable:
                    raise
                failures += 1
                log.warning("the claim failed and is sent again: %s", error)
                leases_over = leases_over or time.monotonic() + self._ttl_ms / 1000
                if time.monotonic() > leases_over:
                    return None
            await self._pause(_AWAY.pause_s(failures))

    async def _forget(self, claim_id: str) -> None:
        """Gives back what a claim that is cut off by the drain has got meanwhile."""
        try:
            answer = await asyncio.wait_for(asyncio.shield(self._claim(claim_id, 1, wait_ms=0, first=False)), 2)
        except (ConnectError, ApiError, asyncio.TimeoutError):
            return
        await asyncio.gather(*(self._release(Held(t), unbegun=True) for t in (answer or {}).get("tasks", ())))

    async def _claim(
        self,
        claim_id: str,
        most: int,
        *,
        wait_ms: int,
        first: bool,
        completions: Sequence[Mapping[str, Any]] = (),
    ) -> Mapping[str, Any] | None:
        body: dict[str, Any] = {
            "worker_instance_id": self.instance_id,
            "lanes": self.lanes,
            "max_tasks": most,
            "lease_ttl_ms": self._ttl_ms,
            "claim_id": claim_id,
        }
        if wait_ms:
            body["wait_ms"] = wait_ms
        if first:
            body["first_try"] = True
        if self.options.namespace:
            body["namespace"] = self.options.namespace
        if self.options.capabilities:
            body["capabilities"] = list(self.options.capabilities)
        if completions:
            body["completions"] = list(completions)
        if self._kinds:
            body["kinds"] = self._kinds
        path = f"/v1/workers/{escape(self.options.worker_id)}/tasks/claim"
        try:
            answer = await self.client.transport.call("POST", path, body=body, safe=False, wait_ms=wait_ms)
        except ApiError as error:
            if "kinds" not in body or not error.refuses("kinds"):
                raise
            # An older server gives whatever the lanes hold.
            self._kinds = []
            del body["kinds"]
            answer = await self.client.transport.call("POST", path, body=body, safe=False, wait_ms=wait_ms)
        return answer if isinstance(answer, dict) else None

    async def _take(self, answer: Mapping[str, Any] | None) -> None:
        """Starts what a claim brought; what it has no handler for goes back as if nothing had been."""
        strangers = []
        for raw in (answer or {}).get("tasks", ()):
            held = Held(raw)
            if held.lease_id in self._held:
                continue  # a claim that was sent again brought it twice
            if str(raw["execution_kind"]) not in self.tasks:
                strangers.append(held)
                continue
            self._slots -= 1
            self._held[held.lease_id] = held
            running = asyncio.create_task(self._work(held))
            held.cancel = running.cancel
            self._running.add(running)
            running.add_done_callback(self._running.discard)
        if not strangers:
            if answer and answer.get("tasks"):
                self._strangers = 0
            return
        await asyncio.gather(*(self._release(h, unbegun=True) for h in strangers))
        # They come back to whoever asks first, so the one who cannot do them asks more and more rarely.
        self._strangers += 1
        kinds = sorted({str(h.raw["execution_kind"]) for h in strangers})
        log.warning("gave back %d tasks of kinds without a handler here: %s", len(strangers), ", ".join(kinds))
        await self._pause(_AWAY.pause_s(self._strangers))

    # Work

    async def _work(self, held: Held) -> None:
        ended = LOST
        try:
            ended = await self._executor.run(held)
        except BaseException:
            self._drop(held)
            raise
        finally:
            held.cancel = None  # the handler has ended; the call that tells so is not cut off
        if ended is LOST:
            if held.returned:
                await self._release(held, unbegun=False)
            self._drop(held)
            return
        if ended.route == "complete" and len(str(ended.body)) < _RESULT_IN_BATCH_MAX:
            self._slots += 1
            self._finished.append((held, ended))
            self._something_finished.set()
            return
        try:
            again = await self._end(held, ended)
        finally:
            if held.lease_id in self._held:
                self._drop(held)
        if again:  # the wait was over before it began, and the lease is still held: go on where it stood
            self._held[held.lease_id] = held
            self._slots -= 1
            await self._work(held)

    def _drop(self, held: Held) -> None:
        if self._held.pop(held.lease_id, None) is not None:
            self._slots += 1
        self._room.set()

    async def _end(self, held: Held, ended: Ended) -> bool:
        """Makes the call that ends the task. True if the task is held all the same: a wait that was satisfied already."""
        path = f"/v1/executions/{escape(held.execution_id)}/{ended.route}"
        body = {"task_token": held.token, **ended.body}
        try:
            answer = await self.client.transport.call("POST", path, body=body, safe=True, backoff=_ENDING)
        except ApiError as error:
            if error.code in LEASE_ENDED or ended.route == "fail":
                log.warning("%s of %s was refused: %s", ended.route, held.execution_id, error)
                return False
            # What this execution asked for cannot be: that is its failure, and nobody else's.
            refused = {
                "reason": f"{ended.route} was refused: {error}",
                "category": "refused_by_server",
                "no_retry": True,
            }
            return await self._end(held, Ended("fail", refused))
        except ConnectError as error:
            log.warning("%s of %s got no answer; its lease runs out: %s", ended.route, held.execution_id, error)
            return False
        if isinstance(answer, dict) and answer.get("lease_held"):
            held.raw = {**held.raw, "steps": [*(held.raw.get("steps") or ()), *ended.body.get("steps", ())]}
            return True
        self._count(ended.route)
        return False

    def _count(self, route: str) -> None:
        self.ended[route] = self.ended.get(route, 0) + 1

    # Handing in

    async def _hand_ins(self) -> None:
        sending: set[asyncio.Task[None]] = set()
        try:
            while True:
                self._something_finished.clear()
                if not self._finished or self._handing_in >= _HAND_IN_AT_A_TIME:
                    await self._something_finished.wait()
                    await asyncio.sleep(0)  # handlers that end in the same turn travel together
                    continue
                batch, self._finished = self._finished[:_BATCH_MAX], self._finished[_BATCH_MAX:]
                asked = 0 if self._stopping.is_set() or self._strangers else min(max(self._slots, 0), _BATCH_MAX)
                self._slots -= asked
                self._handing_in += 1
                task = asyncio.create_task(self._hand_in(batch, asked))
                sending.add(task)
                task.add_done_callback(sending.discard)
        finally:
            for task in sending:
                task.cancel()

    async def _hand_in(self, batch: list[tuple[Held, Ended]], asked: int) -> None:
        answer = None
        try:
            answer = await self._send_batch(batch, asked)
        finally:
            self._slots += asked
            self._handing_in -= 1
            for held, _ in batch:
                self._held.pop(held.lease_id, None)
            self._something_finished.set()
            self._room.set()
        await self._take(answer)
        self._room.set()

    async def _send_batch(self, batch: list[tuple[Held, Ended]], asked: int) -> Mapping[str, Any] | None:
        completions = [{"execution_id": h.execution_id, "task_token": h.token, **e.body} for h, e in batch]
        claim_id, failures = uuid.uuid4().hex, 0
        while True:
            try:
                answer = await self._claim(claim_id, asked, wait_ms=0, first=not failures, completions=completions)
                break
            except (ConnectError, ApiError) as error:
                failures += 1
                if not error.retryable or failures >= _ENDING.attempts:
                    log.warning("a batch of %d completions failed, each goes alone: %s", len(batch), error)
                    await asyncio.gather(*(self._end(h, e) for h, e in batch))
                    return None
                await asyncio.sleep(_AWAY.pause_s(failures))
        results = (answer or {}).get("results", ())
        alone = []
        for (held, ended), result in zip(batch, results):
            if result.get("status") == "completed":
                self._count("complete")
            elif result.get("code") in LEASE_ENDED:
                log.warning("complete of %s was refused: %s", held.execution_id, result.get("code"))
            else:
                alone.append(self._end(held, ended))
        if alone:
            await asyncio.gather(*alone)
        return answer

    # Leases

    async def _renewals(self) -> None:
        failures = 0
        while True:
            await asyncio.sleep(self._ttl_ms / 1000 / 6 * (0.9 + random.random() / 5))
            now = time.monotonic()
            due = [h for h in self._held.values() if now - h.renewed_at > h.ttl_s / 4]
            try:
                if not due:
                    await self._heartbeat()
                for first in range(0, len(due), _BATCH_MAX):
                    await self._renew(due[first : first + _BATCH_MAX])
                failures = 0
            except (ConnectError, ApiError) as error:
                failures += 1
                log.warning("renewal failed (%d in a row): %s", failures, error)

    async def _heartbeat(self) -> None:
        answer = await self.client.heartbeat(
            self.options.worker_id,
            self.instance_id,
            namespace=self.options.namespace or "default",
            boot_id=self._boot_id,
        )
        if str(answer.get("status")) == "not_registered":
            await self._register()

    async def _renew(self, batch: list[Held]) -> None:
        sent_at = time.monotonic()
        answer = await self.client.renew_leases(
            self.options.worker_id,
            worker_instance_id=self.instance_id,
            namespace=self.options.namespace or "default",
            lease_ttl_ms=self._ttl_ms,
            leases=[{"execution_id": h.execution_id, "task_token": h.token} for h in batch],
        )
        for held, result in zip(batch, answer["results"]):
            if result.get("status") == "renewed":
                held.renewed_at = sent_at
            elif result.get("code") in LEASE_ENDED and held.lease_id in self._held:
                log.warning("lost %s: %s", held.execution_id, result.get("code"))
                held.lose()

    # Drain

    async def _drain(self, claims: asyncio.Task[None]) -> None:
        claims.cancel()
        await asyncio.gather(claims, return_exceptions=True)
        end = time.monotonic() + to_ms(self.options.drain) / 1000
        while (self._running or self._finished or self._handing_in) and time.monotonic() < end:
            self._room.clear()
            waits: list[asyncio.Future[Any]] = list(self._running)
            waits.append(asyncio.ensure_future(self._room.wait()))
            await asyncio.wait(waits, timeout=end - time.monotonic(), return_when=asyncio.FIRST_COMPLETED)
            waits[-1].cancel()
        for held in list(self._held.values()):
            held.returned = True
            held.lose()
        if self._running:
            await asyncio.wait(list(self._running), timeout=5)

    async def _release(self, held: Held, *, unbegun: bool) -> None:
        body: dict[str, Any] = {"task_token": held.token}
        if unbegun:
            body["unbegun"] = True
        try:
            await self.client.transport.call("POST", f"/v1/executions/{escape(held.execution_id)}/release", body=body, safe=True)
            self._count("release")
        except (ConnectError, ApiError) as error:
            log.warning("could not give back %s; its lease runs out: %s", held.execution_id, error)
