"""How many tasks a worker process of each SDK does, and how soon; beside Celery, RQ and BullMQ in the same run.

usage: run.py <server program> <valkey-server> <folder> [--out file] [--rounds n] [--tasks n]

The server keeps its data in memory, as the Valkey of the peers does; `durable` is the same with a data folder, where nothing
is answered before it is on disk. Every program has a backlog when its one worker starts, and the machine for itself; Celery's
worker is two processes. Programs take turns, the middle round counts. `<folder>` keeps the environments.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYTHON_SDK = ROOT / "sdk" / "python" / "src"
sys.path[:0] = [str(PYTHON_SDK), str(ROOT / "sdk" / "conformance")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("valkey")
    parser.add_argument("folder")
    parser.add_argument("--out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=40_000)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument(
        "--only", choices=["python", "node", "python_durable", "node_durable", "celery", "rq", "bullmq"], action="append"
    )
    given = parser.parse_args()
    given.program = str(Path(given.program).resolve())  # servers start in a folder of their own
    folder = Path(given.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = python_environment(folder)
    if Path(sys.prefix) != python.parents[1]:  # the SDK starts servers here, and needs its dependency
        os.execv(python, [str(python), *sys.argv])
    return Bench(given, folder, python).run()


def python_environment(folder: Path) -> Path:
    wanted = hashlib.sha1((HERE / "requirements.txt").read_bytes()).hexdigest()
    made, environment = folder / "python.made", folder / "python"
    if not made.exists() or made.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(environment)], check=True)
        pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(HERE / "requirements.txt")], check=True)
        made.write_text(wanted)
    return environment / "bin" / "python"


def node_environment(folder: Path) -> None:
    text = (HERE / "package.json").read_bytes()
    made = folder / "node.made"
    if not made.exists() or made.read_bytes() != text:
        (folder / "package.json").write_bytes(text)
        command = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(command, cwd=folder, check=True)
        made.write_bytes(text)


class Bench:
    """The programs by turns, and what comes out of them."""

    def __init__(self, given: argparse.Namespace, folder: Path, python: Path) -> None:
        self.given = given
        self.folder = folder
        self.python = str(python)
        self.typescript = folder / "typescript"
        programs: dict[str, Callable[[], dict[str, Any]]] = {
            "python": self.flowfabric_python,
            "node": self.flowfabric_node,
            "python_durable": lambda: self.flowfabric_python(durable=True),
            "node_durable": lambda: self.flowfabric_node(durable=True),
            "celery": self.celery,
            "rq": self.rq,
            "bullmq": self.bullmq,
        }
        self.programs = {n: p for n, p in programs.items() if not given.only or n in given.only}

    def run(self) -> int:
        if "bullmq" in self.programs:
            node_environment(self.folder)
        if any(name.startswith("node") for name in self.programs):
            prepare = ["node", str(ROOT / "sdk" / "typescript" / "scripts" / "prepare.mjs"), str(self.typescript)]
            subprocess.run(prepare, check=True, stdout=subprocess.DEVNULL)
        rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in self.programs}
        for _ in range(self.given.rounds):
            for name, program in self.programs.items():
                rounds[name].append(program())
        figures: dict[str, float] = {}
        for name, measured in rounds.items():
            self.add(figures, name, measured)
        for ours, peer in (("python", "celery"), ("python", "rq"), ("node", "bullmq")):
            if ours in rounds and peer in rounds:
                figures[f"{ours}_over_{peer}"] = figures[f"{ours}_tasks_per_s"] / figures[f"{peer}_tasks_per_s"]
        print(f"{self.given.tasks} tasks, the middle of {self.given.rounds} rounds, {os.cpu_count()} cores")
        for name, value in figures.items():
            print(f"  {name:32} {value:12.2f}")
        if self.given.out:
            Path(self.given.out).write_text(json.dumps(figures, indent=1) + "\n")
        return 0

    def add(self, figures: dict[str, float], name: str, measured: list[dict[str, Any]]) -> None:
        rates = sorted(m["tasks_per_s"] for m in measured)
        figures[f"{name}_tasks_per_s"] = rates[len(rates) // 2]
        for what in ("result_ms", "resumed_ms"):
            samples = sorted(s for m in measured for s in m.get(what, ()))
            if samples:
                kind = what.removesuffix("_ms")
                figures[f"{name}_{kind}_p50_ms"] = samples[len(samples) // 2]
                figures[f"{name}_{kind}_p99_ms"] = samples[len(samples) * 99 // 100]

    # The programs

    def load(self, *command: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("FF_")}
        done = subprocess.run(
            command,
            cwd=HERE,
            env={
                **clean,
                "PYTHONPATH": str(PYTHON_SDK),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONWARNINGS": "ignore",
                **(environment or {}),
            },
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return measured

    def with_server(self, durable: bool, *command: str) -> dict[str, Any]:
        from flowfabric.testing import TestServer

        numbers = [str(self.given.tasks), str(self.given.samples)]
        with (
            tempfile.TemporaryDirectory(prefix="ff-bench-", dir=self.folder) as data,
            TestServer(program=self.given.program, data_dir=data + "/data" if durable else ":memory:") as server,
        ):
            return self.load(*command, server.url, *numbers)

    def with_valkey(self, *command: str) -> dict[str, Any]:
        os.environ["FF_TEST_VALKEY"] = str(Path(self.given.valkey).resolve())
        import stores

        with stores.valkey() as port:
            return self.load(*command, environment={"BENCH_VALKEY_PORT": str(port)})

    def flowfabric_python(self, *, durable: bool = False) -> dict[str, Any]:
        return self.with_server(durable, self.python, str(HERE / "python_load.py"))

    def flowfabric_node(self, *, durable: bool = False) -> dict[str, Any]:
        return self.with_server(durable, "node", str(HERE / "node_load.mjs"), str(self.typescript))

    # They are slower: fewer tasks take as long.
    def celery(self) -> dict[str, Any]:
        tasks, samples = str(self.given.tasks // 8), str(self.given.samples)
        return self.with_valkey(self.python, str(HERE / "celery_load.py"), tasks, samples)

    def rq(self) -> dict[str, Any]:
        return self.with_valkey(self.python, str(HERE / "rq_load.py"), str(self.given.tasks // 20))

    def bullmq(self) -> dict[str, Any]:
        script = str(HERE / "bullmq_load.mjs")
        return self.with_valkey("node", script, str(self.folder), str(self.given.tasks), str(self.given.samples))


if __name__ == "__main__":
    sys.exit(main())
