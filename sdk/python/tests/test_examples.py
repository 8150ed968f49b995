"""The programs of examples/python."""

from __future__ import annotations

import asyncio
import importlib
import sys

import httpx
import pytest

from conftest import ROOT, until
from flowfabric.testing import TestServer, worker


@pytest.fixture(autouse=True)
def fresh(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FF_SERVER_URL", server.url)
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "python"))
    for name in ("agent", "approvals", "media_pipeline"):
        monkeypatch.delitem(sys.modules, name, raising=False)


async def test_agent_is_approved_on_the_web_page() -> None:
    agent, approvals = importlib.import_module("agent"), importlib.import_module("approvals")
    async with worker(agent.app), approvals.with_client(approvals.page):
        handle = await agent.research.submit("Why is the sky <blue>?")
        transport = httpx.ASGITransport(app=approvals.page)
        async with httpx.AsyncClient(transport=transport, base_url="http://page") as browser:

            async def asked() -> bool:
                return handle.execution_id in (await browser.get("/")).text

            await until(asked, what="the question on the page")
            assert "Because of Rayleigh scattering." in (await browser.get("/")).text
            path = f"/answer/{handle.execution_id}/publish"
            assert (await browser.post(path + "/yes")).status_code == 200
            result = await handle.result(timeout=60)
            assert (await browser.post(path + "/no")).status_code == 409
    await agent.app.close()
    assert result["de"] == "[de] Because of Rayleigh scattering."


def test_media_pipeline_joins_what_was_encoded() -> None:
    pipeline = importlib.import_module("media_pipeline")
    assert asyncio.run(pipeline.main()) == "FILM.MOV#0+FILM.MOV#1"
