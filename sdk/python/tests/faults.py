"""An HTTP transport that loses requests and answers where a test says so."""

from __future__ import annotations

from collections.abc import Callable

import httpx

BEFORE, AFTER = "before", "after"


class FaultyTransport(httpx.AsyncBaseTransport):
    """Asks `fault(method, path, when)` before each request is sent and after its reply has come; True cuts the line there."""

    def __init__(self, fault: Callable[[str, str, str], bool]) -> None:
        self._real = httpx.AsyncHTTPTransport()
        self._fault = fault

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._fault(request.method, request.url.path, BEFORE):
            raise httpx.ConnectError("cut before it was sent", request=request)
        reply = await self._real.handle_async_request(request)
        if reply.headers.get("content-type", "").startswith("text/event-stream"):
            return reply
        await reply.aread()
        if self._fault(request.method, request.url.path, AFTER):
            raise httpx.ReadError("cut before the reply came", request=request)
        return httpx.Response(reply.status_code, headers=_plain(reply), content=reply.content, request=request)

    async def aclose(self) -> None:
        await self._real.aclose()


def _plain(reply: httpx.Response) -> list[tuple[str, str]]:
    return [(k, v) for k, v in reply.headers.items() if k not in ("content-length", "transfer-encoding", "content-encoding")]


def once(method: str, ending: str, when: str, times: int = 1) -> Callable[[str, str, str], bool]:
    """Cuts the first `times` such requests."""
    left = [times]

    def fault(m: str, path: str, w: str) -> bool:
        if left[0] and m == method and path.endswith(ending) and w == when:
            left[0] -= 1
            return True
        return False

    return fault
