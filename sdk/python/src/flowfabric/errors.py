"""Exceptions of the SDK.

A refusal by the server is an `ApiError`, or the subclass for its error class. Programs look at `code` (stable), `retryable` and
`detail`; `message` is for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class FlowFabricError(Exception):
    """Base of everything this package raises on purpose."""


class ConfigError(FlowFabricError):
    """A mistake in the program: a missing setting, a name used twice, an option that does not exist."""


class ConnectError(FlowFabricError):
    """No answer came from the server. The request may or may not have been carried out."""

    retryable = True


class MalformedResponse(FlowFabricError):
    """The server, or something between it and us, sent a body that is not what the route answers."""


class ApiError(FlowFabricError):
    """The server refused a request."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        error_class: str = "terminal",
        retryable: bool = False,
        detail: Any = None,
        raw: str = "",
    ) -> None:
        super().__init__(f"{message} ({code})" if code and code not in message else message)
        self.status = status
        self.code = code
        self.message = message
        self.error_class = error_class
        self.retryable = retryable
        self.detail: Any = detail if detail is not None else []
        self.raw = raw

    def refuses(self, field: str) -> bool:
        """Whether the server refused this field of the body because it does not know it."""
        return self.status == 400 and f"unknown field `{field}`" in self.message


class TerminalError(ApiError):
    """Class `terminal`: stop, do not repeat."""


class RetryableError(ApiError):
    """Class `retryable`: repeat after a pause. The client has already repeated what is safe to repeat."""


class CooperativeError(ApiError):
    """Class `cooperative`: take the named action, then stop."""


class InformationalError(ApiError):
    """Class `informational`: what was asked for is so already."""


class ExpectedError(ApiError):
    """Class `expected`: a normal empty state, such as a stream without frames."""


class SoftError(ApiError):
    """Class `soft_error`: log it and go on."""


class ServerBug(ApiError):
    """Class `bug`: the server found its own state broken. Tell its operator."""


class NotFound(TerminalError):
    """The execution, flow, budget or route does not exist."""


class Unauthorized(TerminalError):
    """The API token is missing or wrong."""


_BY_CLASS: dict[str, type[ApiError]] = {
    "terminal": TerminalError,
    "retryable": RetryableError,
    "cooperative": CooperativeError,
    "informational": InformationalError,
    "expected": ExpectedError,
    "soft_error": SoftError,
    "bug": ServerBug,
}
_RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})


def api_error(status: int, body: Any, raw: str) -> ApiError:
    """Builds the exception for an error reply; `body` is what the reply decoded to, or None."""
    fields = body if isinstance(body, dict) else {}
    code = str(fields.get("code") or ("unauthorized" if status == 401 else "api"))
    message = str(fields.get("message") or fields.get("error") or f"the server answered {status}")
    error_class = str(fields.get("class") or "")
    retryable = bool(fields["retryable"]) if "retryable" in fields else status in _RETRYABLE_STATUSES
    kind = _BY_CLASS.get(error_class, RetryableError if retryable else TerminalError)
    if kind is TerminalError and status == 404:
        kind = NotFound
    elif kind is TerminalError and status == 401:
        kind = Unauthorized
    return kind(
        status,
        code,
        message,
        error_class=error_class or ("retryable" if retryable else "terminal"),
        retryable=retryable,
        detail=fields.get("detail"),
        raw=raw,
    )


class ExecutionFailed(FlowFabricError):
    """An execution whose result was asked for ended without one."""

    def __init__(self, execution_id: str, outcome: str, reason: str = "", category: str = "") -> None:
        text = f"execution {execution_id} ended {outcome}"
        if reason:
            text += f": {reason}"
        super().__init__(text)
        self.execution_id = execution_id
        self.outcome = outcome
        self.reason = reason
        self.category = category


class ChildFailed(ExecutionFailed):
    """A child called with `ctx.call` or `ctx.gather` ended without success."""

    def __init__(self, name: str, execution_id: str, outcome: str, reason: str = "", category: str = "") -> None:
        super().__init__(execution_id, outcome, reason, category)
        self.name = name


class ResultTimeout(FlowFabricError):
    """`handle.result(timeout=...)` ran out; the execution goes on."""


# What handlers raise, or meet.


class Retryable(FlowFabricError):
    """Raised by a handler: this attempt failed, try again. `after` waits that long, otherwise the retry policy decides."""

    def __init__(self, message: str = "", *, after: str | float | None = None, category: str = "retryable") -> None:
        super().__init__(message)
        self.after = after
        self.category = category


class Fatal(FlowFabricError):
    """Raised by a handler: this execution failed for good, whatever its retry policy says."""

    def __init__(self, message: str = "", *, category: str = "fatal") -> None:
        super().__init__(message)
        self.category = category


class BudgetExceeded(FlowFabricError):
    """`ctx.spend` passed a hard limit. Left uncaught, the worker does what the budget asks for (`action`)."""

    def __init__(self, budget_id: str, dimension: str, action: str, current: int, limit: int) -> None:
        super().__init__(f"budget {budget_id}: {dimension} is at {current} of {limit}")
        self.budget_id = budget_id
        self.dimension = dimension
        self.action = action or "fail"
        self.current = current
        self.limit = limit


class WaitTimedOut(FlowFabricError):
    """`ctx.wait_for` got no signal before its timeout."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no signal came for `{name}` in time")
        self.name = name


class DecodeError(FlowFabricError):
    """Bytes do not fit the declared type; `path` says where."""

    def __init__(self, message: str, path: Sequence[str] = ()) -> None:
        where = ".".join(path)
        super().__init__(f"{where}: {message}" if where else message)
        self.path = tuple(path)


class StepTypeChanged(FlowFabricError):
    """A recorded step no longer fits the type that the code declares for it."""

    def __init__(self, step: str, why: str) -> None:
        super().__init__(
            f"the recorded value of step `{step}` no longer fits its declared type ({why}); "
            "give the step a new name, or a type that reads the old value"
        )
        self.step = step


class DuplicateStepName(ConfigError):
    """Two steps or waits of one run have the same name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the name `{name}` was used twice in one run; steps are found by name, so give each its own")
        self.name = name


class SuspensionSwallowed(ConfigError):
    """A handler caught the unwinding of a wait and went on."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the handler caught the end of its run at {what}; let `BaseException` pass through")


class LeaseLost(FlowFabricError):
    """The lease of the task ended: it was revoked, ran out, or the execution was cancelled."""
