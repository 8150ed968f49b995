"""Every block of the Python pages runs, those of a page one after the other in one program."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import sys
import types
from pathlib import Path

import pytest

import flowfabric as ff
from conftest import ROOT
from flowfabric.testing import TestServer, worker

# A reader's server is seldom a new one: every page runs again on the server on which it ran.
TWICE = pytest.mark.parametrize("time", ["first", "second"])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text())


async def run(page: str, monkeypatch: pytest.MonkeyPatch, server: TestServer) -> dict[str, object]:
    monkeypatch.setenv("FF_SERVER_URL", server.url)
    name = "page_" + re.sub(r"\W", "_", page)
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)  # annotations are looked up there
    # Ten thousand of something are too many for a test.
    found = [block.replace("10_000", "300") for block in blocks(ROOT / page)]
    assert found
    for number, block in enumerate(found):
        code = compile(block, f"{page} block {number}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            await eval(code, module.__dict__)
        else:  # a program without an event loop
            await asyncio.to_thread(eval, code, module.__dict__)
    return module.__dict__


@TWICE
async def test_guide(server: TestServer, monkeypatch: pytest.MonkeyPatch, time: str) -> None:
    await run("docs/guide/python.md", monkeypatch, server)


RECIPES = sorted(p.name for p in (ROOT / "docs" / "recipes").glob("*.md") if p.name != "README.md")


@TWICE
@pytest.mark.parametrize("recipe", RECIPES)
async def test_recipe(server: TestServer, monkeypatch: pytest.MonkeyPatch, time: str, recipe: str) -> None:
    names = await run("docs/recipes/" + recipe, monkeypatch, server)
    app = names["app"]
    assert isinstance(app, ff.App)
    await app.close()


@TWICE
async def test_what_runs_again(server: TestServer, monkeypatch: pytest.MonkeyPatch, time: str) -> None:
    names = await run("docs/guide/what-runs-again.md", monkeypatch, server)
    app, answer = names["app"], names["answer"]
    assert isinstance(app, ff.App)
    assert isinstance(answer, ff.Task)
    async with worker(app):
        handle = await answer.submit("blue")
        assert await handle.result(timeout=30) == "The sky is blue"
        assert "".join([t async for t in handle.stream()]) == "The sky is blue"
    await app.close()


@TWICE
async def test_getting_started(server: TestServer, monkeypatch: pytest.MonkeyPatch, time: str) -> None:
    names = await run("docs/getting-started.md", monkeypatch, server)
    app, main = names["app"], names["main"]
    assert isinstance(app, ff.App)
    async with worker(app):
        await main()  # type: ignore[operator]
    await app.close()


@TWICE
async def test_readme(server: TestServer, monkeypatch: pytest.MonkeyPatch, time: str) -> None:
    monkeypatch.setenv("FF_SERVER_URL", server.url)
    program, submit = blocks(ROOT / "sdk" / "python" / "README.md")
    hello = types.ModuleType("hello")
    monkeypatch.setitem(sys.modules, "hello", hello)
    exec(compile(program, "README.md", "exec"), hello.__dict__)
    names: dict[str, object] = {}
    exec(compile(submit.replace("asyncio.run(main())", ""), "README.md", "exec"), names)
    async with worker(hello.__dict__["app"]):
        await names["main"]()  # type: ignore[operator]
    await hello.__dict__["app"].close()
