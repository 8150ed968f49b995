"""The worker program of the conformance scenarios (sdk/conformance/README.md)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator

import flowfabric as ff
from faults import FaultyTransport

LANE = os.environ["CONFORMANCE_LANE"]


def append(variable: str, line: str) -> None:
    path = os.open(os.environ[variable], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(path, (line + "\n").encode())
    os.close(path)


def effect(what: str) -> None:
    append("CONFORMANCE_EFFECTS", what)
    append("CONFORMANCE_CALLS", "effect " + what)


class Faults:
    """Decides what befalls a request. Each is asked twice: before it is sent and after its reply."""

    def __init__(self) -> None:
        self.faults = json.loads(os.environ.get("CONFORMANCE_FAULTS") or "[]")
        self.total = 0
        self.by_call: dict[str, int] = {}
        # A task has one request under way.
        self.under_way: dict[asyncio.Task[object] | None, tuple[int, int]] = {}

    def __call__(self, method: str, path: str, when: str) -> bool:
        call = path.rpartition("/")[2]
        if when == "before":
            self.total += 1
            self.by_call[call] = self.by_call.get(call, 0) + 1
            self.under_way[asyncio.current_task()] = (self.total, self.by_call[call])
            append("CONFORMANCE_CALLS", f"{method} {path}")
        else:
            append("CONFORMANCE_CALLS", f"replied {method} {path}")
        total, nth = self.under_way[asyncio.current_task()]
        if when == "after":
            del self.under_way[asyncio.current_task()]
        for fault in self.faults:
            here = fault.get("request") == total or (fault.get("call") == call and fault.get("nth") == nth)
            if here and fault["when"] == when:
                if fault["do"] == "kill":
                    append("CONFORMANCE_CALLS", f"killed {when} {method} {path}")
                    os.kill(os.getpid(), signal.SIGKILL)
                if fault["do"] == "freeze":
                    os.kill(os.getpid(), signal.SIGSTOP)
                return bool(fault["do"] == "cut")
        return False


app = ff.App(http_transport=FaultyTransport(Faults()))


@app.task(lane=LANE)
async def echo(ctx: ff.Context, n: int) -> int:
    effect(f"echo {n}")
    return n


@app.task(lane=LANE)
async def slow(ctx: ff.Context, ms: int) -> int:
    effect("slow")
    await asyncio.sleep(ms / 1000)
    return ctx.attempt_index


@app.task(lane=LANE)
async def long(ctx: ff.Context) -> None:
    effect("begun")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        effect("cancelled")
        raise


@app.task(lane=LANE)
async def returned(ctx: ff.Context) -> str:
    effect("begun")
    if ctx.attempt_type == "initial":
        await asyncio.Event().wait()
    return ctx.attempt_type


@app.task(lane=LANE, retry=ff.Retry(attempts=5, backoff=ff.fixed("10ms")))
async def flaky(ctx: ff.Context, good_at: int) -> int:
    if ctx.attempt_index < good_at:
        raise ValueError("not yet")
    return ctx.attempt_index


async def search(question: str) -> list[str]:
    effect("search")
    return [question, "rayleigh"]


async def llm(sources: list[str]) -> AsyncIterator[str]:
    for word in ("Because ", "of ", sources[-1]):
        yield word


@app.task(lane=LANE)
async def translate(ctx: ff.Context, sources: list[str], *, lang: str) -> str:
    async def once() -> str:
        effect("translate " + lang)
        return lang + ":" + sources[-1]

    return await ctx.step("translate", once)


@app.task(lane=LANE, retry=ff.Retry(attempts=5, backoff=ff.exponential("10ms", max="1s")), timeout="10m")
async def research(ctx: ff.Context, question: str) -> dict[str, list[str]]:
    sources = await ctx.step("search", lambda: search(question))
    async for token in llm(sources):
        await ctx.stream(token)
    await ctx.spend(tokens=812, cost_usd="0.0123")
    decision = await ctx.approval("publish", ask="Publish this?", to="legal", timeout="3d")
    if not decision.approved:
        raise ff.Fatal("rejected by " + decision.by)
    await ctx.sleep("100ms")
    parts = await ctx.gather([translate.of(sources, lang=lang) for lang in ("de", "fr")])
    return {"parts": parts}


if __name__ == "__main__":
    app.run(lease_ttl=os.environ["CONFORMANCE_LEASE"], drain="3s")
