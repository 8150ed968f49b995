"""Durations, types, names: what needs no server."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypedDict

import pydantic
import pytest

import flowfabric as ff
from flowfabric import codec
from flowfabric.durations import to_ms


class Color(enum.Enum):
    RED = "red"


@dataclass
class Inner:
    count: int
    color: Color = Color.RED


@dataclass
class Outer:
    name: str
    inner: Inner
    many: list[Inner] = field(default_factory=list)
    maybe: int | None = None


class Model(pydantic.BaseModel):
    x: int
    when: datetime


class Point(NamedTuple):
    x: int
    y: int


class Row(TypedDict):
    a: int


@pytest.mark.parametrize(
    ("text", "ms"),
    [("500ms", 500), ("1s", 1000), ("1.5m", 90_000), ("3d", 259_200_000), ("1h30m", 5_400_000), (2, 2000), (0.25, 250)],
)
def test_duration_is_read(text: Any, ms: int) -> None:
    assert to_ms(text) == ms


def test_duration_of_a_timedelta() -> None:
    assert to_ms(timedelta(seconds=90)) == 90_000


@pytest.mark.parametrize("text", ["", "1", "5 minutes", "-1s", "1y", "s", -1, True])
def test_what_is_no_duration_is_refused(text: Any) -> None:
    with pytest.raises(ff.ConfigError):
        to_ms(text)


@pytest.mark.parametrize(
    ("value", "declared"),
    [
        (Outer("n", Inner(1), [Inner(2)], 3), Outer),
        ({"a": [1, 2.5, None, "x"]}, dict[str, Any]),
        (Model(x=1, when=datetime(2024, 1, 2, tzinfo=timezone.utc)), Model),
        ([Model(x=1, when=datetime(2024, 1, 2, tzinfo=timezone.utc))], list[Model]),
        (Point(1, 2), Point),
        ((1, "a"), tuple[int, str]),
        ({1, 2}, set[int]),
        (b"\x00\xff\xfe", bytes),
        ({"raw": b"\x00\xff"}, dict[str, bytes]),
        ("text", str),
        (None, None),
        (None, int | None),
        (Color.RED, Color),
        ("de", Literal["de", "fr"]),
        (Decimal("1.50"), Decimal),
        (datetime(2024, 5, 6, 7, 8), datetime),
        ({"a": 1}, Row),
        (7, float | int),
    ],
)
def test_value_comes_back_as_it_was(value: Any, declared: Any) -> None:
    data, encoding = codec.encode(value)
    assert codec.decode(data, encoding, declared) == value


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ('"x"', int), ("1", str), ("true", int), ("{}", Outer), ('{"name":"n","inner":{"count":"1"}}', Outer), ("[1]", dict),
        ('"es"', Literal["de", "fr"]), ('{"x":"no"}', Model), ("[1,2,3]", tuple[int, str]), ('{"b":1}', Row), ("null", int),
        ('"x"', bytes | None),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(text: str, declared: Any) -> None:
    with pytest.raises(ff.DecodeError):
        codec.decode(text, codec.JSON, declared)


def test_refusal_says_where() -> None:
    with pytest.raises(ff.DecodeError, match=r"inner\.count"):
        codec.decode('{"name":"n","inner":{"count":"1"}}', codec.JSON, Outer)


def test_unknown_type_is_an_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="object cannot be written"):
        codec.encode(object())


async def test_arguments_one_is_the_payload_itself_several_are_named() -> None:
    app = ff.App("http://127.0.0.1:1")

    @app.task
    async def one(ctx: ff.Context, question: str) -> None: ...

    @app.task
    async def two(ctx: ff.Context, a: int, b: Inner | None = None) -> None: ...

    @app.task
    async def raw(data: bytes) -> None: ...

    async def no_inputs(name: str) -> bytes:
        raise AssertionError(name)

    assert one.encode_arguments(("why?",), {}) == ('"why?"', "json")
    assert two.encode_arguments((1,), {"b": Inner(2)}) == ('{"a":1,"b":{"count":2,"color":"red"}}', "json-arguments")
    assert raw.encode_arguments((b"\xff",), {}) == (b"\xff", "bytes")
    assert await two.decode_arguments('{"a":1,"b":{"count":2}}', "", no_inputs) == {"a": 1, "b": Inner(2)}
    assert await two.decode_arguments('{"a":1}', "json-arguments", no_inputs) == {"a": 1}
    for wrong in ('{"a":1,"c":2}', "{}", '{"a":"x"}'):
        with pytest.raises(ff.DecodeError):
            await two.decode_arguments(wrong, "json-arguments", no_inputs)


def test_mistakes_in_the_program_are_refused_where_they_are_made() -> None:
    app = ff.App("http://127.0.0.1:1")

    @app.task
    async def one(ctx: ff.Context, a: int) -> None: ...

    with pytest.raises(ff.ConfigError, match="two tasks `one`"):
        app.task(name="one")(lambda ctx: None)
    with pytest.raises(ff.ConfigError, match="missing a required argument"):
        one.of()
    with pytest.raises(ff.ConfigError, match="cannot be sent"):
        app.task(name="rest")(lambda *rest: None)
    with pytest.raises(ff.ConfigError, match="at least 1"):
        ff.Retry(attempts=0).policy()
    with pytest.raises(ff.ConfigError, match="unix:/path"):
        ff.Client("ftp://example.org")
    with pytest.raises(ff.ConfigError, match="blank"):
        ff.Client("http://127.0.0.1:1", token=" ")


def test_policy_is_what_the_options_say() -> None:
    options = ff.Options(
        retry=ff.Retry(attempts=5, backoff=ff.exponential("1s", max="1m", jitter=False), only=["transient"]),
        timeout="10m", deadline="1h", budget="team-a", capabilities=["gpu"], retention="1d",
    )  # fmt: skip
    assert options.engine_policy() == {
        "retry_policy": {
            "max_retries": 4,
            "backoff": {
                "type": "exponential", "initial_delay_ms": 1000, "max_delay_ms": 60_000, "multiplier": 2, "jitter": False,
            },
            "retryable_categories": ["transient"],
        },
        "timeout_policy": {"attempt_timeout_ms": 600_000, "execution_deadline_ms": 3_600_000},
        "routing_requirements": {"required_capabilities": ["gpu"]},
        "budget_ids": [ff.budget_id("team-a")],
        "retention_ms": 86_400_000,
    }  # fmt: skip
    uuid = "7d3f9a52-6c1e-4f0b-9a7d-3b1c5e9f2a40"
    assert ff.budget_id(uuid) == uuid
