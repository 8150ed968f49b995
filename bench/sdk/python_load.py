"""One worker process of the Python SDK under load. Prints one JSON line. Arguments: server, tasks, samples."""

from __future__ import annotations

import asyncio
import json
import sys
import time

import flowfabric as ff

SLOTS = 1024


async def main(url: str, tasks: int, samples: int) -> None:
    app = ff.App(url)
    begun: list[float] = []
    resumed: dict[str, float] = {}

    @app.task(lane="bench")
    async def noop() -> None:
        if not begun:
            begun.append(time.perf_counter())

    @app.task(lane="bench")
    async def asks(ctx: ff.Context) -> None:
        await ctx.wait_for("answer", "yes")
        resumed[ctx.execution_id] = time.perf_counter()

    await app.submit_many([noop.of() for _ in range(tasks)])
    worker = app.worker(concurrency=SLOTS)
    working = asyncio.create_task(worker.run())
    while worker.ended.get("complete", 0) < tasks:  # noqa: ASYNC110, nothing tells
        await asyncio.sleep(0.002)
    rate = tasks / (time.perf_counter() - begun[0])

    results = []
    for _ in range(samples):
        start = time.perf_counter()
        await (await noop.submit()).result(timeout=30)
        results.append(time.perf_counter() - start)
    resumes = []
    for _ in range(samples):
        handle = await asks.submit()
        while not await handle.pending():  # noqa: ASYNC110, nothing tells
            await asyncio.sleep(0.002)
        start = time.perf_counter()
        await handle.signal("answer", "yes")
        await handle.result(timeout=30)
        resumes.append(resumed[handle.execution_id] - start)
    worker.stop()
    await working
    await app.close()
    print(json.dumps({"tasks_per_s": rate, "result_ms": milliseconds(results), "resumed_ms": milliseconds(resumes)}))


def milliseconds(seconds: list[float]) -> list[float]:
    return sorted(s * 1000 for s in seconds)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
