"""A web page on which people answer what agents ask. Needs `pip install fastapi uvicorn`.

Run: uvicorn approvals:page
"""

from __future__ import annotations

import html
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException
from fastapi.responses import HTMLResponse

import flowfabric as ff


@asynccontextmanager
async def with_client(page: FastAPI) -> AsyncIterator[None]:
    async with ff.Client() as client:
        page.state.client = client
        yield


page = FastAPI(lifespan=with_client)

ENTRY = """<li><p>{ask}</p>
<form method="post" action="/answer/{execution}/{wait}/yes"><button>Approve</button></form>
<form method="post" action="/answer/{execution}/{wait}/no"><button>Reject</button></form></li>"""


@page.get("/", response_class=HTMLResponse)
async def waiting() -> str:
    """Everything that waits for an answer, soonest due first."""
    answer = await page.state.client.list_approvals()
    entries = [
        ENTRY.format(
            ask=html.escape(str((entry.get("approval") or {}).get("prompt") or entry["waitpoint_key"])),
            execution=html.escape(entry["execution_id"]),
            wait=html.escape(entry["waitpoint_key"]),
        )
        for entry in answer["approvals"]
    ]
    return f"<h1>Waiting for you</h1><ul>{''.join(entries) or '<li>Nothing.</li>'}</ul>"


@page.post("/answer/{execution}/{wait}/{decision}", response_class=HTMLResponse)
async def answer(execution: str, wait: str, decision: str) -> str:
    """Sends the decision. Whoever may open this page may decide: put your own login in front of it."""
    handle: ff.Handle[object] = ff.Handle(page.state.client, execution)
    try:
        if decision == "yes":
            await handle.approve(wait, by="web page")
        else:
            await handle.reject(wait, by="web page")
    except ff.ConfigError as error:
        raise HTTPException(409, str(error)) from None
    return '<p>Thank you. <a href="/">Back</a></p>'
