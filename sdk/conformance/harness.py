"""Performs the scenarios of this folder against a server and a worker program (README.md says what both must do)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import flowfabric as ff
from flowfabric.testing import TestServer

HERE = Path(__file__).resolve().parent
KILLED_AT_A_TIME = 8
WAIT_S = 90.0
SOAK = bool(os.environ.get("FF_SOAK"))
# Longer than a loaded machine stands still: scenarios that wait for the end of a lease ask for shorter ones.
LEASE = "30s"
FIRST = "first"


class Failed(AssertionError):
    """A scenario found something else than it claims."""


def scenarios() -> dict[str, dict[str, Any]]:
    """All scenarios by name."""
    return {p.stem: json.loads(p.read_text()) for p in sorted((HERE / "scenarios").glob("*.json"))}


async def until(condition: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + WAIT_S
    while True:
        value = condition()
        if isinstance(value, Awaitable):
            value = await value
        if value:
            return
        if time.monotonic() > end:
            raise Failed(f"{what} did not come within {WAIT_S:.0f} s")
        await asyncio.sleep(0.02)


class Run:
    """One performance of one scenario's script, in a lane of its own."""

    def __init__(self, server: TestServer, command: Sequence[str], folder: Path, kill: Mapping[str, Any] | None) -> None:
        self.server = server
        self.command = list(command)
        self.lane = "c" + uuid.uuid4().hex[:12]
        self.folder = folder / self.lane
        self.folder.mkdir()
        self.kill = kill
        self.lease = LEASE
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.supervision: set[asyncio.Task[None]] = set()
        self.executions: list[str] = []
        self.budget = ""
        self.client = ff.Client(server.url)

    async def perform(self, script: Sequence[Mapping[str, Any]]) -> str:
        """Performs the script; gives the request that the worker was killed at, if it was."""
        try:
            for action in script:
                await self.act(action)
            return self.killed()
        except Failed as failure:
            log = self.folder / "log"
            raise Failed(f"{failure}\n{self.killed()}\n{log.read_text()[-3000:] if log.exists() else ''}") from None
        finally:
            for task in self.supervision:
                task.cancel()
            await asyncio.gather(*self.supervision, return_exceptions=True)
            for process in self.workers.values():
                if process.poll() is None:
                    process.kill()
                    process.wait()
            await self.client.close()

    async def act(self, action: Mapping[str, Any]) -> None:
        for name in (
            "submit",
            "worker",
            "server",
            "until",
            "approve",
            "reject",
            "cancel",
            "result",
            "effects",
            "spent",
            "attempts",
        ):
            if name in action:
                await getattr(self, "do_" + name)(action[name], action)
                return
        raise Failed(f"the scenario asks for {dict(action)}, which nobody knows")

    # What files say

    def lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []

    def killed(self) -> str:
        return next((line for line in self.lines("calls") if line.startswith("killed ")), "")

    async def unforeseen_takeovers(self) -> int:
        """How many leases ran out that no kill explains: the machine stood still for longer than a lease lasts.

        The server's word, so that a quiet machine has none, and an effect that happens twice without one is a failure.
        """
        first = self.executions[0]
        children = await self.client.list_children(first)
        taken_over = 0
        for execution in [first, *(str(c["execution_id"]) for c in children["children"])]:
            attempts = (await self.client.list_attempts(execution))["attempts"]
            taken_over += sum(1 for a in attempts if a["attempt_type"] == "reclaim")
        return max(0, taken_over - 1)  # by the worker that follows the killed one

    def in_the_gap(self, effect: str) -> bool:
        """Whether the worker was killed when the effect had happened and the reply to its record had not come."""
        calls = self.lines("calls")
        happened = [i for i, line in enumerate(calls) if line == "effect " + effect]
        if not self.killed() or not happened:
            return False
        return not any(line.startswith("replied POST ") and line.endswith("/steps") for line in calls[happened[-1] :])

    # Actions

    async def do_submit(self, task: str, action: Mapping[str, Any]) -> None:
        policy: dict[str, Any] = {}
        if action.get("budget"):
            answer = await self.client.create_budget(
                scope_type="global",
                budget_id=str(uuid.uuid4()),
                dimensions=["total_tokens", "total_cost"],
                hard_limits=[1_000_000, 1_000_000_000],
                soft_limits=[0, 0],
            )
            self.budget = answer["budget_id"]
            policy["budget_ids"] = [self.budget]
        retries = {"flaky": 10, "research": 10}.get(task)
        if retries:
            policy["retry_policy"] = {"max_retries": 4, "backoff": {"type": "fixed", "delay_ms": retries}}
        bodies: list[dict[str, Any]] = []
        for index in range(int(action.get("count", 1))):
            body: dict[str, Any] = {"execution_kind": task, "lane_id": self.lane, "idempotency_key": uuid.uuid4().hex}
            if "argument" in action:
                value = index if action["argument"] == "$index" else action["argument"]
                body.update(payload=json.dumps(value), payload_encoding="json")
            if policy:
                body["policy"] = policy
            bodies.append(body)
        answer = await self.client.transport.call("POST", "/v1/executions/batch", body={"executions": bodies}, safe=True)
        self.executions += [r["execution_id"] for r in answer["results"]]

    async def do_worker(self, what: str, action: Mapping[str, Any]) -> None:
        name = str(action.get("name", FIRST))
        if what == "start":
            self.lease = str(action.get("lease", self.lease))
            self.workers[name] = self.started(name, list(action.get("faults", ())), self.lease)
            if action.get("supervised"):
                self.supervision.add(asyncio.create_task(self.supervise(name)))
            return
        process = self.workers[name]
        process.send_signal(
            {"kill": signal.SIGKILL, "term": signal.SIGTERM, "freeze": signal.SIGSTOP, "thaw": signal.SIGCONT}[what]
        )
        if what in ("kill", "term"):
            code = await asyncio.to_thread(process.wait, 30)
            if what == "term" and code != 0:
                raise Failed(f"the worker left with {code} after SIGTERM")

    async def supervise(self, name: str) -> None:
        """Follows a worker that was killed with another one, which nobody kills, so that its leases may be long."""
        killed = await asyncio.to_thread(self.workers[name].wait)
        if killed == -signal.SIGKILL:
            self.workers[name + " again"] = self.started(name + " again", [], LEASE)

    def started(self, name: str, faults: list[Mapping[str, Any]], lease: str) -> subprocess.Popen[bytes]:
        if self.kill and name == FIRST:
            faults.append(self.kill)
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("FF_")},
            "FF_SERVER_URL": self.server.url,
            "CONFORMANCE_LANE": self.lane,
            "CONFORMANCE_EFFECTS": str(self.folder / "effects"),
            "CONFORMANCE_CALLS": str(self.folder / ("calls" if name == FIRST else "calls-" + name.replace(" ", "-"))),
            "CONFORMANCE_FAULTS": json.dumps(faults),
            "CONFORMANCE_LEASE": lease,
        }
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(self.command, env=environment, stdout=log, stderr=log)

    async def do_server(self, what: str, action: Mapping[str, Any]) -> None:
        await asyncio.to_thread(self.server.restart)

    async def do_until(self, what: Mapping[str, Any], action: Mapping[str, Any]) -> None:
        if "effect" in what:
            await until(lambda: self.lines("effects").count(what["effect"]) >= what.get("count", 1), f"effect {what['effect']}")
        elif "wait" in what:
            await until(lambda: self.asked(what["wait"]), f"wait {what['wait']}")
        elif "ended" in what:
            await until(lambda: self.workers[what["ended"]].poll() is not None, f"end of worker {what['ended']}")
        else:
            await until(self.lease_over, "end of the lease")

    async def asked(self, name: str) -> str:
        if await self.state(self.executions[0]) in ("completed", "failed", "cancelled", "expired"):
            info = await self.client.get_execution(self.executions[0])
            raise Failed(f"it ended before the wait {name}: {info.get('failure_reason')}")
        answer = await self.client.list_pending_waitpoints(self.executions[0])
        return next((w["waitpoint_id"] for w in answer["waitpoints"] if w["waitpoint_key"] == name), "")

    async def lease_over(self) -> bool:
        info = await self.client.get_execution(self.executions[0])
        return str(info["state_vector"]["ownership_state"]) != "leased"

    async def do_approve(self, wait: str, action: Mapping[str, Any]) -> None:
        await ff.Handle(self.client, self.executions[0]).approve(wait, by=str(action["by"]))

    async def do_reject(self, wait: str, action: Mapping[str, Any]) -> None:
        await ff.Handle(self.client, self.executions[0]).reject(wait, by=str(action["by"]))

    async def do_cancel(self, reason: str, action: Mapping[str, Any]) -> None:
        await self.client.cancel_execution(self.executions[0], reason=reason)

    async def state(self, execution: str) -> str:
        return str((await self.client.get_execution(execution))["public_state"])

    async def do_result(self, wanted: Mapping[str, Any], action: Mapping[str, Any]) -> None:
        for index, execution in enumerate(self.executions):
            handle: ff.Handle[Any] = ff.Handle(self.client, execution)
            outcome = await handle.wait(timeout=WAIT_S)
            if outcome != wanted["outcome"]:
                info = await handle.info()
                raise Failed(f"{execution} ended {outcome}: {info.get('failure_category')} {info.get('failure_reason')}")
            if "value" in wanted:
                value = index if wanted["value"] == "$index" else wanted["value"]
                result = await handle.result()
                if "$one_of" in str(value):
                    if result not in value["$one_of"]:
                        raise Failed(f"{execution} gave {result!r}, none of {value['$one_of']}")
                elif result != value:
                    raise Failed(f"{execution} gave {result!r}, not {value!r}")
            if "category" in wanted and (await handle.info()).get("failure_category") != wanted["category"]:
                raise Failed(f"{execution} failed with {(await handle.info()).get('failure_category')}")

    async def do_effects(self, wanted: Mapping[str, Sequence[int]], action: Mapping[str, Any]) -> None:
        effects = self.lines("effects")
        stalls = await self.unforeseen_takeovers() if self.killed() else 0
        for effect, (least, most) in wanted.items():
            count = len(effects) if effect == "*" else effects.count(effect)
            allowed = most if effect == "*" else most + self.in_the_gap(effect) + stalls
            if not least <= count <= allowed:
                raise Failed(f"effect `{effect}` happened {count} times, not {least} to {allowed}")

    async def do_spent(self, wanted: Mapping[str, int], action: Mapping[str, Any]) -> None:
        usage = (await self.client.get_budget(self.budget))["usage"]
        for dimension, amount in wanted.items():
            if usage.get(dimension) != amount:
                raise Failed(f"{dimension}: {usage.get(dimension)} was counted, not {amount}")

    async def do_attempts(self, wanted: Sequence[int], action: Mapping[str, Any]) -> None:
        count = int((await self.client.get_execution(self.executions[0]))["total_attempt_count"])
        if not wanted[0] <= count <= wanted[1]:
            raise Failed(f"there were {count} attempts, not {wanted[0]} to {wanted[1]}")


def kills_of(scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The worker is killed at each place once, before the request and after its reply by turns; in a soak run both."""
    places = [(call, nth) for call, most in scenario["kill_at"].items() for nth in range(1, most + 1)]
    return [
        {"call": call, "nth": nth, "when": when, "do": "kill"}
        for at, (call, nth) in enumerate(places)
        for when in (("before", "after") if SOAK else (("before", "after")[at % 2],))
    ]


async def perform(scenario: Mapping[str, Any], server: TestServer, command: Sequence[str], folder: Path) -> str:
    """Performs a scenario and gives what is worth telling; raises `Failed`."""
    if "kill_at" not in scenario:
        await Run(server, command, folder, None).perform(scenario["script"])
        return ""
    at_once = asyncio.Semaphore(KILLED_AT_A_TIME)

    async def one(kill: Mapping[str, Any]) -> None:
        async with at_once:
            killed = await Run(server, command, folder, kill).perform(scenario["script"])
        if not killed:
            raise Failed(f"it ended before the worker could be killed {kill['when']} {kill['call']} {kill['nth']}")

    kills = kills_of(scenario)
    await asyncio.gather(*(one(kill) for kill in kills))
    return f"{len(kills)} kills"
