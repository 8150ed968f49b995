"""The scenarios that every SDK passes (sdk/conformance), with this one's worker."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import flowfabric as ff
import harness
from flowfabric.testing import TestServer

HERE = Path(__file__).resolve().parent
WORKER = [sys.executable, str(HERE / "conformance_worker.py")]
ALL = harness.scenarios()


@pytest.fixture(autouse=True)
def worker_finds_its_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), str(HERE.parent / "src")]))


@pytest.mark.parametrize("name", [n for n, s in ALL.items() if not s.get("durable")])
async def test_scenario(server: TestServer, name: str, tmp_path: Path) -> None:
    told = await harness.perform(ALL[name], server, WORKER, tmp_path)
    if told:
        print(f"{name}: {told}")


@pytest.mark.skipif("embedded" not in os.environ.get("FF_TEST_STORES", "embedded"), reason="has a store of its own")
@pytest.mark.parametrize("name", [n for n, s in ALL.items() if s.get("durable")])
async def test_scenario_with_a_server_that_dies(name: str, tmp_path: Path) -> None:
    with ff.testing.server(data_dir=tmp_path / "data") as server:
        await harness.perform(ALL[name], server, WORKER, tmp_path)
