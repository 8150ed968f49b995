"""One HTTP connection pool to one server: requests, errors, and repeats of what is safe to repeat."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from urllib.parse import quote

import httpx

from .durations import Duration, to_ms
from .errors import ApiError, ConfigError, ConnectError, MalformedResponse, api_error

DEFAULT_URL = "http://127.0.0.1:9090"
_WAIT_SLACK_S = 5.0


@dataclass(frozen=True)
class Backoff:
    """How often and how patiently a request that is safe to repeat is sent: `attempts` in all, pauses doubled and jittered."""

    attempts: int = 5
    initial: Duration = "50ms"
    max: Duration = "2s"

    def pause_s(self, failures: int) -> float:
        """Seconds to wait after so many failures: between half and all of the doubled pause."""
        top = min(to_ms(self.max), to_ms(self.initial) * 2 ** min(failures - 1, 30)) / 1000
        return float(top * (0.5 + random.random() / 2))


NO_REPEATS = Backoff(attempts=1)


def escape(part: str | int) -> str:
    """An id as a path segment."""
    return quote(str(part), safe="")


class Transport:
    """Sends requests to one server.

    `base_url` is `http://host:port`, `https://host:port` or `unix:/path/of/socket`; by default FF_SERVER_URL, else
    http://127.0.0.1:9090. `token` is the API token, by default FF_API_TOKEN. Usable from one event loop.
    """

    def __init__(
        self,
        base_url: str | None = None,
        token: str | None = None,
        *,
        timeout: Duration = 30,
        backoff: Backoff | None = None,
        verify: bool | str = True,
        http_transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        url = (base_url or os.environ.get("FF_SERVER_URL") or DEFAULT_URL).rstrip("/")
        if token is not None and not token.strip():
            raise ConfigError("the API token is blank; leave it out, or give one")
        token = token or os.environ.get("FF_API_TOKEN") or None
        if url.startswith("unix:"):
            http_transport = http_transport or httpx.AsyncHTTPTransport(uds=url[len("unix:") :])
            base = "http://localhost"
        elif url.startswith(("http://", "https://")):
            base = url
        else:
            raise ConfigError(f"cannot use {url!r} as server: write http://host:port, https://host:port or unix:/path")
        self.base_url = url
        self.timeout_s = to_ms(timeout) / 1000
        self.backoff = backoff or Backoff()
        # A pool that waits for room would let renewals queue behind long polls, so it is as good as unbounded; the worker and
        # its handlers bound themselves.
        self._http = httpx.AsyncClient(
            base_url=base,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=self.timeout_s,
            limits=httpx.Limits(max_connections=1024, max_keepalive_connections=64, keepalive_expiry=50),
            transport=http_transport,
            verify=verify if isinstance(verify, bool) else _context(verify),
            trust_env=False,
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Transport:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        safe: bool | None = None,
        wait_ms: int = 0,
        timeout_s: float | None = None,
        raw: bool = False,
        backoff: Backoff | None = None,
    ) -> Any:
        """One request and its decoded answer: JSON, bytes if `raw`, None for 204.

        `safe` tells that the same request may be sent again when no answer came or a retryable one did (by default: GET, PUT
        and DELETE). `wait_ms` is how long the server may take on purpose.
        """
        content = None if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {} if content is None else {"Content-Type": "application/json"}
        if query:
            query = {k: _query_text(v) for k, v in query.items() if v is not None}
        repeat = method != "POST" if safe is None else safe
        policy = (backoff or self.backoff) if repeat else NO_REPEATS
        limit = timeout_s or (wait_ms / 1000 + _WAIT_SLACK_S if wait_ms else self.timeout_s)
        failures = 0
        while True:
            try:
                reply = await self._http.request(
                    method, path, params=query or None, content=content, headers=headers, timeout=limit
                )
            except httpx.HTTPError as error:
                failures += 1
                if failures >= policy.attempts:
                    raise ConnectError(_no_answer(method, path, self.base_url, error)) from error
            else:
                if reply.is_success:
                    return _answer(reply, raw)
                refusal = _refusal(reply)
                failures += 1
                if not refusal.retryable or failures >= policy.attempts:
                    raise refusal
            await asyncio.sleep(policy.pause_s(failures))

    async def events(
        self, path: str, *, query: Mapping[str, Any] | None = None, last_id: str | None = None
    ) -> AsyncIterator[tuple[str, str, str]]:
        """The events (name, id, data) of one Server-Sent Events response, until it ends. Nothing is repeated here."""
        headers = {"Accept": "text/event-stream"}
        if last_id:
            headers["Last-Event-ID"] = last_id
        params = {k: _query_text(v) for k, v in (query or {}).items() if v is not None}
        # The server sends a comment every 15 s, so a longer silence is a dead connection.
        timeout = httpx.Timeout(self.timeout_s, read=40.0)
        try:
            async with self._http.stream("GET", path, params=params or None, headers=headers, timeout=timeout) as reply:
                if reply.status_code == 204:
                    return
                if not reply.is_success:
                    await reply.aread()
                    raise _refusal(reply)
                name, event_id, data = "message", "", ""
                async for line in reply.aiter_lines():
                    if not line:
                        if data or name != "message":
                            yield name, event_id, data
                        name, event_id, data = "message", "", ""
                    elif line.startswith("data:"):
                        data += line[5:].lstrip(" ")
                    elif line.startswith("event:"):
                        name = line[6:].strip()
                    elif line.startswith("id:"):
                        event_id = line[3:].strip()
        except httpx.HTTPError as error:
            raise ConnectError(_no_answer("GET", path, self.base_url, error)) from error


def _context(ca_file: str) -> Any:
    import ssl

    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise ConfigError(f"cannot read the CA file {ca_file}: {error}") from None


def _query_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return [str(v) for v in value]
    return str(value)


def _no_answer(method: str, path: str, url: str, error: Exception) -> str:
    what = str(error) or type(error).__name__
    return f"no answer from {url} to {method} {path}: {what}"


def _answer(reply: httpx.Response, raw: bool) -> Any:
    if raw:
        return reply.content
    if reply.status_code == 204 or not reply.content:
        return None
    try:
        return json.loads(reply.content)
    except ValueError as error:
        raise MalformedResponse(f"{reply.request.method} {reply.request.url.path} answered no JSON: {error}") from None


def _refusal(reply: httpx.Response) -> ApiError:
    try:
        body = json.loads(reply.content)
    except ValueError:
        body = None
    return api_error(reply.status_code, body, reply.text[:4096])
