"""A flow: one file is split, its parts are encoded side by side, and joined again.

Run: python media_pipeline.py
"""

from __future__ import annotations

import asyncio

import flowfabric as ff
from flowfabric.testing import worker

app = ff.App()


@app.task(lane="media")
async def split(path: str) -> list[str]:
    return [f"{path}#0", f"{path}#1"]


@app.task(lane="media", retry=ff.Retry(attempts=3, backoff=ff.exponential("100ms")))
def encode(ctx: ff.SyncContext, parts: list[str], *, index: int) -> str:
    """A plain function: it may block, and runs in a thread."""
    ctx.progress(0, "encoding")
    encoded = ctx.step("encode", lambda: parts[index].upper())
    ctx.progress(100, "done")
    return encoded


@app.task(lane="media")
async def join(left: str, right: str) -> str:
    return f"{left}+{right}"


def pipeline(path: str) -> tuple[ff.Flow, ff.Node[str]]:
    flow = ff.Flow("media")
    parts = flow.add(split, path)
    left = flow.add(encode, parts, index=0, name="encode-left")
    right = flow.add(encode, parts, index=1, name="encode-right")
    return flow, flow.add(join, left, right)


async def main() -> str:
    flow, joined = pipeline("film.mov")
    async with worker(app):
        running = await flow.submit(app)
        result = await running.result(joined, timeout="60s")
    await app.close()
    return result


if __name__ == "__main__":
    print(asyncio.run(main()))
