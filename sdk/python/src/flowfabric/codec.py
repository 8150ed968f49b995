"""Values to bytes and back.

JSON with dataclasses, enums, dates and pydantic models (if pydantic is installed); `bytes` stay bytes.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Union
from uuid import UUID

from .errors import DecodeError

JSON = "json"
BYTES = "bytes"
ARGUMENTS = "json-arguments"  # an object of all arguments by name, in which {"$input": name} stands for an input

_NONE = type(None)
_TEXTUAL: dict[Any, Any] = {
    datetime: datetime.fromisoformat,
    date: date.fromisoformat,
    Decimal: Decimal,
    UUID: UUID,
}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (Decimal, UUID)):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$base64": base64.b64encode(bytes(value)).decode()}
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON; return a dataclass, a model, plain data or bytes")


def dumps(value: Any) -> str:
    """JSON text of a value."""
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))


def encode(value: Any) -> tuple[bytes | str | None, str]:
    """Bytes (or UTF-8 text) of a value and the encoding's name. None is no bytes at all."""
    if value is None:
        return None, ""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), BYTES
    return dumps(value), JSON


def decode(data: bytes | str | None, encoding: str, declared: Any = Any) -> Any:
    """The value of `data` as the type `declared`. Raises `DecodeError` if it does not fit."""
    if declared is bytes:
        return b"" if data is None else data.encode() if isinstance(data, str) else data
    if data is None or (encoding != BYTES and len(data) == 0):
        return convert(None, declared)
    if encoding == BYTES:
        raw = data.encode() if isinstance(data, str) else data
        if declared in (Any, None) or declared == (bytes | None):
            return raw
        raise DecodeError(f"bytes where {_name(declared)} was expected")
    try:
        value = json.loads(data)
    except ValueError as error:
        if declared is str:
            return data if isinstance(data, str) else _text(data)
        if declared is Any and encoding not in (JSON, ARGUMENTS):
            return data
        raise DecodeError(f"not JSON: {error}") from None
    return convert(value, declared)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise DecodeError("neither JSON nor UTF-8 text") from None


def _name(declared: Any) -> str:
    return getattr(declared, "__name__", None) or str(declared)


def _unfit(value: Any, declared: Any, path: tuple[str, ...]) -> DecodeError:
    shown = json.dumps(value, default=str)
    return DecodeError(f"{shown[:80]} is not {_name(declared)}", path)


def convert(value: Any, declared: Any, path: tuple[str, ...] = ()) -> Any:
    """Turns plain JSON data into `declared`, checking as it goes."""
    if declared in (Any, object) or isinstance(declared, (typing.TypeVar, str)):
        return value
    if declared is None or declared is _NONE:
        if value is None:
            return None
        raise _unfit(value, _NONE, path)
    origin = typing.get_origin(declared)
    if origin is not None:
        return _generic(value, declared, origin, typing.get_args(declared), path)
    if hasattr(declared, "__supertype__"):  # NewType
        return convert(value, declared.__supertype__, path)
    if not isinstance(declared, type):
        return value
    if hasattr(declared, "model_validate"):
        try:
            return declared.model_validate(value)
        except Exception as error:
            raise DecodeError(str(error).replace("\n", " "), path) from None
    if dataclasses.is_dataclass(declared):
        return _fields(value, declared, declared, path)
    if typing.is_typeddict(declared):
        return _typed_dict(value, declared, path)
    if issubclass(declared, enum.Enum):
        try:
            return declared(value)
        except ValueError:
            raise _unfit(value, declared, path) from None
    return _scalar(value, declared, path)


def _scalar(value: Any, declared: type, path: tuple[str, ...]) -> Any:
    if declared is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if declared is int and isinstance(value, bool):
        raise _unfit(value, declared, path)
    if declared in (bytes, bytearray):
        if isinstance(value, dict) and isinstance(value.get("$base64"), str):
            return declared(base64.b64decode(value["$base64"]))
        raise _unfit(value, declared, path)
    if declared in _TEXTUAL:
        try:
            return _TEXTUAL[declared](value)
        except Exception:
            raise _unfit(value, declared, path) from None
    if issubclass(declared, tuple) and hasattr(declared, "_fields"):
        hints = typing.get_type_hints(declared)
        names: tuple[str, ...] = getattr(declared, "_fields")  # noqa: B009
        if isinstance(value, list) and len(value) == len(names):
            return declared(*(convert(v, hints.get(n, Any), (*path, n)) for n, v in zip(names, value)))
        raise _unfit(value, declared, path)
    if declared in (set, frozenset, tuple) and isinstance(value, list):
        return declared(value)
    if declared in (str, int, bool, list, dict):
        if isinstance(value, declared):
            return value
        raise _unfit(value, declared, path)
    return value


def _fields(value: Any, declared: Any, make: Any, path: tuple[str, ...]) -> Any:
    if not isinstance(value, dict):
        raise _unfit(value, declared, path)
    hints = typing.get_type_hints(declared)
    given: dict[str, Any] = {}
    for field in dataclasses.fields(declared):
        if field.name in value:
            if field.init:
                given[field.name] = convert(value[field.name], hints.get(field.name, Any), (*path, field.name))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise DecodeError(f"{_name(declared)} needs `{field.name}`", path)
    return make(**given)


def _typed_dict(value: Any, declared: Any, path: tuple[str, ...]) -> Any:
    if not isinstance(value, dict):
        raise _unfit(value, declared, path)
    for name in declared.__required_keys__:
        if name not in value:
            raise DecodeError(f"{_name(declared)} needs `{name}`", path)
    hints = typing.get_type_hints(declared)
    return {k: convert(v, hints[k], (*path, k)) if k in hints else v for k, v in value.items()}


def _generic(value: Any, declared: Any, origin: Any, args: tuple[Any, ...], path: tuple[str, ...]) -> Any:
    if origin is typing.Annotated:
        return convert(value, args[0], path)
    if origin is Union or (sys.version_info >= (3, 10) and origin is types.UnionType):
        return _union(value, declared, args, path)
    if origin is typing.Literal:
        if value in args:
            return value
        raise _unfit(value, declared, path)
    if origin in (list, set, frozenset, Sequence) or (
        isinstance(origin, type) and issubclass(origin, Sequence) and origin is not tuple
    ):
        if not isinstance(value, list):
            raise _unfit(value, declared, path)
        items = [convert(v, args[0], (*path, str(i))) for i, v in enumerate(value)]
        return origin(items) if origin in (set, frozenset) else items
    if origin is tuple:
        if not isinstance(value, list):
            raise _unfit(value, declared, path)
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(convert(v, args[0], (*path, str(i))) for i, v in enumerate(value))
        if len(value) != len(args):
            raise _unfit(value, declared, path)
        return tuple(convert(v, a, (*path, str(i))) for i, (v, a) in enumerate(zip(value, args)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            raise _unfit(value, declared, path)
        return {convert(k, args[0], path): convert(v, args[1], (*path, k)) for k, v in value.items()}
    return convert(value, origin, path)


def _union(value: Any, declared: Any, args: tuple[Any, ...], path: tuple[str, ...]) -> Any:
    exact = type(value)
    for arg in args:  # what needs no conversion wins, so that int | float keeps an int
        if arg is exact or (value is None and arg is _NONE):
            return value
    for arg in args:
        try:
            return convert(value, arg, path)
        except DecodeError:
            continue
    raise _unfit(value, declared, path)


def bytes_fields(name: str, data: bytes | str | None) -> dict[str, str]:
    """The body member for bytes: `name` for UTF-8 text, `name_base64` for anything else."""
    if data is None:
        return {}
    if isinstance(data, str):
        return {name: data}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {name + "_base64": base64.b64encode(data).decode()}


def read_bytes(fields: Mapping[str, Any], name: str) -> bytes | str | None:
    """The bytes of a reply's member `name` or `name_base64`: text where the server sent text."""
    text = fields.get(name)
    if text is not None:
        return typing.cast(str, text)
    coded = fields.get(name + "_base64")
    return None if coded is None else base64.b64decode(coded)
