"""Durations as people write them: `"1s"`, `"10m"`, `"3d"`, `"1h30m"`, seconds as a number, or a timedelta."""

from __future__ import annotations

import re
from datetime import timedelta

from .errors import ConfigError

Duration = str | int | float | timedelta

_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")


def to_ms(value: Duration) -> int:
    """The duration in milliseconds. Refuses what is negative or not a duration."""
    if isinstance(value, timedelta):
        ms = value.total_seconds() * 1000
    elif isinstance(value, bool):
        raise ConfigError(f"{value!r} is not a duration")
    elif isinstance(value, (int, float)):
        ms = value * 1000
    else:
        text = value.strip().lower()
        parts = _PART.findall(text)
        if not parts or "".join(number + unit for number, unit in parts) != text:
            raise ConfigError(f"{value!r} is not a duration; write for example 500ms, 30s, 10m, 2h, 3d or 1h30m")
        ms = sum(float(number) * _UNIT_MS[unit] for number, unit in parts)
    if not 0 <= ms < 1 << 53:
        raise ConfigError(f"{value!r} is not a duration that can be waited for")
    return round(ms)
