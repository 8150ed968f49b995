"""An agent with a fake model: searches, writes, asks a person, translates.

Run a worker:        python -m flowfabric worker agent:app
Ask it something:    python agent.py "Why is the sky blue?"
Answer the question: flowfabric approve <execution id>, or the page of approvals.py
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import flowfabric as ff

app = ff.App()


async def search(question: str) -> list[str]:
    """Stands for a tool that costs money."""
    return [f"notes on {question}", "Rayleigh scattering"]


async def model(sources: list[str]) -> AsyncIterator[str]:
    """Stands for a model that answers word by word."""
    for word in f"Because of {sources[-1]}.".split():
        yield word + " "


@app.task(lane="agents")
async def translate(ctx: ff.Context, text: str, *, lang: str) -> str:
    return await ctx.step("translate", lambda: f"[{lang}] {text}")


@app.task(lane="agents", retry=ff.Retry(attempts=5, backoff=ff.exponential("1s", max="1m")), timeout="10m")
async def research(ctx: ff.Context, question: str) -> dict[str, str]:
    sources = await ctx.step("search", lambda: search(question))

    async def write() -> str:
        text = ""
        async for word in model(sources):
            await ctx.stream(word)
            text += word
        await ctx.spend(tokens=len(text) // 4, cost_usd="0.0012")
        return text.strip()

    draft = await ctx.step("write", write)
    decision = await ctx.approval("publish", ask=f"Publish this? {draft}", to="editors", timeout="3d")
    if not decision.approved:
        raise ff.Fatal("nobody decided in time" if decision.timed_out else f"rejected by {decision.by}")
    languages = ("de", "fr")
    texts = await ctx.gather([translate.of(draft, lang=lang).using(name=lang) for lang in languages])
    return {"en": draft, **dict(zip(languages, texts, strict=True))}


async def main() -> None:
    handle = await research.submit(" ".join(sys.argv[1:]) or "Why is the sky blue?")
    print(handle.execution_id)
    async for word in handle.stream():
        print(word, end="", flush=True)
    print()
    print(await handle.result())
    await app.close()


if __name__ == "__main__":
    asyncio.run(main())
