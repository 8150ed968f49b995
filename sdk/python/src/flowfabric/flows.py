"""Graphs of tasks.

flow = ff.Flow("report")
page = flow.add(fetch, "https://example.org")
flow.add(store, page)                       # gets what fetch gave
handle = await flow.submit(app)
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from .app import App
from .client import Client
from .durations import Duration, to_ms
from .errors import ConfigError, ExecutionFailed, ResultTimeout
from .handle import Handle
from .tasks import Call, Input, Options, Task

R = TypeVar("R")


class Node(Generic[R]):
    """A task in a flow. As an argument of a later node it stands for its result."""

    def __init__(self, name: str, task: Task[R]) -> None:
        self.name = name
        self.task = task

    def __repr__(self) -> str:
        return f"<Node {self.name}>"


class Flow:
    """Builds a flow. Nodes begin when what they depend on has ended well; results travel along the edges."""

    def __init__(
        self,
        kind: str,
        *,
        flow_id: str | None = None,
        namespace: str | None = None,
        tags: Mapping[str, str] | None = None,
        failure_policy: str | None = None,
    ) -> None:
        self.kind = kind
        # An id of our own makes a repeated submission the same flow.
        self.flow_id = flow_id or str(uuid.uuid4())
        self.namespace = namespace
        self.tags = dict(tags or {})
        self.failure_policy = failure_policy
        self._nodes: dict[str, dict[str, Any]] = {}
        self._tasks: dict[str, Task[Any]] = {}

    def add(
        self,
        task: Task[R],
        *args: Any,
        name: str | None = None,
        after: Sequence[Node[Any]] = (),
        join: str | None = None,
        quorum: int | None = None,
        options: Options | None = None,
        **kwargs: Any,
    ) -> Node[R]:
        """Adds a task. Nodes among its arguments become dependencies that bring their results; `after` only orders.

        `join` says when several dependencies are enough: `all_of` (default), `any_of`, or `quorum` with its number.
        """
        name = name or self._free_name(task.name)
        if name in self._nodes:
            raise ConfigError(f"the flow has two nodes `{name}`")
        depends: dict[str, dict[str, Any]] = {}
        bound = task._bind(args, kwargs)
        for parameter, value in list(bound.items()):
            if isinstance(value, Node):
                if value.name in depends:
                    raise ConfigError(f"node `{name}` takes the result of `{value.name}` twice; pass it once")
                depends[value.name] = {"node": value.name, "data": f"input:{parameter}"}
                bound[parameter] = Input(parameter)
            elif isinstance(value, (list, tuple)) and any(isinstance(v, Node) for v in value):
                raise ConfigError(f"node `{name}`: give each node an argument of its own, not a list in `{parameter}`")
        for node in after:
            depends.setdefault(node.name, {"node": node.name})
        body = Call(task, (), bound, options or Options()).body()
        body["name"] = name
        body.setdefault("lane_id", "default")
        if depends:
            body["depends_on"] = list(depends.values())
        if quorum is not None:
            body["join"] = {"mode": "quorum", "k": quorum}
        elif join is not None:
            body["join"] = {"mode": join}
        self._nodes[name] = body
        self._tasks[name] = task
        return Node(name, task)

    def _free_name(self, base: str) -> str:
        count, name = 1, base
        while name in self._nodes:
            count += 1
            name = f"{base}-{count}"
        return name

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes as the server takes them, for `ctx.expand`."""
        return list(self._nodes.values())

    def document(self) -> dict[str, Any]:
        """The whole flow as the server takes it."""
        out: dict[str, Any] = {
            "flow_id": self.flow_id,
            "flow_kind": self.kind,
            "namespace": self.namespace or "default",
            "nodes": self.nodes(),
        }
        if self.tags:
            out["tags"] = self.tags
        if self.failure_policy:
            out["failure_policy"] = self.failure_policy
        return out

    async def submit(self, app: App, *, seal: bool = True) -> FlowHandle:
        """Hands the flow to the engine in one call. With `seal=False` running members may `ctx.expand` it."""
        if not self._nodes:
            raise ConfigError(f"the flow `{self.kind}` has no nodes")
        document = self.document()
        document["seal"] = seal
        if not self.namespace and app.namespace:
            document["namespace"] = app.namespace
        client = app.client
        answer = await client.transport.call("POST", "/v1/flows/submit", body=document, safe=True)
        return FlowHandle(client, str(answer["flow_id"]), dict(answer["nodes"]), self._tasks)


class FlowHandle:
    """A flow that was submitted."""

    def __init__(self, client: Client, flow_id: str, nodes: Mapping[str, str], tasks: Mapping[str, Task[Any]]) -> None:
        self.client = client
        self.flow_id = flow_id
        #: Execution id of each node.
        self.nodes = dict(nodes)
        self._tasks = tasks

    def node(self, node: Node[R] | str) -> Handle[R]:
        """The handle of a node's execution."""
        name = node if isinstance(node, str) else node.name
        declared = self._tasks[name].result_type if name in self._tasks else Any
        return Handle(self.client, self.nodes[name], declared)

    async def result(self, node: Node[R], *, timeout: Duration | None = None) -> R:
        """Waits for a node and gives its result."""
        return await self.node(node).result(timeout=timeout)

    async def state(self) -> str:
        """The flow's public state."""
        return str((await self.client.get_flow(self.flow_id))["public_flow_state"])

    async def wait(self, *, timeout: Duration | None = None) -> str:
        """Waits until the flow has ended and gives its state. Raises `ExecutionFailed` if that is not `completed`."""
        try:
            state = await asyncio.wait_for(self._end(), None if timeout is None else to_ms(timeout) / 1000)
        except asyncio.TimeoutError:
            raise ResultTimeout(f"flow {self.flow_id} is still {await self.state()}") from None
        if state != "completed":
            raise ExecutionFailed(self.flow_id, state)
        return state

    async def _end(self) -> str:
        feed = self.client.flow_feed(self.flow_id)  # from the first event on: an end that was before is in it
        events: AsyncIterator[Any] = feed.__aiter__()
        async for event in events:
            fields = event.fields
            if fields.get("kind") == "flow":
                return str(fields.get("outcome"))
        return await self.state()

    async def cancel(self, reason: str = "cancelled by its submitter") -> None:
        """Cancels the flow and everything in it."""
        await self.client.cancel_flow(self.flow_id, reason=reason)
