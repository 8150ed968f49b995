"""Writes src/flowfabric/api.py from a server's /openapi.json: one typed method per route.

usage: generate_api.py [--check] OPENAPI_JSON_FILE_OR_URL | --program PROGRAM
"""

from __future__ import annotations

import argparse
import json
import keyword
import re
import sys
import urllib.request
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "src" / "flowfabric" / "api.py"

# Streams of events have iterators written by hand in client.py.
BY_HAND = {
    "GET /v1/executions/{id}/attempts/{idx}/stream/sse",
    "GET /v1/executions/{id}/feed",
    "GET /v1/flows/{id}/feed",
    "GET /v1/streams/{families}/subscribe",
}
# A second method for the same thing.
TWINS = {"POST /v1/executions/{id}/priority"}
# Documents for tools.
NO_API = {"GET /openapi.json"}

NAMES = {
    "GET /healthz": "health",
    "GET /metrics": "metrics",
    "GET /readyz": "ready",
    "GET /v1/admin/audit": "read_audit",
    "POST /v1/admin/backup": "backup",
    "POST /v1/admin/executions/{id}/attempts/{idx}/annotations": "annotate",
    "POST /v1/admin/rotate-waitpoint-secret": "rotate_waitpoint_secret",
    "GET /v1/admin/waitpoint-kids": "list_waitpoint_kids",
    "POST /v1/budgets": "create_budget",
    "GET /v1/budgets": "list_budgets",
    "GET /v1/budgets/{id}": "get_budget",
    "PUT /v1/budgets/{id}": "update_budget",
    "POST /v1/budgets/{id}/attach": "attach_budget",
    "POST /v1/budgets/{id}/detach": "detach_budget",
    "POST /v1/budgets/{id}/release": "release_budget",
    "POST /v1/budgets/{id}/reset": "reset_budget",
    "POST /v1/budgets/{id}/spend": "spend_budget",
    "POST /v1/budgets/{id}/usage": "check_budget",
    "GET /v1/approvals": "list_approvals",
    "GET /v1/capabilities": "capabilities",
    "GET /v1/overview": "get_overview",
    "POST /v1/executions": "create_execution",
    "GET /v1/executions": "list_executions",
    "POST /v1/executions/batch": "create_executions",
    "GET /v1/executions/{id}": "get_execution",
    "POST /v1/executions/{id}/approve": "approve",
    "GET /v1/executions/{id}/attempts": "list_attempts",
    "GET /v1/executions/{id}/attempts/{idx}/stream": "read_stream",
    "POST /v1/executions/{id}/attempts/{idx}/stream": "append_frames",
    "GET /v1/executions/{id}/attempts/{idx}/stream/info": "get_stream_info",
    "GET /v1/executions/{id}/attempts/{idx}/stream/tail": "tail_stream",
    "GET /v1/executions/{id}/attempts/{idx}/summary": "read_summary",
    "POST /v1/executions/{id}/call-children": "call_children",
    "POST /v1/executions/{id}/cancel": "cancel_execution",
    "GET /v1/executions/{id}/children": "list_children",
    "POST /v1/executions/{id}/complete": "complete",
    "POST /v1/executions/{id}/delay": "delay",
    "GET /v1/executions/{id}/explain": "explain",
    "POST /v1/executions/{id}/fail": "fail",
    "GET /v1/executions/{id}/inputs/{name}": "get_input",
    "GET /v1/executions/{id}/lease-history": "list_lease_history",
    "GET /v1/executions/{id}/payload": "get_payload",
    "GET /v1/executions/{id}/pending-waitpoints": "list_pending_waitpoints",
    "PUT /v1/executions/{id}/priority": "change_priority",
    "POST /v1/executions/{id}/progress": "progress",
    "POST /v1/executions/{id}/reclaim": "reclaim",
    "POST /v1/executions/{id}/release": "release",
    "POST /v1/executions/{id}/release-hold": "release_hold",
    "POST /v1/executions/{id}/renew": "renew_lease",
    "POST /v1/executions/{id}/replay": "replay_execution",
    "GET /v1/executions/{id}/result": "get_result",
    "POST /v1/executions/{id}/resume": "resume_execution",
    "GET /v1/executions/{id}/resume-signals": "resume_signals",
    "POST /v1/executions/{id}/revoke-lease": "revoke_lease",
    "POST /v1/executions/{id}/signal": "deliver_signal",
    "GET /v1/executions/{id}/signals": "list_signals",
    "GET /v1/executions/{id}/state": "get_state",
    "GET /v1/executions/{id}/steps": "read_steps",
    "POST /v1/executions/{id}/steps": "record_steps",
    "GET /v1/executions/{id}/stream": "read_merged_stream",
    "POST /v1/executions/{id}/suspend": "suspend",
    "GET /v1/executions/{id}/suspension": "get_suspension",
    "GET /v1/executions/{id}/suspension/condition": "get_suspension_condition",
    "GET /v1/executions/{id}/tags": "get_tags",
    "PUT /v1/executions/{id}/tags": "set_tags",
    "POST /v1/executions/{id}/take-over": "take_over",
    "POST /v1/executions/{id}/usage": "report_usage",
    "GET /v1/executions/{id}/wait": "wait_for_end",
    "POST /v1/executions/{id}/wait-children": "wait_children",
    "POST /v1/executions/{id}/waitpoints": "create_waitpoint",
    "POST /v1/executions/{id}/waitpoints/{wp}/close": "close_waitpoint",
    "GET /v1/executions/{id}/waitpoints/{wp}/signals": "list_waitpoint_signals",
    "GET /v1/executions/{id}/waitpoints/{wp}/token": "get_waitpoint_token",
    "POST /v1/executions/{id}/waitpoints/{wp}/link": "create_waitpoint_link",
    "DELETE /v1/executions/{id}/waitpoints/{wp}/link": "revoke_waitpoint_link",
    "POST /v1/flows": "create_flow",
    "GET /v1/flows": "list_flows",
    "POST /v1/flows/submit": "submit_flow",
    "GET /v1/flows/{id}": "get_flow",
    "POST /v1/flows/{id}/cancel": "cancel_flow",
    "PUT /v1/flows/{id}/edge-groups/{eid}": "set_edge_group_policy",
    "POST /v1/flows/{id}/edges": "stage_edge",
    "GET /v1/flows/{id}/edges": "list_edges",
    "POST /v1/flows/{id}/edges/apply": "apply_edge",
    "POST /v1/flows/{id}/expand": "expand_flow",
    "GET /v1/flows/{id}/graph": "get_graph",
    "POST /v1/flows/{id}/members": "add_member",
    "GET /v1/flows/{id}/members": "list_members",
    "POST /v1/flows/{id}/seal": "seal_flow",
    "GET /v1/flows/{id}/summary": "get_flow_summary",
    "PUT /v1/flows/{id}/tags": "set_flow_tags",
    "GET /v1/lanes": "list_lanes",
    "PUT /v1/lanes/{lane}": "set_lane",
    "DELETE /v1/lanes/{lane}": "delete_lane",
    "POST /v1/quotas": "create_quota",
    "GET /v1/quotas": "list_quotas",
    "GET /v1/quotas/{id}": "get_quota",
    "PUT /v1/quotas/{id}": "update_quota",
    "POST /v1/quotas/{id}/attach": "attach_quota",
    "POST /v1/quotas/{id}/detach": "detach_quota",
    "GET /v1/streams/{families}": "read_feed",
    "GET /v1/workers": "list_workers",
    "POST /v1/workers/{worker_id}/claim": "claim_grant",
    "PUT /v1/workers/{worker_id}/instances/{instance_id}": "register_worker",
    "DELETE /v1/workers/{worker_id}/instances/{instance_id}": "unregister_worker",
    "POST /v1/workers/{worker_id}/instances/{instance_id}/heartbeat": "heartbeat",
    "GET /v1/workers/{worker_id}/instances/{instance_id}/leases": "list_leases",
    "POST /v1/workers/{worker_id}/leases/renew": "renew_leases",
    "POST /v1/workers/{worker_id}/tasks/claim": "claim_tasks",
}
# POSTs that may be sent again as they are: the lease, an id or a key of their own makes the repeat the same call.
ALWAYS_SAFE = {
    "attach_budget", "attach_quota", "detach_budget", "detach_quota", "release_budget", "cancel_execution", "complete", "delay", "fail",
    "release", "renew_lease", "suspend", "wait_children", "call_children", "record_steps", "renew_leases", "progress",
    "register_worker", "heartbeat", "close_waitpoint", "apply_edge", "add_member", "cancel_flow", "seal_flow", "release_hold",
    "rotate_waitpoint_secret", "revoke_lease",
}  # fmt: skip
SAFE_IF = {
    "create_execution": ("execution_id", "idempotency_key"), "check_budget": ("dedup_key",), "spend_budget": ("dedup_key",),
    "report_usage": ("dedup_key",), "create_flow": ("flow_id",), "submit_flow": ("flow_id",), "expand_flow": ("mutation_id",),
    "create_budget": ("budget_id",), "create_quota": ("quota_policy_id",), "deliver_signal": ("signal_id", "idempotency_key"),
    "approve": ("idempotency_suffix",), "claim_tasks": ("claim_id",), "take_over": ("lease_id",), "stage_edge": ("edge_id",),
    "replay_execution": (), "create_executions": (), "create_waitpoint": ("waitpoint_key",),
}  # fmt: skip
PATH_NAMES = {"executions": "execution_id", "flows": "flow_id", "budgets": "budget_id", "quotas": "quota_policy_id"}
OTHER_PATH_NAMES = {"idx": "attempt_index", "wp": "waitpoint_id", "eid": "execution_id"}
RAW = {"get_payload", "get_input", "get_result", "metrics"}


def method_name(route: str, operation: dict[str, Any]) -> str:
    """The curated name, else one made from the operation id."""
    if route in NAMES:
        return NAMES[route]
    name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", str(operation.get("operationId", ""))).lower()
    name = re.sub(r"\W+", "_", name.replace("_v1_", "_"))
    return name + "_" if keyword.iskeyword(name) else name


SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def python_type(schema: dict[str, Any]) -> str:
    """The annotation for a schema. Objects are mappings: their members are in the named results or the specification."""
    if "$ref" in schema:
        return "Mapping[str, Any]"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(python_type(choice) for choice in schema["anyOf"]))
    kinds = schema.get("type")
    names = [kind_type(kind, schema) for kind in (kinds if isinstance(kinds, list) else [kinds])]
    return "Any" if "Any" in names else " | ".join(names)


def kind_type(kind: str | None, schema: dict[str, Any]) -> str:
    """The annotation for one of the types that a schema allows."""
    if kind == "array":
        return f"Sequence[{python_type(schema.get('items') or {})}]"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Mapping[str, {python_type(inner)}]" if isinstance(inner, dict) and inner else "Mapping[str, Any]"
    return SCALARS.get(str(kind), "Any")


def resolve(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Follows references to named schemas and joins `allOf`."""
    for _ in range(8):
        if "$ref" not in schema:
            break
        node: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            node = node[part]
        schema = node
    if "allOf" in schema:
        joined: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
        for part in schema["allOf"]:
            inner = resolve(document, part)
            joined["properties"].update(inner.get("properties", {}))
            joined["required"] += inner.get("required", [])
        return joined
    return schema


class Route:
    """What the document says about one operation."""

    def __init__(self, document: dict[str, Any], verb: str, path: str, operation: dict[str, Any]) -> None:
        self.verb, self.path, self.operation = verb, path, operation
        self.key = f"{verb} {path}"
        self.name = method_name(self.key, operation)
        self.path_parameters = re.findall(r"{(\w+)}", path)
        parameters = [resolve(document, p) for p in operation.get("parameters", [])]
        self.query = [p for p in parameters if p["in"] == "query"]
        content = (operation.get("requestBody") or {}).get("content", {})
        schema = resolve(document, content.get("application/json", {}).get("schema", {}))
        self.body: dict[str, Any] = {
            k: resolve(document, v) if "$ref" in v else v for k, v in schema.get("properties", {}).items()
        }
        for variant in schema.get("oneOf", []) + schema.get("anyOf", []):
            inner = resolve(document, variant)
            for k, v in inner.get("properties", {}).items():
                self.body.setdefault(k, v)
        self.has_body = bool(content)
        self.required = [r for r in schema.get("required", []) if r in self.body]
        self.bare_body = self.has_body and not self.body
        self.result: dict[str, Any] = {}
        self.result_required: list[str] = []
        for status, reply in operation.get("responses", {}).items():
            if status.startswith("2"):
                found = resolve(document, reply.get("content", {}).get("application/json", {}).get("schema", {}))
                if found.get("properties") and not self.result:
                    self.result = {k: resolve(document, v) if "$ref" in v else v for k, v in found["properties"].items()}
                    self.result_required = found.get("required", [])

    def path_argument(self, parameter: str) -> str:
        """The argument for a part of the path: `{id}` is named after its collection."""
        if parameter == "id":
            return PATH_NAMES.get(self.path.split("/")[2 if "admin" not in self.path else 3], "id")
        return OTHER_PATH_NAMES.get(parameter, parameter)

    @property
    def result_name(self) -> str:
        return "".join(p.capitalize() for p in self.name.split("_")) + "Result"


def safe_name(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) or name in ("self",) else name


def one_line(text: str) -> str:
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    return text if text.endswith((".", "?", "!")) else text + "."


def write_result(route: Route) -> list[str]:
    """A TypedDict; what is not always there stands in a second class, because `NotRequired` came with Python 3.11."""
    sure = [n for n in route.result if n in route.result_required]
    other = [n for n in route.result if n not in route.result_required]
    doc = f'    """Answer of `{route.key}`."""'

    def members(names: list[str]) -> list[str]:
        return [f"    {n}: {python_type(route.result[n])}" for n in names if n.isidentifier() and not keyword.iskeyword(n)]

    if not other:
        return [f"class {route.result_name}(TypedDict):", doc, *members(sure), "", ""]
    if not sure:
        return [f"class {route.result_name}(TypedDict, total=False):", doc, *members(other), "", ""]
    base = f"_{route.result_name}"
    return [
        f"class {base}(TypedDict):", *members(sure), "", "",
        f"class {route.result_name}({base}, total=False):", doc, *members(other), "", "",
    ]  # fmt: skip


def arguments(route: Route) -> list[tuple[str, str, str, bool]]:
    """(python name, wire name, annotation, required) of the members of the body; bytes are one argument."""
    out = []
    for name, schema in route.body.items():
        if name.endswith("_base64") and name.removesuffix("_base64") in route.body:
            continue
        if name in [p for p in route.path_parameters] or (name in ("execution_id", "flow_id") and route.path_parameters):
            if name in [route.path_argument(p) for p in route.path_parameters]:
                continue
        is_bytes = name + "_base64" in route.body
        out.append((safe_name(name), name, "bytes | str" if is_bytes else python_type(schema), name in route.required))
    return out


def write_method(route: Route) -> list[str]:
    paths = [(route.path_argument(p), p) for p in route.path_parameters]
    body = arguments(route)
    head = ["self", *(f"{a}: {'int' if p == 'idx' else 'str'}" for a, p in paths)]
    options = [f"{n}: {t}" for n, _, t, required in body if required]
    if route.bare_body:
        head.append("body: Mapping[str, Any] | None = None")
    options += [
        f"{n}: {t if t.endswith('None') or t == 'Any' else t + ' | None'} = None" for n, _, t, required in body if not required
    ]
    taken = {n for n, *_ in body} | {a for a, _ in paths}
    queries = [(safe_name(p["name"]) if p["name"] not in taken else p["name"] + "_query", p) for p in route.query]
    options += [
        f"{n}: {t if t == 'Any' else t + ' | None'} = None"
        for n, p in queries
        for t in ["Any" if p["name"] == "tag" else python_type(p.get("schema", {}))]
    ]
    result = "bytes" if route.name in RAW else route.result_name if route.result else "dict[str, Any]"
    if any(s.startswith("204") for s in route.operation.get("responses", {})):
        result += " | None"
    lines = [f"    async def {route.name}("]
    lines += [f"        {h}," for h in head]
    if options:
        lines.append("        *,")
        lines += [f"        {o}," for o in options]
    lines.append(f"    ) -> {result}:")
    lines.append(f'        """{one_line(str(route.operation.get("summary") or route.key))} `{route.key}`"""')
    if body:
        lines.append("        sent: dict[str, Any] = {}")
        for python, wire, kind, _ in body:
            if kind == "bytes | str":
                lines.append(f'        sent.update(bytes_fields("{wire}", {python}))')
        plain = [(p, w) for p, w, k, _ in body if k != "bytes | str"]
        if plain:
            lines.append("        put(sent, {")
            lines += [f'            "{wire}": {python},' for python, wire in plain]
            lines.append("        })")
    path = re.sub(r"{(\w+)}", lambda m: "{escape(" + route.path_argument(m.group(1)) + ")}", route.path)
    call = [f'"{route.verb}"', f'f"{path}"' if paths else f'"{path}"']
    if queries:
        call.append("query={" + ", ".join(f'"{p["name"]}": {n}' for n, p in queries) + "}")
    if body:
        call.append("body=sent")
    elif route.bare_body:
        call.append("body=dict(body or {})")
    elif route.has_body:
        call.append("body={}")
    if route.verb == "POST":
        if route.name in ALWAYS_SAFE:
            call.append("safe=True")
        elif SAFE_IF.get(route.name):
            keys = [safe_name(k) for k in SAFE_IF[route.name] if k in route.body]
            if keys:
                call.append("safe=" + " or ".join(f"{k} is not None" for k in keys))
    for wait in ("block_ms", "wait_ms", "timeout_ms"):
        if wait in [p["name"] for p in route.query] or (wait == "wait_ms" and wait in route.body):
            call.append(f"wait_ms={wait} or 0")
            break
    if route.name == "rotate_waitpoint_secret":
        call.append("timeout_s=130.0")
    if route.name in RAW:
        call.append("raw=True")
    lines.append(f"        answer = await self.transport.call({', '.join(call)})")
    lines.append(f"        return cast({result!r}, answer)" if result != "dict[str, Any]" else "        return as_object(answer)")
    return [*lines, ""]


HEADER = '''"""One method per route. Written by tools/generate_api.py from the server's /openapi.json: change that, not this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from .blocking import Blocks, blocking
from .codec import bytes_fields
from .transport import Transport, escape


def put(body: dict[str, Any], members: Mapping[str, Any]) -> None:
    """Adds the members that were given."""
    body.update((name, value) for name, value in members.items() if value is not None)


def as_object(answer: Any) -> dict[str, Any]:
    """The answer of a route that always answers an object."""
    return answer if isinstance(answer, dict) else {}


'''


def routes_of(document: dict[str, Any]) -> list[Route]:
    out = []
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            key = f"{verb.upper()} {path}"
            if verb in ("get", "post", "put", "delete") and key not in BY_HAND | TWINS | NO_API:
                out.append(Route(document, verb.upper(), path, operation))
    return out


def generate(document: dict[str, Any]) -> str:
    routes = routes_of(document)
    lines: list[str] = []
    for route in routes:
        if route.result:
            lines += write_result(route)
    lines += ["class Api:", '    """Every operation of the server, typed."""', "", "    transport: Transport", ""]
    for route in routes:
        lines += write_method(route)
    lines += [
        "",
        "class BlockingApi(Blocks):",
        '    """Every operation of the server, typed, for programs without asyncio."""',
        "",
    ]
    lines += [f"    {route.name} = blocking(Api.{route.name})" for route in routes]
    table = ", ".join(f'"{r.key}": "{r.name}"' for r in routes)
    lines += ["", "", "#: Method of each route.", f"ROUTES: dict[str, str] = {{{table}}}", ""]
    return HEADER + "\n".join(lines)


def formatted(text: str) -> str:
    """The text as ruff writes it; ruff is pinned, so that the comparison means something."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--config", str(TARGET.parents[2] / "pyproject.toml"), "--stdin-filename", str(TARGET), "-"],
        input=text, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def fetch(url: str) -> Any:
    with urllib.request.urlopen(url + "/openapi.json", timeout=30) as reply:
        return json.load(reply)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", nargs="?", help="a file, or the URL of a server")
    parser.add_argument("--program", help="take the document from this server program")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.program:
        from flowfabric.testing import TestServer

        with TestServer(program=given.program, settings={"FF_TEST_CLOCK": "false"}) as server:
            document = fetch(server.url)
    elif given.document.startswith("http"):
        document = fetch(given.document)
    else:
        document = json.loads(Path(given.document).read_text())
    text = formatted(generate(document))
    if given.check:
        if TARGET.read_text() != text:
            print(f"{TARGET} is not what /openapi.json says now; run tools/generate_api.py", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
