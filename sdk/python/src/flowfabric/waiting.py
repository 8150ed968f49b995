"""How a run of a handler ends before its function does, and what is written when it does.

A wait is two steps of the execution: `$begin:<name>` is recorded in the same call that suspends, delays or calls children and
says that the wait was begun; `$end:<name>` is its outcome, recorded by the run that finds the wait over. Whatever crashes
between two calls, the next run sees which of the two is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import codec

BEGIN = "$begin:"
END = "$end:"


@dataclass(frozen=True)
class Signal:
    """What somebody sent to a wait."""

    name: str
    by: str
    category: str
    payload: bytes | str | None
    accepted_at: int
    signal_id: str

    def value(self, declared: Any = Any) -> Any:
        """The payload as JSON, or as the type given."""
        return codec.decode(self.payload, "", declared)

    def record(self) -> dict[str, Any]:
        """What a step keeps of it."""
        return {
            "name": self.name,
            "by": self.by,
            "category": self.category,
            "accepted_at": self.accepted_at,
            "signal_id": self.signal_id,
            **codec.bytes_fields("payload", self.payload),
        }

    @staticmethod
    def read(record: dict[str, Any]) -> Signal:
        """A signal from what a step kept."""
        return Signal(
            str(record.get("name", "")),
            str(record.get("by", "")),
            str(record.get("category", "")),
            codec.read_bytes(record, "payload"),
            int(record.get("accepted_at") or 0),
            str(record.get("signal_id", "")),
        )


@dataclass(frozen=True)
class Decision:
    """The answer to an approval. `data` is what came with it: a comment, or the filled form."""

    approved: bool
    by: str = ""
    data: Any = None
    at: int = 0
    timed_out: bool = False

    def __bool__(self) -> bool:
        return self.approved


class EndOfRun(BaseException):
    """Unwinds the handler: the worker then makes `call` of the task's route `route` with `body`.

    Not an `Exception`, so that handlers which catch those do not stop it.
    """

    def __init__(self, what: str, route: str, body: dict[str, Any]) -> None:
        super().__init__(what)
        self.what = what
        self.route = route
        self.body = body


def begin_step(name: str, value: Any) -> dict[str, Any]:
    """The step that says that a wait was begun."""
    return {"name": BEGIN + name, "value": codec.dumps(value), "encoding": codec.JSON}
