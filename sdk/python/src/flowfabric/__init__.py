"""Durable functions on a FlowFabric server.

import flowfabric as ff

app = ff.App()

@app.task
async def greet(ctx: ff.Context, name: str) -> str:
    text = await ctx.step("compose", lambda: f"Hello, {name}!")
    await ctx.sleep("1m")
    return text

app.run()
"""

from . import sync, testing
from .app import App
from .client import Client, Event, Feed, Frame, Gap
from .context import Context, SyncContext
from .durations import Duration
from .errors import (
    ApiError,
    BudgetExceeded,
    ChildFailed,
    ConfigError,
    ConnectError,
    CooperativeError,
    DecodeError,
    DuplicateStepName,
    ExecutionFailed,
    ExpectedError,
    Fatal,
    FlowFabricError,
    InformationalError,
    LeaseLost,
    MalformedResponse,
    NotFound,
    ResultTimeout,
    Retryable,
    RetryableError,
    ServerBug,
    SoftError,
    StepTypeChanged,
    SuspensionSwallowed,
    TerminalError,
    Unauthorized,
    WaitTimedOut,
)
from .flows import Flow, FlowHandle, Node
from .handle import Handle
from .tasks import Call, Options, Retry, RetryBackoff, Task, budget_id, exponential, fixed
from .transport import Backoff, Transport
from .waiting import Decision, Signal
from .worker import Worker, WorkerOptions

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "App",
    "Backoff",
    "BudgetExceeded",
    "Call",
    "ChildFailed",
    "Client",
    "ConfigError",
    "ConnectError",
    "Context",
    "CooperativeError",
    "Decision",
    "DecodeError",
    "DuplicateStepName",
    "Duration",
    "Event",
    "ExecutionFailed",
    "ExpectedError",
    "Fatal",
    "Feed",
    "Flow",
    "FlowFabricError",
    "FlowHandle",
    "Frame",
    "Gap",
    "Handle",
    "InformationalError",
    "LeaseLost",
    "MalformedResponse",
    "Node",
    "NotFound",
    "Options",
    "ResultTimeout",
    "Retry",
    "RetryBackoff",
    "Retryable",
    "RetryableError",
    "ServerBug",
    "Signal",
    "SoftError",
    "StepTypeChanged",
    "SuspensionSwallowed",
    "SyncContext",
    "Task",
    "TerminalError",
    "Transport",
    "Unauthorized",
    "WaitTimedOut",
    "Worker",
    "WorkerOptions",
    "budget_id",
    "exponential",
    "fixed",
    "sync",
    "testing",
]
