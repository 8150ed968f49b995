"""The stores that servers are tested on: the embedded one, which needs nothing, and a Valkey of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VALKEY = Path(os.environ.get("FF_TEST_VALKEY") or ROOT / ".tools" / "valkey" / "valkey-server")
STARTS_WITHIN_S = 10.0


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def valkey() -> Iterator[int]:
    """A Valkey process on a free port that keeps nothing; gives the port."""
    port = free_port()
    command = [str(VALKEY), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with tempfile.TemporaryDirectory(prefix="ff-sdk-valkey-") as folder:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        try:
            wait_for_port(port)
            yield port
        finally:
            process.kill()
            process.wait()


def wait_for_port(port: int) -> None:
    """Returns when something listens there."""
    end = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.025)
    raise RuntimeError(f"nothing listens on port {port} after {STARTS_WITHIN_S:.0f} s")


@contextmanager
def settings(store: str) -> Iterator[Mapping[str, str]]:
    """The settings of a server on that store, `embedded` or `valkey`, for as long as the block."""
    if store == "embedded":
        yield {}
        return
    with valkey() as port:
        yield {
            "FF_BACKEND": "valkey",
            "FF_HOST": "127.0.0.1",
            "FF_PORT": str(port),
            "FF_WAITPOINT_HMAC_SECRET": "5a" * 32,
            "FF_FLOW_PARTITIONS": "16",
        }
